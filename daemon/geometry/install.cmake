# Headers, libraries, clash.pc and the CMake package (find_package(clash): clash::static, clash::shared).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clash DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS clash_static clash_shared clash_headers EXPORT clash
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clash)
install(EXPORT clash NAMESPACE clash:: DESTINATION ${package_dir} FILE clashConfig.cmake)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/clashConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clashConfigVersion.cmake DESTINATION ${package_dir})
configure_file(clash.pc.in clash.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clash.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
