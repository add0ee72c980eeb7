#include <gtest/gtest.h>

#include "tests/unit/python/ran.h"

namespace kern::python {
namespace {

// Runs statements, of which `A` is what is asked for.
std::string made(const std::string& text) { return Ran("import numpy as np\n" + text + "\n").name("A"); }

// The results are those of NumPy 2.
TEST(Arrays, AreMadeOfListsAndNumbers) {
  EXPECT_EQ(made("A = np.array([1, 2.5])"), "array f64 [2] 1.0 2.5");
  EXPECT_EQ(made("A = np.array([np.arange(2), [3, True]])"), "array i64 [2, 2] 0 1 3 1");
  EXPECT_EQ(made("A = np.array([1, 2], dtype='<i2')"), "array i16 [2] 1 2");
  EXPECT_EQ(made("A = np.array(range(3, 0, -1))"), "array i64 [3] 3 2 1");
  EXPECT_EQ(made("A = np.array([[], []])"), "array f64 [2, 0]");
  EXPECT_EQ(made("A = np.array(5)"), "i64 5");
  EXPECT_EQ(made("A = np.float32([1, 2])"), "array f32 [2] 1.0 2.0");
  EXPECT_EQ(made("A = np.full((1, 2), 1j)"), "array c128 [1, 2] (0.0, 1.0) (0.0, 1.0)");
  EXPECT_EQ(made("A = np.zeros_like(np.ones((1, 2), 'f4'))"), "array f32 [1, 2] 0.0 0.0");
  EXPECT_EQ(made("A = np.arange(0, 1, 0.25, dtype=np.float32)"), "array f32 [4] 0.0 0.25 0.5 0.75");
  EXPECT_EQ(made("A = np.linspace(0, 1, 3)"), "array f64 [3] 0.0 0.5 1.0");
  EXPECT_EQ(made("A = np.linspace(0, 1j, 2)"), "array c128 [2] (0.0, 0.0) (0.0, 1.0)");
  EXPECT_EQ(made("A = np.eye(2, 3, k=1, dtype=int)"), "array i64 [2, 3] 0 1 0 0 0 1");
  EXPECT_EQ(made("A = np.concatenate((np.eye(1), [[2, 3]]), axis=1)"), "array f64 [1, 3] 1.0 2.0 3.0");
}

TEST(Arrays, AreNotMadeWhereNumPyRaisesOrProcessorsDiffer) {
  for (const char* text :
       {"np.array([300], np.int8)", "np.array([[1], [2, 3]])", "np.array([1e20]).astype(np.int32)",
        "np.arange(3) + np.arange(2)", "np.arange(3) ** -1", "-np.array([True])", "np.array([1], order='X')",
        "np.zeros(-1)", "np.zeros((1 << 20, 1 << 20))"})
    EXPECT_EQ(made(std::string("A = ") + text), "unknown (not computed)") << text;
}

TEST(Arrays, ViewsShareTheirNumbers) {
  const std::string start = "A = np.arange(6).reshape(2, 3)\n";
  const std::string changed = "array i64 [2, 3] 0 1 2 9 4 5";
  for (const char* text : {"A.T[0, 1] = 9", "A[1][0] = 9", "A.ravel()[3] = 9", "A[::-1, ::2][0, 0] = 9",
                           "np.asarray(A)[-1, 0] = 9", "A.view(np.uint64)[1, 0] = 9",
                           "A[None, ..., 0][0, 1] = 9", "A.reshape(-1)[3:4] += 6", "A.T.T[1, :1].fill(9)"})
    EXPECT_EQ(made(start + text), changed) << text;
  const std::string same = "array i64 [2, 3] 0 1 2 3 4 5";
  for (const char* text :
       {"A.copy()[0, 1] = 9", "A.T.reshape(-1)[1] = 9", "A.flatten()[3] = 9", "np.array(A)[1, 0] = 9",
        "A.astype(int)[:] = 9", "(A + 0)[:] = 9", "A[::1, ::2].ravel()[:] = 9"})
    EXPECT_EQ(made(start + text), same) << text;
  EXPECT_EQ(made("A = np.array([1, 2j])\nA.real[:] = 3\nA.imag[0] = 4"),
            "array c128 [2] (3.0, 4.0) (3.0, 2.0)");
}

TEST(Arrays, ViewsThatAreNotKnownChangeThemWhereTheyAreStoredTo) {
  const std::string start = "A = np.arange(4)\nB = A.view(np.int8)\nC = np.squeeze(A)\nD = A[A > 2]\n";
  EXPECT_EQ(made(start), "array i64 [4] 0 1 2 3");
  EXPECT_EQ(made(start + "B[0] = 1"), "unknown (changed)");
  EXPECT_EQ(made(start + "C[0] = 1"), "unknown (changed)");
  EXPECT_EQ(made(start + "C[1:].view(np.uint8)[0] = 1"), "unknown (changed)");
}

TEST(Arrays, StoresLeaveOlderVersionsAlone) {
  EXPECT_EQ(made("A = np.zeros(3, int)\nB = A.copy()\nfor i in range(3):\n    A[i] = i\n    B[:] = A"),
            "array i64 [3] 0 1 2");
  EXPECT_EQ(made("A = np.arange(3)\nif unknown():\n    A[0] = 5\nelse:\n    A[0] = 5"),
            "array i64 [3] 5 1 2");
  EXPECT_EQ(made("A = np.arange(3)\nif unknown():\n    A[0] = 5\nelse:\n    A[1] = 5"), "unknown (changed)");
  EXPECT_EQ(made("A = np.zeros(5000)\nfor i in range(5000):\n    A[i] = i\nA = A[-2:]"),
            "array f64 [2] 4998.0 4999.0");
}

TEST(Arrays, ComputeInTheirType) {
  EXPECT_EQ(made("A = np.array([100, 1], np.int8) * 2"), "array i8 [2] -56 2");
  EXPECT_EQ(made("A = np.arange(3).reshape(3, 1) + np.arange(2) / 2"),
            "array f64 [3, 2] 0.0 0.5 1.0 1.5 2.0 2.5");
  EXPECT_EQ(made("A = np.arange(2, dtype=np.float32) * 1j"), "array c64 [2] (0.0, 0.0) (0.0, 1.0)");
  EXPECT_EQ(made("A = np.array([True, False]) + True"), "array bool [2] True True");
  EXPECT_EQ(made("A = np.arange(3) ** 2.0"), "array f64 [3] 0.0 1.0 4.0");
  EXPECT_EQ(made("A = ~np.array([True])"), "array bool [1] False");
  EXPECT_EQ(made("A = np.arange(3) > 1"), "array bool [3] False False True");
  EXPECT_EQ(made("A = np.sqrt(np.array([4], np.int8))"), "array f16 [1] 2.0");
  EXPECT_EQ(made("A = np.add(np.arange(2, dtype='i1'), 1)"), "array i8 [2] 1 2");
  EXPECT_EQ(made("A = np.add(2, 3), np.power(np.arange(2) + 0.5, 2)"), "(i64 5, unknown (not computed))");
  EXPECT_EQ(made("A = np.maximum([1, np.nan], 2)"), "array f64 [2] 2.0 nan");
}

TEST(Arrays, SayWhatTheyHave) {
  EXPECT_EQ(
      made("A = np.zeros((2, 3), 'i2')\nA = A.shape, A.size, A.ndim, A.itemsize, A.nbytes, A.dtype.name"),
      "((2, 3), 6, 2, 2, 12, 'int16')");
  EXPECT_EQ(made("A = np.arange(4)\nA = A.sum(), A.max(), A.tolist(), A.item(2)"),
            "(i64 6, i64 3, [0, 1, 2, 3], 2)");
  EXPECT_EQ(made("A = np.iinfo(np.int8).max, np.finfo('f4').eps, np.finfo(np.float16).tiny"),
            "(127, f32 1.1920929e-07, f16 6.1035156e-05)");
  EXPECT_EQ(
      made("A = (1 + 2j) ** 2, (2 - 4j) / 2, complex(1, 2).conjugate(), (3 + 1j).imag, np.float32(1).item()"),
      "(complex(-3.0, 4.0), complex(1.0, -2.0), complex(1.0, -2.0), 1.0, 1.0)");
}

TEST(Arrays, HaveNoFormThatIsKnownWhereItIsSet) {
  const Ran ran(
      "import numpy as np\na = np.zeros(6)\nb = np.zeros(6)\nb.fill(1)\nv = a[1:]\na.shape = (2, 3)\n"
      "A = a.ndim\nB = b.ndim\nC = np.ones_like(v)\n");
  EXPECT_EQ(ran.name("A"), "unknown (not computed)");
  EXPECT_EQ(ran.name("B"), "1");
  EXPECT_TRUE(ran.name("C").starts_with("unknown"));
}

} // namespace
} // namespace kern::python
