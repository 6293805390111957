# Packages for Debian, by CPack: `cmake --preset deb && cmake --build --preset deb`, or the target `packages` of any build that
# installs. The target `release` adds the archive of the source, and checksums of all.
#
# One component of `install` is one package. What every package has beside it, and what the layout of Debian wants else, is added by
# finish.cmake when a package is put together.
set(maintainer "the clashd authors <clashd@example.org>")
if(DEFINED ENV{DEBEMAIL}) # as Debian's own tools have it
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CLASHD_MAINTAINER "" CACHE STRING "Who answers for packages made here: NAME <ADDRESS>")
if(CLASHD_MAINTAINER)
  set(maintainer "${CLASHD_MAINTAINER}")
endif()
set(CLASHD_PACKAGE_SUFFIX "" CACHE STRING "Behind the version of packages: ~ and what sorts snapshots before it, + behind it")
set(package_version ${PROJECT_VERSION}${CLASHD_PACKAGE_SUFFIX})

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT clashd)
install(DIRECTORY protocol/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/protocol COMPONENT clashd FILES_MATCHING PATTERN *.md
  PATTERN clients EXCLUDE PATTERN messages EXCLUDE PATTERN json EXCLUDE PATTERN recording EXCLUDE PATTERN schema EXCLUDE
  PATTERN schema_check EXCLUDE PATTERN examples EXCLUDE)
foreach(room daemon daemon/ctl daemon/ctl/demo daemon/layer daemon/viewer) # what the README links
  install(FILES ${room}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${room} COMPONENT clashd)
endforeach()
install(DIRECTORY daemon/viewer/pictures DESTINATION ${CMAKE_INSTALL_DOCDIR}/daemon/viewer COMPONENT clashd)
# The clients that are no C: taken from there into a game, a page, a program.
install(DIRECTORY protocol/clients protocol/schema protocol/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/clashd
  COMPONENT clashd_clients
  PATTERN clients/c EXCLUDE PATTERN .gitignore EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN *.egg-info EXCLUDE
  PATTERN node_modules EXCLUDE PATTERN .godot EXCLUDE)
install(FILES protocol/mqtt.asyncapi.json DESTINATION ${CMAKE_INSTALL_DATADIR}/clashd COMPONENT clashd_clients)
install(DIRECTORY protocol/clients/c/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/clashd/clients/c COMPONENT clashd_clients)

# clashd_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [DEPENDS ..])
function(clashd_package component name section summary description)
  string(TOUPPER ${component} upper)
  foreach(pair "PACKAGE_NAME=${name}" "PACKAGE_SECTION=${section}" "DESCRIPTION=${summary}\n${description}" "PACKAGE_DEPENDS=${ARGN}")
    string(FIND "${pair}" = cut)
    string(SUBSTRING "${pair}" 0 ${cut} key)
    math(EXPR cut "${cut} + 1")
    string(SUBSTRING "${pair}" ${cut} -1 value)
    set(CPACK_DEBIAN_${upper}_${key} "${value}" PARENT_SCOPE)
  endforeach()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(same "= ${package_version}")
