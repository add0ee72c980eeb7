// Arrays in files: NumPy's .npy, and .png pictures as arrays of bytes. The readers take hostile bytes:
// whatever stands there, the answer is an array or a sentence.
#pragma once

#include <string>
#include <string_view>

#include "compiler/driver/data/array.h"

namespace kern {

// Reads a .npy file (versions 1 to 3, every number type of NumPy, C and Fortran order, little-endian; two
// bytes of no type are bf16).
Result<HostArray> read_npy(std::string_view bytes);
// Writes a .npy file, in C order. bf16, which NumPy has not, is written as u16 with its bits.
std::string write_npy(const HostArray& array);
// Returns the type of a record as such a file has it, with what lies between the fields: "[('x', '<f4')]".
std::string record_descr(Type record);

// Reads a picture with 8 bits a channel: grey as u8 (rows, columns), RGB and RGBA as u8 (rows, columns, 3 or
// 4). A palette becomes RGB, fewer bits become 8; no gamma is applied.
Result<HostArray> read_png(std::string_view bytes);
// Writes a picture: u8, bool (black and white) or floats (0 to 1, clamped), of extents (rows, columns) or
// (rows, columns, 1, 3 or 4).
Result<std::string> write_png(const HostArray& array);

} // namespace kern
