# in: mpi/, the staged library, the site's mpicc    out: libneargrid_mpi.a, its Fortran module, install rules
#
#   neargrid::mpi           libneargrid_mpi.a: communicators from those of MPI, on top of neargrid::neargrid
#   neargrid::mpi_fortran   the module neargrid_mpi, on top of neargrid::fortran

set(NEARGRID_MPICC "mpicc" CACHE STRING "The C compiler of the MPI that libneargrid_mpi is for")
find_program(MPI_C_COMPILER "${NEARGRID_MPICC}" REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)

add_library(neargrid_mpi STATIC mpi/comm/neargrid_comm_mpi.c)
add_library(neargrid::mpi ALIAS neargrid_mpi)
set_target_properties(neargrid_mpi PROPERTIES
    C_STANDARD 11
    C_STANDARD_REQUIRED ON
    POSITION_INDEPENDENT_CODE ON
    ARCHIVE_OUTPUT_DIRECTORY "${NEARGRID_LIB_DIR}")
target_include_directories(neargrid_mpi PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/mpi/comm")
target_link_libraries(neargrid_mpi PUBLIC neargrid::neargrid MPI::MPI_C)

if(NEARGRID_FORTRAN)
    # The module needs no MPI, so that it is compiled by the compiler of the others.
    add_library(neargrid_mpi_fortran STATIC mpi/fortran/neargrid_mpi.f90)
    add_library(neargrid::mpi_fortran ALIAS neargrid_mpi_fortran)
    set_target_properties(neargrid_mpi_fortran PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        ARCHIVE_OUTPUT_DIRECTORY "${NEARGRID_LIB_DIR}"
        Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules-mpi")
    target_include_directories(neargrid_mpi_fortran PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/modules-mpi")
    target_link_libraries(neargrid_mpi_fortran PUBLIC neargrid_fortran neargrid_mpi)
endif()

if(NEARGRID_INSTALL)
    install(FILES mpi/comm/neargrid_comm_mpi.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(TARGETS neargrid_mpi ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
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