set(CPACK_COMPONENTS_ALL)
clashd_package(clashd clashd misc "swept clash detection for VR swords, as a service"
"clashd runs beside a VR game, reads the controllers from OpenXR, and tells
any program that opens its socket when two blades touch: where, when and how
hard. It finds clashes that are shorter than a frame, and invents none. It
records what it saw, and replays it to the last bit.
.
This package has the daemon, clashctl, units for systemd's user managers
(enabled for nobody: systemctl --user enable --now clashd), and the OpenXR API
layer (in no game before clashctl layer enable).")
clashd_package(libclash libclash${CLASHD_ABI} libs "collision detection for VR swords"
"Finds the first instant at which two capsules that move as rigid bodies touch,
or one and a sphere, box, mesh or terrain: continuous collision detection
without dependencies.
.
This package has the shared library.")
clashd_package(libclash_dev libclash-dev libdevel "collision detection for VR swords: development files"
"Finds the first instant at which two capsules that move as rigid bodies touch,
or one and a sphere, box, mesh or terrain: continuous collision detection
without dependencies.
.
This package has the headers, the static library, and what pkg-config and CMake
want." "libclash${CLASHD_ABI} (${same})")
clashd_package(libclash_client libclash-client${CLASHD_ABI} libs "client of clashd, for programs in C"
"Connects to clashd, which finds clashes of VR blades, hands its events to a
program in any loop, and pushes blades, targets and poses of that program.
.
This package has the shared library.")
clashd_package(libclash_client_dev libclash-client-dev libdevel "client of clashd, for programs in C: development files"
"Connects to clashd, which finds clashes of VR blades, hands its events to a
program in any loop, and pushes blades, targets and poses of that program.
.
This package has the header, the static library, and what pkg-config and CMake
want." "libclash-client${CLASHD_ABI} (${same}), libclash-dev (${same}), libcjson-dev, libmd-dev, libwslay-dev")
clashd_package(clashd_clients clashd-clients devel "clients of clashd for Unity, Godot, web pages and others"
"Clients of clashd, which finds clashes of VR blades, as files to be copied into
a game, a page or a program, below /usr/share/clashd/clients; and the schemas
of all messages with examples.")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clashd)
set(CPACK_PACKAGE_VENDOR clashd)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGE_VERSION ${package_version})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
# With DESTDIR what is installed knows where it is going to be.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE clashd)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_DEBIAN_CLASHD_CLIENTS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_CLASHD_CLIENTS_PACKAGE_SHLIBDEPS OFF)
foreach(dev LIBCLASH_DEV LIBCLASH_CLIENT_DEV)
  set(CPACK_DEBIAN_${dev}_PACKAGE_SHLIBDEPS OFF)
endforeach()
set(CPACK_DEBIAN_CLASHD_PACKAGE_SUGGESTS "monado-service, clashd-clients")
set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/daemon/package/deb)
set(CPACK_DEBIAN_CLASHD_PACKAGE_CONTROL_EXTRA "${scripts}/postinst;${scripts}/prerm;${scripts}/postrm")
# Packages made before the minor version was in the name have a library of the same file name.
set(CPACK_DEBIAN_LIBCLASH_PACKAGE_REPLACES libclash0)
set(CPACK_DEBIAN_LIBCLASH_CLIENT_PACKAGE_REPLACES libclash-client0)
foreach(library LIBCLASH LIBCLASH_CLIENT)
  set(CPACK_DEBIAN_${library}_PACKAGE_BREAKS ${CPACK_DEBIAN_${library}_PACKAGE_REPLACES})
  set(CPACK_DEBIAN_${library}_PACKAGE_CONTROL_EXTRA "${scripts}/triggers")
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/daemon/package/finish.cmake)
set(CPACK_CLASHD_DATE "${CLASHD_DATE}")
set(CPACK_CLASHD_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)

add_custom_target(packages COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  COMMAND ${CMAKE_COMMAND} -DPAGE=${PROJECT_BINARY_DIR}/daemon/viewer/made/page -P ${CMAKE_CURRENT_SOURCE_DIR}/daemon/package/page.cmake
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} USES_TERMINAL VERBATIM)
add_custom_target(release COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/daemon/package/release.sh ${CPACK_PACKAGE_DIRECTORY} ${PROJECT_VERSION}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL VERBATIM)
if(CLASHD_DAEMON)
  set(packed clashd clashctl clash_shared clash_static clash_client_shared clash_client_static clash_layer clash_runtime)
  foreach(made manual demo_recording)
    if(TARGET ${made})
      list(APPEND packed ${made})
    endif()
  endforeach()
  add_dependencies(packages ${packed})
endif()
add_dependencies(release packages)
