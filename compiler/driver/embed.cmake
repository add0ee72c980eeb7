# Writes OUTPUT, a C++ file with every .kern file of FOLDER: cmake -DFOLDER=... -DOUTPUT=... -P embed.cmake
# A string literal holds at most 64 KiB by the standard, so a text is bytes of an array.
file(GLOB files ${FOLDER}/*.kern)
set(arrays "")
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "static constexpr char ${name}_text[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${name}\", {${name}_text, sizeof ${name}_text - 1}},\n")
endforeach()
file(WRITE ${OUTPUT}.new "// Made from stdlib/ by compiler/driver/embed.cmake.
#include \"compiler/driver/session/modules.h\"

namespace kern {

${arrays}
static constexpr StdlibFile files[] = {
${rows}};

std::span<const StdlibFile> stdlib_files() { return files; }

} // namespace kern
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
