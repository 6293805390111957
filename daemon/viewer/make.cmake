# Makes assets.c, with the page, or with the reason why clashd has none: cmake -DWANTED=AUTO|ON -DNODE=.. -DNPM=.. -DOUT=DIR -DWASM=FILE,..
# -P make.cmake. NPM may be empty.
set(here ${CMAKE_CURRENT_LIST_DIR})
file(MAKE_DIRECTORY ${OUT})

# clashd shows it in one line at its address.
function(without reason remedy)
  file(REMOVE_RECURSE ${OUT}/page) # of an earlier build
  set(text "clashd was built without its page, because ${reason}. Its packages have the page; or ${remedy} and \
build it anew with -DCLASHD_VIEWER=ON. Everything else works: the WebSocket is at this address, and /metrics.")
  file(WRITE ${OUT}/assets.c "/* Made by make.cmake. */\n#include \"viewer/viewer.h\"\n\n"
    "static const web_assets none = {NULL, 0, \"${text}\"};\n\nconst web_assets *viewer_assets(void)\n{\n    return &none;\n}\n")
endfunction()

if(REASON)
  without("${REASON}" "install nodejs (18 or newer)")
  return()
endif()
if(NOT NPM)
  set(NPM "")
endif()
set(ENV{NPM} "${NPM}")
execute_process(COMMAND ${NODE} ${here}/packages.mjs RESULT_VARIABLE failed)
if(failed AND WANTED STREQUAL "AUTO")
  message(NOTICE "clashd is built without its page: the packages that it is made of cannot be downloaded from npm's registry (see above). -DCLASHD_VIEWER=ON tries again")
  without("the packages that it is made of could not be downloaded from npm's registry" "make the registry reachable")
  return()
elseif(failed)
  message(FATAL_ERROR "the packages that clashd's page is made of cannot be installed: is npm's registry within reach? -DCLASHD_VIEWER=OFF builds without the page")
endif()
set(words)
string(REPLACE "," ";" WASM "${WASM}")
foreach(file ${WASM})
  list(APPEND words --wasm ${file})
endforeach()
foreach(step "${here}/build.mjs;--out;${OUT}/page;${words}" "${here}/embed.mjs;${OUT}/page;${OUT}/assets.c")
  execute_process(COMMAND ${NODE} ${step} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "clashd's page cannot be made: see above")
  endif()
endforeach()
