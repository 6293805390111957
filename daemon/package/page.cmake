# Warns when packages are made whose clashd has no page, or one that cannot read logs, with the cause: cmake -DPAGE=DIR -P page.cmake
if(NOT EXISTS ${PAGE}/index.html)
  set(why "the build did not make it")
  if(EXISTS ${PAGE}/../assets.c)
    file(READ ${PAGE}/../assets.c assets)
    if(assets MATCHES "built without its page, because (.*)\\. Its packages have the page")
      set(why "${CMAKE_MATCH_1}")
    endif()
  endif()
  message(WARNING "The clashd of these packages has no page: ${why}. -DCLASHD_VIEWER=ON refuses to build without it.")
elseif(NOT EXISTS ${PAGE}/engine.wasm)
  message(WARNING "The page in these packages cannot read logs: clang could make no WebAssembly (Debian: clang lld wasi-libc "
    "libclang-rt-dev-wasm32). -DCLASHD_VIEWER=ON refuses to build without it.")
endif()
