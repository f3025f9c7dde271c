# The warnings of HACKING.md, for both compilers, on every target.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -Wundef -Wcast-qual -Wswitch-enum -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough
  -Wframe-larger-than=16384)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wduplicated-cond -Wlogical-op)
endif()
if(FRAZIL_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_options(-fno-common -fvisibility=hidden -fno-omit-frame-pointer
  -include ${CMAKE_SOURCE_DIR}/src/base/banned.h)
# -iquote, not -I: our sys/file.h must not stand in for the system's <sys/file.h>.
add_compile_options("SHELL:-iquote ${CMAKE_SOURCE_DIR}/src")
add_compile_definitions(_GNU_SOURCE)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  add_compile_options(-march=x86-64-v2)
endif()
