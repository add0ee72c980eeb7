// An image pipeline: a PNG comes in, is blurred in colour, the edges of its green channel go out as a PNG.
// Between the two kernels the picture stays on the device.
//
//     image photo.png edges.png
#include <png.h>

#include <cstdio>
#include <vector>

#include "gaussian_blur.kern.hpp"
#include "sobel.kern.hpp"

using Pixels = std::vector<std::uint8_t>;

static bool read_png(const char* path, png_image& picture, Pixels& pixels) {
  picture.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&picture, path)) return false;
  picture.format = PNG_FORMAT_RGB;
  pixels.resize(PNG_IMAGE_SIZE(picture));
  return png_image_finish_read(&picture, nullptr, pixels.data(), 0, nullptr);
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: image IN.png OUT.png\n"), 2;
  png_image picture{};
  Pixels pixels;
  if (!read_png(argv[1], picture, pixels)) return std::fprintf(stderr, "image: %s\n", picture.message), 1;
  const std::int64_t width = picture.width, height = picture.height;

  kern::Device device = kern::Device::best();
  kern::Buffer<std::uint8_t, 3> photo(device, kern::extents(height, width, 3)),
      blurred(device, photo.extents());
  auto edges = kern::zeros<std::uint8_t>(device, height, width);
  photo.copy_from(pixels);
  gaussian_blur::gaussian_blur(kern::over(width, height), photo, blurred);
  // A channel of an interleaved picture is a view with strides: every third byte.
  kern::View<const std::uint8_t, 2> green = blurred.view().select(2, 1);
  sobel::sobel(kern::over(width, height), green, edges);
  pixels.resize(edges.size());
  edges.copy_to(pixels);

  picture.format = PNG_FORMAT_GRAY;
  if (!png_image_write_to_file(&picture, argv[2], 0, pixels.data(), 0, nullptr))
    return std::fprintf(stderr, "image: %s\n", picture.message), 1;
  std::printf("%d x %d on %s\n", static_cast<int>(width), static_cast<int>(height), device.name().c_str());
}
