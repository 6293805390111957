# Runs when clashd is installed: the units with the paths that they have there, whatever `cmake --install --prefix` said.
function(clashd_full out directory)
  if(NOT IS_ABSOLUTE "${directory}")
    set(directory "${CMAKE_INSTALL_PREFIX}/${directory}")
  endif()
  set(${out} "${directory}" PARENT_SCOPE)
endfunction()

clashd_full(CMAKE_INSTALL_FULL_BINDIR "${clashd_bin}")
clashd_full(CMAKE_INSTALL_FULL_DATADIR "${clashd_data}")
# As systemd wants what it would take for an end of the word, or for something to fill in.
string(REPLACE "%" "%%" CMAKE_INSTALL_FULL_BINDIR "${CMAKE_INSTALL_FULL_BINDIR}")
string(REPLACE " " "\\x20" CMAKE_INSTALL_FULL_BINDIR "${CMAKE_INSTALL_FULL_BINDIR}")
foreach(unit clashd.service clashd.socket hardened.conf)
  configure_file("${clashd_units}/${unit}" "${clashd_made}/${unit}" @ONLY)
endforeach()
file(INSTALL "${clashd_made}/clashd.service" "${clashd_made}/clashd.socket"
  DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/user")
file(INSTALL "${clashd_made}/hardened.conf" DESTINATION "${CMAKE_INSTALL_FULL_DATADIR}/clashd")
if("$ENV{DESTDIR}" STREQUAL "" AND NOT CMAKE_INSTALL_PREFIX MATCHES "^/usr(/local)?$")
  message(STATUS "systemd does not look for units below ${CMAKE_INSTALL_PREFIX}; it is told where they are by\n"
    "     systemctl --user link '${CMAKE_INSTALL_PREFIX}/lib/systemd/user/clashd.service'\n"
    "     systemctl --user link '${CMAKE_INSTALL_PREFIX}/lib/systemd/user/clashd.socket'")
endif()
