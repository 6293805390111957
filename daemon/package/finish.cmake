# Run by CPack for what is about to become packages: gives each its copyright and its changelog, and packs what Debian wants packed.

# licence_text(OUT TEXT): a licence, without its lines of copyright, as a field of a Debian copyright file.
function(licence_text out text)
  string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" text "${text}")
  string(REGEX REPLACE "\n\n" "\n.\n" text "${text}")
  string(REGEX REPLACE "\n+$" "" text "${text}")
  string(REPLACE "\n" "\n " text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${usr}/share/doc/${name})
  execute_process(COMMAND date -u -R -d "${CPACK_CLASHD_DATE} 12:00" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(WRITE ${doc}/changelog "clashd (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * What has changed is in /usr/share/doc/clashd/protocol/CHANGES.md, of the\n    package clashd.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(READ ${CPACK_CLASHD_SOURCE}/LICENSE licence)
  string(REGEX MATCH "Copyright[^\n]*" holder "${licence}")
  string(REGEX REPLACE "^Copyright (\\([cC]\\) )?" "" holder "${holder}")
  licence_text(licence "${licence}")
  set(more)
  if(IS_DIRECTORY ${usr}/share/clashd/demo) # the recording of clashctl demo
    file(READ ${usr}/share/clashd/demo/LICENSE.xror bsd)
    licence_text(bsd "${bsd}")
    set(more "\nFiles: usr/share/clashd/demo/*\nCopyright: 2023 MetaGuard\nLicense: BSD-3-Clause\n\nLicense: BSD-3-Clause\n ${bsd}\n")
  endif()
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: clashd\n\n"
    "Files: *\nCopyright: ${holder}\nLicense: Expat\n\nLicense: Expat\n ${licence}\n${more}")
  file(GLOB_RECURSE pages ${usr}/share/man/*.[1-8])
  execute_process(COMMAND gzip -9nf ${doc}/changelog ${pages} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "gzip failed on ${doc}/changelog ${pages}")
  endif()
  if(IS_DIRECTORY ${usr}/share/zsh/site-functions) # where Debian's zsh looks below /usr
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
