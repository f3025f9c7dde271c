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

set(ARCHIVES z deflate zstd lz4 snappy brotlienc brotlidec bz2 lzma roaring jansson sqlite3 pcre2-8
  utf8proc edit)
# What an archive needs itself.
set(ARCHIVE_NEEDS_snappy stdc++)
set(ARCHIVE_NEEDS_brotlienc brotlicommon)
set(ARCHIVE_NEEDS_brotlidec brotlicommon)
set(ARCHIVE_NEEDS_edit bsd md tinfo)

function(find_archive name out)
  if(NOT DEFINED CACHE{ARCHIVE_${name}})
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${name}.a
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${path}") # the name itself: there is none
      set(path "")
    endif()
    set(ARCHIVE_${name} "${path}" CACHE INTERNAL "archive of ${name}")
  endif()
  set(${out} "${ARCHIVE_${name}}" PARENT_SCOPE)
endfunction()

# What to link for `name`.
function(library_of name out)
  set(files "")
  if(FRAZIL_ARCHIVES AND name IN_LIST ARCHIVES)
    foreach(part ${name} ${ARCHIVE_NEEDS_${name}})
      find_archive(${part} file)
      if(NOT file)
        set(files "")
        break()
      endif()
      list(APPEND files ${file})
    endforeach()
  endif()
  if(files)
    set(${out} ${files} PARENT_SCOPE)
  else()
    set(${out} ${name} PARENT_SCOPE)
  endif()
endfunction()

if(FRAZIL_ARCHIVES)
  # Shared libraries that use one of them keep to their own copy.
  add_link_options(-static-libgcc -Wl,--exclude-libs,ALL)
endif()
