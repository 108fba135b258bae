# in: NEARGRID_FORTRAN_SOURCES    out: libneargrid_fortran.a and its modules (they fit one compiler only)

enable_language(Fortran)

# gfortran's module format changes with its major version at most.
string(TOLOWER "${CMAKE_Fortran_COMPILER_ID}" compiler)
if(compiler STREQUAL "gnu")
    set(compiler "gfortran")
endif()
string(REGEX MATCH "^[0-9]+" compiler_major "${CMAKE_Fortran_COMPILER_VERSION}")
set(NEARGRID_MODULE_SUBDIR "neargrid/${compiler}-${compiler_major}")

add_library(neargrid_fortran STATIC ${NEARGRID_FORTRAN_SOURCES})
add_library(neargrid::fortran ALIAS neargrid_fortran)
set_target_properties(neargrid_fortran PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    ARCHIVE_OUTPUT_DIRECTORY "${NEARGRID_LIB_DIR}"
    Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules")
target_include_directories(neargrid_fortran PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/modules")
target_link_libraries(neargrid_fortran PUBLIC neargrid::neargrid)
