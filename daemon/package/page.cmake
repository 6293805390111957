# Says so when packages are made whose clashd has no page, or one that cannot read logs: cmake -DPAGE=DIR -P page.cmake
set(how "The build named the reason: npm's registry was out of reach, or nodejs ca-certificates clang lld wasi-libc libclang-rt-dev-wasm32 are missing; -DCLASHD_VIEWER=ON refuses to build without them.")
if(NOT EXISTS ${PAGE}/index.html)
  message(WARNING "The clashd of these packages has no page: it says at its address why not. ${how}")
elseif(NOT EXISTS ${PAGE}/engine.wasm)
  message(WARNING "The page in these packages cannot read logs: clang could make no WebAssembly. ${how}")
endif()
