# Run by CPack for what is about to become packages: gives each its copyright and its changelog, and packs what Debian wants packed.
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
  string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" licence "${licence}")
  string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REGEX REPLACE "\n+$" "" licence "${licence}")
  string(REPLACE "\n" "\n " licence "${licence}")
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: clashd\n\n"
    "Files: *\nCopyright: ${holder}\nLicense: Expat\n\nLicense: Expat\n ${licence}\n")
  file(GLOB_RECURSE pages ${usr}/share/man/*.[1-8])
  execute_process(COMMAND gzip -9nf ${doc}/changelog ${pages} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "gzip failed on ${doc}/changelog ${pages}")
  endif()
  if(IS_DIRECTORY ${usr}/share/zsh/site-functions) # where Debian's zsh looks below /usr
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
