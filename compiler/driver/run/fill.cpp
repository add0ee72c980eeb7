// Random numbers come from a hash of seed and place (the finaliser of SplitMix64), so that element i does not
// depend on how many there are.
#include "compiler/driver/run/fill.h"

#include <cstring>
#include <filesystem>

#include "compiler/driver/data/files.h"
#include "compiler/driver/session/modules.h"
#include "runtime/common/random_states.h"

namespace kern {

Result<bool> fill_with(HostArray& array, std::string_view number) {
  Result<Number> value = parse_number(number);
  if (!value) return failure("{}", value.error());
  std::uint64_t element[2] = {};
  if (!store_number(array.element, element, *value))
    return failure("{} does not fit {}", number, name_of(array.element));
  std::size_t step = array.element_bytes();
  for (std::size_t at = 0; at < array.bytes(); at += step) std::memcpy(array.data() + at, element, step);
  return true;
}

Result<bool> fill_arange(HostArray& array) {
  std::size_t step = array.element_bytes();
  for (std::int64_t i = 0; i < array.size(); ++i) {
    Number number{Number::Kind::Signed, i, 0, 0};
    if (!store_number(array.element, array.data() + static_cast<std::size_t>(i) * step, number))
      return failure("{} does not fit {}", i, name_of(array.element));
  }
  return true;
}

void fill_random_states(HostArray& array, std::uint64_t seed, std::uint64_t subsequence) {
  auto count = static_cast<std::size_t>(array.size());
  // The memory of an array is aligned for any element.
  fill_random_states({reinterpret_cast<std::uint64_t*>(array.data()), count}, seed, subsequence);
}

static std::uint64_t hash(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + (place + 1) * 0xd1342543de82ef95u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// The top bits of a word as a fraction that the type holds exactly, so that 1 is never reached by rounding.
static double fraction(ScalarKind kind, std::uint64_t word) {
  int bits = kind == ScalarKind::F16                              ? 11
             : kind == ScalarKind::BF16                           ? 8
             : kind == ScalarKind::F32 || kind == ScalarKind::C64 ? 24
                                                                  : 53;
  return static_cast<double>(word >> (64 - bits)) / static_cast<double>(std::uint64_t(1) << bits);
}

Result<bool> fill_uniform(HostArray& array, std::string_view option) {
  std::uint64_t seed = 0;
  if (!option.empty()) {
    Result<Number> number = parse_number(option.starts_with("seed=") ? option.substr(5) : "");
    if (!number || number->kind != Number::Kind::Signed || number->integer < 0)
      return failure("`{}` is no `seed=N`", option);
    seed = static_cast<std::uint64_t>(number->integer);
  }
  ScalarClass kind = scalar_class(array.element);
  std::size_t step = array.element_bytes();
  for (std::int64_t i = 0; i < array.size(); ++i) {
    char* place = array.data() + static_cast<std::size_t>(i) * step;
    std::uint64_t word = hash(seed, static_cast<std::uint64_t>(i));
    if (kind == ScalarClass::Float || kind == ScalarClass::Complex) {
      Number number{Number::Kind::Real, 0, fraction(array.element, word), 0};
      if (kind == ScalarClass::Complex)
        number = {Number::Kind::Complex, 0, number.real,
                  fraction(array.element, hash(~seed, static_cast<std::uint64_t>(i)))};
      store_number(array.element, place, number);
      continue;
    }
    if (kind == ScalarClass::Boolean) word >>= 63;
    std::memcpy(place, &word, step);
  }
  return true;
}

static Result<bool> check_array_path(const std::string& path) {
  if (path.ends_with(".npy") || path.ends_with(".png")) return true;
  return failure("`{}` is neither a .npy nor a .png file", path);
}

Result<HostArray> read_array_file(const std::string& path) {
  if (Result<bool> named = check_array_path(path); !named) return failure("{}", named.error());
  std::error_code unknown;
  if (std::filesystem::is_character_file(path, unknown) || std::filesystem::is_block_file(path, unknown))
    return failure("`{}` is a device: give a file or a pipe", path);
  std::string why;
  // The bytes and the array that they become stand side by side.
  std::optional<std::string> bytes = read_file(path, why, machine_memory() / 2);
  if (!bytes) return failure("cannot read `{}`: {}", path, why);
  return path.ends_with(".png") ? read_png(*bytes) : read_npy(*bytes);
}

Result<std::string> array_file_bytes(const HostArray& array, const std::string& path) {
  if (Result<bool> named = check_array_path(path); !named) return failure("{}", named.error());
  return path.ends_with(".png") ? write_png(array) : write_npy(array);
}

} // namespace kern
