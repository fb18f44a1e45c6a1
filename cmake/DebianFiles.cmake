# SPDX-License-Identifier: BSD-3-Clause
# Run by cpack on what it has collected: Debian wants man pages compressed, without names and times in them, and a
# changelog beside each copyright.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_DIRECTORY}/*)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, if that is set
foreach(file ${files})
  set(compress "")
  if(file MATCHES "/man/man[0-9]/[^/]*[0-9]$")
    set(compress ${file})
  elseif(file MATCHES "/doc/[^/]*/copyright$")
    get_filename_component(folder ${file} DIRECTORY)
    set(compress ${folder}/changelog)
    file(WRITE ${compress} "weft (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}.\n\n"
                           " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  endif()
  if(compress)
    execute_process(COMMAND gzip -9nf ${compress} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
