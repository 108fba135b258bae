# in: mpi/, the staged core, the site's mpicc    out: ${NEARGRID_LIB_DIR}/libneargrid_mpi.so, the Fortran modules, install rules
#
#   neargrid::mpi           libneargrid_mpi.so, on top of neargrid::shared; the program brings MPI
#   neargrid::mpi_fortran   its Fortran modules, on top of neargrid::fortran

set(NEARGRID_MPICC "mpicc" CACHE STRING "The C compiler of the MPI that libneargrid_mpi is for")
set(NEARGRID_MPI_SHARED "${NEARGRID_LIB_DIR}/libneargrid_mpi.so.${PROJECT_VERSION}")
set(NEARGRID_MPI_SONAME "libneargrid_mpi.so.${NEARGRID_ABI}")
# A folder of its own for cargo: another MPI must not leave anything behind.
string(MAKE_C_IDENTIFIER "${NEARGRID_MPICC}" mpi_name)
set(mpi_target_dir "${NEARGRID_CARGO_TARGET_DIR}/cmake-${mpi_name}")
add_custom_target(neargrid_mpi_cargo ALL
    COMMAND "${CMAKE_COMMAND}" -E env "MPICC=${NEARGRID_MPICC}" "NEARGRID_LIB_DIR=${NEARGRID_LIB_DIR}"
        "${NEARGRID_CARGO}" build --release --lib --locked --package neargrid-mpi --features mpi --target-dir "${mpi_target_dir}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different
        "${mpi_target_dir}/release/libneargrid_mpi.so" "${NEARGRID_MPI_SHARED}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink
        "libneargrid_mpi.so.${PROJECT_VERSION}" "${NEARGRID_LIB_DIR}/${NEARGRID_MPI_SONAME}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink
        "${NEARGRID_MPI_SONAME}" "${NEARGRID_LIB_DIR}/libneargrid_mpi.so"
    BYPRODUCTS "${NEARGRID_MPI_SHARED}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "cargo build --release (neargrid_mpi ${PROJECT_VERSION}, ${NEARGRID_MPICC})"
    USES_TERMINAL VERBATIM)
add_dependencies(neargrid_mpi_cargo neargrid_cargo)

add_library(neargrid::mpi SHARED IMPORTED GLOBAL)
set_target_properties(neargrid::mpi PROPERTIES
    IMPORTED_LOCATION "${NEARGRID_MPI_SHARED}"
    IMPORTED_SONAME "${NEARGRID_MPI_SONAME}"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_SOURCE_DIR}/mpi/include"
    INTERFACE_LINK_LIBRARIES neargrid::shared)
add_dependencies(neargrid::mpi neargrid_mpi_cargo)

neargrid_sources(mpi/fortran/sources.txt NEARGRID_MPI_FORTRAN_SOURCES)
if(NEARGRID_FORTRAN)
    # The modules need no MPI, so that they are compiled by the compiler of the core's.
    add_library(neargrid_mpi_fortran STATIC ${NEARGRID_MPI_FORTRAN_SOURCES})
    add_library(neargrid::mpi_fortran ALIAS neargrid_mpi_fortran)
    set_target_properties(neargrid_mpi_fortran PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        ARCHIVE_OUTPUT_DIRECTORY "${NEARGRID_LIB_DIR}"
        Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules-mpi")
    target_include_directories(neargrid_mpi_fortran PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/modules-mpi")
    target_link_libraries(neargrid_mpi_fortran PUBLIC neargrid_fortran neargrid::mpi)
endif()

if(NEARGRID_INSTALL)
    install(FILES mpi/include/neargrid_mpi.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(PROGRAMS "${NEARGRID_MPI_SHARED}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(FILES "${NEARGRID_LIB_DIR}/${NEARGRID_MPI_SONAME}" "${NEARGRID_LIB_DIR}/libneargrid_mpi.so"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(FILES ${NEARGRID_MPI_FORTRAN_SOURCES} DESTINATION "${CMAKE_INSTALL_DATADIR}/neargrid/fortran")
    install(FILES mpi/fortran/sources.txt DESTINATION "${CMAKE_INSTALL_DATADIR}/neargrid/fortran" RENAME sources_mpi.txt)
    configure_file(cmake/neargrid_mpi.pc.in "${config_dir}/neargrid_mpi.pc" @ONLY)
    install(FILES "${config_dir}/neargrid_mpi.pc" DESTINATION "${pkgconfig_dir}")
    if(NEARGRID_FORTRAN)
        install(TARGETS neargrid_mpi_fortran ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
        install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules-mpi/" DESTINATION "${PACKAGE_MODULES}"
            FILES_MATCHING PATTERN "*.mod")
        configure_file(cmake/neargrid_mpi-fortran.pc.in "${config_dir}/neargrid_mpi-fortran.pc" @ONLY)
        install(FILES "${config_dir}/neargrid_mpi-fortran.pc" DESTINATION "${pkgconfig_dir}")
    endif()
endif()
