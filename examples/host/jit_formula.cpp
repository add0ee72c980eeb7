// Formulas that a user types become kernels while the program runs, on the first GPU or on the CPU.
//
//     jit_formula 'math.sin(t) * t' '2 * t + 1'
//
// A formula that is wrong shows where, and the program goes on with the next one; a warning of the compiler
// stands before the values. Formulas need not be trusted: a kernel reaches its arguments only.
#include <cstdio>
#include <vector>

#include <kern/jit.hpp>

// y[i] = formula of t, which runs from 0 to 1.
static void evaluate(const kern::Device& device, const std::string& formula, std::vector<double>& y) {
  kern::CompileOptions options;
  options.name = "formula";
  std::vector<kern::Diagnostic> said; // errors are in the CompileError as well
  options.diagnostics = &said;
  kern::Module module = kern::compile(device,
                                      "@kernel\n"
                                      "def evaluate(y: f64[:]):\n"
                                      "    i = grid(1)\n"
                                      "    if i < y.size:\n"
                                      "        t = f64(i) / f64(y.size - 1)\n"
                                      "        y[i] = " +
                                          formula + "\n",
                                      options);
  for (const kern::Diagnostic& warning : said) std::printf("%s", warning.text.c_str());
  auto kernel = module.kernel<void(kern::View<double>)>("evaluate");
  kernel(kern::over(y.size()), kern::out(y));
}

int main(int count, char** formulas) {
  kern::Device device = kern::Device::best();
  std::printf("on %s\n", device.name().c_str());
  std::vector<double> y(5);
  for (int i = 1; i < count; ++i) {
    try {
      evaluate(device, formulas[i], y);
      std::printf("%s:", formulas[i]);
      for (double value : y) std::printf(" %g", value);
      std::printf("\n");
    } catch (const kern::CompileError& error) {
      std::printf("%s\n", error.what());
    } catch (const kern::KernelFault& fault) {
      std::printf("%s\n", fault.what());
    }
  }
}
