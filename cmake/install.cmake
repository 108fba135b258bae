# in: the staged libraries, include/, fortran/    out: the installed tree, movable as a whole

set(cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/neargrid")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(config_dir "${CMAKE_CURRENT_BINARY_DIR}/config")

install(FILES include/neargrid.h include/neargrid.hpp include/celllist.h include/neargrid_celllist.h include/neargrid_sum.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(PROGRAMS "${NEARGRID_SHARED}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES
    "${NEARGRID_LIB_DIR}/${NEARGRID_SONAME}" "${NEARGRID_LIB_DIR}/libneargrid.so" "${NEARGRID_STATIC}"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# The sources go along whatever the compiler and the MPI: anyone with another one compiles them.
install(FILES ${NEARGRID_FORTRAN_SOURCES} fortran/sources.txt
    DESTINATION "${CMAKE_INSTALL_DATADIR}/neargrid/fortran")
install(FILES mpi/comm/neargrid_comm_mpi.h mpi/comm/neargrid_comm_mpi.c mpi/fortran/neargrid_mpi.f90
    DESTINATION "${CMAKE_INSTALL_DATADIR}/neargrid/mpi")
install(FILES LICENSE-MIT LICENSE-APACHE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# A release has the licenses of the crates in the library; a clone does not.
install(FILES THIRD-PARTY-LICENSES.txt DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)

# Pages and examples, laid out as in the source tree, so that their links hold. Those for developers go along for that reason.
install(FILES README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "tools" EXCLUDE)
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY mpi/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}/mpi")

# pkg-config finds the prefix from where the .pc file lies.
file(RELATIVE_PATH PC_PREFIX
    "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
list(TRANSFORM NEARGRID_NATIVE_LIBS PREPEND "-l" OUTPUT_VARIABLE PC_NATIVE_LIBS)
list(JOIN PC_NATIVE_LIBS " " PC_NATIVE_LIBS)
configure_file(cmake/neargrid.pc.in "${config_dir}/neargrid.pc" @ONLY)
install(FILES "${config_dir}/neargrid.pc" DESTINATION "${pkgconfig_dir}")

set(PACKAGE_MODULES "")
if(NEARGRID_FORTRAN)
    set(PACKAGE_MODULES "${CMAKE_INSTALL_INCLUDEDIR}/${NEARGRID_MODULE_SUBDIR}")
    install(TARGETS neargrid_fortran ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules/" DESTINATION "${PACKAGE_MODULES}"
        FILES_MATCHING PATTERN "*.mod")
    configure_file(cmake/neargrid-fortran.pc.in "${config_dir}/neargrid-fortran.pc" @ONLY)
    install(FILES "${config_dir}/neargrid-fortran.pc" DESTINATION "${pkgconfig_dir}")
endif()

set(PACKAGE_INCLUDE "${CMAKE_INSTALL_INCLUDEDIR}")
set(PACKAGE_LIB "${CMAKE_INSTALL_LIBDIR}")
configure_package_config_file(cmake/neargrid-config.cmake.in "${config_dir}/neargrid-config.cmake"
    INSTALL_DESTINATION "${cmake_dir}" PATH_VARS PACKAGE_INCLUDE PACKAGE_LIB PACKAGE_MODULES)
write_basic_package_version_file("${config_dir}/neargrid-config-version.cmake"
    VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
install(FILES "${config_dir}/neargrid-config.cmake" "${config_dir}/neargrid-config-version.cmake"
    DESTINATION "${cmake_dir}")
