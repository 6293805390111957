# Headers, libraries, clash.pc and the CMake package (find_package(clash): clash::static, clash::shared).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clash DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libclash_dev
  PATTERN client.h EXCLUDE)
install(TARGETS clash_static clash_shared clash_headers EXPORT clash
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libclash_dev
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libclash NAMELINK_COMPONENT libclash_dev)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clash)
install(EXPORT clash NAMESPACE clash:: DESTINATION ${package_dir} FILE clash-library.cmake
  COMPONENT libclash_dev)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/clashConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/clashConfig.cmake.in clashConfig.cmake COPYONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clashConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/clashConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT libclash_dev)
# clash.pc finds the prefix from where it lies itself, so that cmake --install --prefix works and a tree may be moved.
file(RELATIVE_PATH CLASHD_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CLASHD_PREFIX_FROM_PC ${CLASHD_PREFIX_FROM_PC})
configure_file(clash.pc.in clash.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clash.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT libclash_dev)
