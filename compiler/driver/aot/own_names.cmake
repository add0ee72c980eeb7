# Writes OUTPUT, a row of reserved_names.def of what the C headers of FOLDER declare:
# cmake -DFOLDER=... -DOUTPUT=... -P own_names.cmake
file(GLOB headers ${FOLDER}/*.h)
set(names "")
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX MATCHALL "[kK][eE][rR][nN]_[A-Za-z0-9_]+" found "${text}")
  list(APPEND names ${found})
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)
list(JOIN names "\"\n  \" " names)
file(WRITE ${OUTPUT}.new "// Made from the headers by compiler/driver/aot/own_names.cmake.\nRESERVED(Global, \"${names}\")\n")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
