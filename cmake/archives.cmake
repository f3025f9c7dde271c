# What ships has the libraries of file formats, SQLite and the like inside: to find, map and relocate
# two dozen shared ones took 3 of the 5 ms of CPU of `frazil sql -e 'SELECT 1'`. Where a library has
# no archive, or FRAZIL_ARCHIVES is OFF, the shared one is linked. Kafka's client and libcrypto stay
# shared: they are what a machine's owner updates in haste.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  set(FRAZIL_ARCHIVES_DEFAULT ON)
else()
  set(FRAZIL_ARCHIVES_DEFAULT OFF)
endif()
option(FRAZIL_ARCHIVES "link archives of libraries where there are any" ${FRAZIL_ARCHIVES_DEFAULT})

# The large ones that are quickly mapped (zstd, pcre2-8, utf8proc) are not worth their size.
set(ARCHIVES z deflate lz4 snappy brotlienc brotlidec bz2 lzma roaring jansson sqlite3 edit)
# What an archive needs itself: other archives, and libraries.
set(ARCHIVE_PARTS_snappy stdc++)
set(ARCHIVE_PARTS_brotlienc brotlicommon)
set(ARCHIVE_PARTS_brotlidec brotlicommon)
set(ARCHIVE_PARTS_edit bsd md tinfo)
set(ARCHIVE_LIBRARIES m ${CMAKE_DL_LIBS} Threads::Threads)

# archive_NAME, where there is a file for it and for what it needs.
function(add_archive name)
  if(TARGET archive_${name})
    return()
  endif()
  set(needs "")
  foreach(part ${ARCHIVE_PARTS_${name}})
    add_archive(${part})
    if(NOT TARGET archive_${part})
      return()
    endif()
    list(APPEND needs archive_${part})
  endforeach()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${name}.a
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${path}") # else it is the name itself
    add_library(archive_${name} STATIC IMPORTED GLOBAL)
    set_target_properties(archive_${name} PROPERTIES IMPORTED_LOCATION "${path}"
      INTERFACE_LINK_LIBRARIES "${needs};${ARCHIVE_LIBRARIES}")
  endif()
endfunction()

# What to link for `name`.
function(library_of name out)
  set(${out} ${name} PARENT_SCOPE)
  if(FRAZIL_ARCHIVES AND name IN_LIST ARCHIVES)
    add_archive(${name})
    if(TARGET archive_${name})
      set(${out} archive_${name} PARENT_SCOPE)
    endif()
  endif()
endfunction()

if(FRAZIL_ARCHIVES)
  # Shared libraries that use one of them keep to their own copy.
  add_link_options(-static-libgcc -Wl,--exclude-libs,ALL -Wl,--gc-sections)
endif()
