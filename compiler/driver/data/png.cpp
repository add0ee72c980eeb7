// Pictures through libpng. Its errors leave by longjmp, so the functions that call it own nothing that would
// need a destructor: every buffer belongs to their caller.
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>

#include "compiler/driver/data/files.h"

namespace kern {

namespace {

struct Reader {
  std::string_view bytes;
  png_structp png = nullptr;
  png_infop info = nullptr;
  png_uint_32 width = 0, height = 0, channels = 0, depth = 0;
  char message[128] = {};

  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct Writer {
  std::string bytes;
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~Writer() { png_destroy_write_struct(&png, &info); }
};

void keep_message(png_structp png, png_const_charp text) {
  auto* reader = static_cast<Reader*>(png_get_error_ptr(png));
  if (reader) std::strncpy(reader->message, text, sizeof reader->message - 1);
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (reader->bytes.size() < count) png_error(png, "the file ends too early");
  std::memcpy(to, reader->bytes.data(), count);
  reader->bytes.remove_prefix(count);
}

void give_bytes(png_structp png, png_bytep from, std::size_t count) {
  static_cast<Writer*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<const char*>(from), count);
}

} // namespace

// Reads up to the pixels and asks for 8 bits a channel; false where the file is malformed.
static bool read_header(Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_set_read_fn(reader.png, &reader, take_bytes);
  png_read_info(reader.png, reader.info);
  reader.depth = png_get_bit_depth(reader.png, reader.info);
  png_set_expand(reader.png); // palettes, transparency and fewer than 8 bits
  png_set_interlace_handling(reader.png);
  png_byte color = png_get_color_type(reader.png, reader.info);
  if (color == PNG_COLOR_TYPE_GRAY_ALPHA) png_set_gray_to_rgb(reader.png);
  if (color == PNG_COLOR_TYPE_GRAY && png_get_valid(reader.png, reader.info, PNG_INFO_tRNS))
    png_set_gray_to_rgb(reader.png);
  png_read_update_info(reader.png, reader.info);
  reader.width = png_get_image_width(reader.png, reader.info);
  reader.height = png_get_image_height(reader.png, reader.info);
  reader.channels = png_get_channels(reader.png, reader.info);
  return true;
}

static bool read_rows(Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

Result<HostArray> read_png(std::string_view bytes) {
  if (!bytes.starts_with("\x89PNG\r\n\x1a\n"))
    return failure("it is no .png file: its first bytes are others");
  Reader reader;
  reader.bytes = bytes;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, keep_message, ignore_warning);
  reader.info = reader.png ? png_create_info_struct(reader.png) : nullptr;
  if (!reader.info) return failure("there is no memory to read it");
  if (!read_header(reader)) return failure("libpng: {}", reader.message);
  if (reader.depth > 8) return failure("it has {} bits a channel, and kernc reads 8", reader.depth);
  // Compression makes at most 1032 bytes of one, so a small file cannot ask for much memory.
  if (std::uint64_t(reader.width) * reader.height / 8 > bytes.size() * 1100)
    return failure("the file ends too early for {} x {} pixels", reader.width, reader.height);
  std::vector<std::int64_t> extents = {reader.height, reader.width};
  if (reader.channels > 1) extents.push_back(reader.channels);
  Result<HostArray> array = make_array(ScalarKind::U8, extents);
  if (!array) return array;
  std::vector<png_bytep> rows(reader.height);
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row] = reinterpret_cast<png_bytep>(array->data()) + row * reader.width * reader.channels;
  if (!read_rows(reader, rows.data())) return failure("libpng: {}", reader.message);
  return array;
}

static bool write_picture(Writer& writer, png_uint_32 width, png_uint_32 height, int color, png_bytepp rows) {
  if (setjmp(png_jmpbuf(writer.png))) return false;
  png_set_write_fn(writer.png, &writer, give_bytes, nullptr);
  png_set_compression_level(writer.png, 6);
  png_set_IHDR(writer.png, writer.info, width, height, 8, color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  png_write_image(writer.png, rows);
  png_write_end(writer.png, writer.info);
  return true;
}

static png_byte pixel(ScalarKind element, const char* place) {
  double value = as_real(load_number(element, place));
  if (element == ScalarKind::U8) return static_cast<png_byte>(value);
  // A NaN is black.
  return static_cast<png_byte>(std::lround(255 * std::min(std::fmax(value, 0.0), 1.0)));
}

Result<std::string> write_png(const HostArray& array) {
  const auto& extents = array.extents;
  bool grey = extents.size() == 2 || (extents.size() == 3 && extents[2] == 1);
  bool rgb = extents.size() == 3 && extents[2] == 3, rgba = extents.size() == 3 && extents[2] == 4;
  ScalarClass kind = scalar_class(array.element);
  if (array.element != ScalarKind::U8 && kind != ScalarClass::Boolean && kind != ScalarClass::Float)
    return failure("a picture is made of u8, bool, or floats from 0 to 1, and this array is {}",
                   describe(array));
  if (!grey && !rgb && !rgba)
    return failure(
        "a picture has extents (rows, columns) or (rows, columns, 1, 3 or 4), and this array is {}",
        describe(array));
  if (array.size() == 0 || extents[0] > 1'000'000 || extents[1] > 1'000'000)
    return failure("a picture has 1 to 1000000 rows and columns, and this array is {}", describe(array));
  std::vector<png_byte> pixels(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = pixel(array.element, array.at(static_cast<std::int64_t>(i)));
  std::vector<png_bytep> rows(static_cast<std::size_t>(extents[0]));
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row] = pixels.data() + row * (pixels.size() / rows.size());
  Writer writer;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, keep_message, ignore_warning);
  writer.info = writer.png ? png_create_info_struct(writer.png) : nullptr;
  int color = grey ? PNG_COLOR_TYPE_GRAY : rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
  bool written = writer.info && write_picture(writer, static_cast<png_uint_32>(extents[1]),
                                              static_cast<png_uint_32>(extents[0]), color, rows.data());
  if (!written) return failure("libpng cannot write it");
  return std::move(writer.bytes);
}

} // namespace kern
