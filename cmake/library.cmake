# in: Cargo.toml, src/    out: ${NEARGRID_LIB_DIR}/libneargrid.{so,a} and the targets on them

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "neargrid: CMake builds are for Linux so far; on ${CMAKE_SYSTEM_NAME} use cargo cinstall")
endif()
find_program(NEARGRID_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin" REQUIRED)

# While the version is 0.y every minor version has its own ABI; build.rs says the same.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(NEARGRID_ABI "0.${PROJECT_VERSION_MINOR}")
else()
    set(NEARGRID_ABI "${PROJECT_VERSION_MAJOR}")
endif()

# Libraries that a program must add when it links the archive: rustc's --print native-static-libs on
# Linux, recorded (tests/interfaces/install.rs asks rustc again).
file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/cmake/native-libs.txt" native_libs LIMIT_COUNT 1)
string(REPLACE " " ";" NEARGRID_NATIVE_LIBS "${native_libs}")

# The library is staged under its SONAME, so that programs of the same build tree run too.
set(NEARGRID_LIB_DIR "${CMAKE_CURRENT_BINARY_DIR}/lib")
set(NEARGRID_SHARED "${NEARGRID_LIB_DIR}/libneargrid.so.${PROJECT_VERSION}")
set(NEARGRID_SONAME "libneargrid.so.${NEARGRID_ABI}")
set(NEARGRID_STATIC "${NEARGRID_LIB_DIR}/libneargrid.a")
set(cargo_features "")
if(NOT NEARGRID_GPU)
    set(cargo_features "--no-default-features")
endif()
add_custom_target(neargrid_cargo ALL
    COMMAND "${NEARGRID_CARGO}" build --release --lib --locked ${cargo_features}
        --target-dir "${NEARGRID_CARGO_TARGET_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${NEARGRID_LIB_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different
        "${NEARGRID_CARGO_TARGET_DIR}/release/libneargrid.so" "${NEARGRID_SHARED}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different
        "${NEARGRID_CARGO_TARGET_DIR}/release/libneargrid.a" "${NEARGRID_STATIC}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink
        "libneargrid.so.${PROJECT_VERSION}" "${NEARGRID_LIB_DIR}/${NEARGRID_SONAME}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink
        "${NEARGRID_SONAME}" "${NEARGRID_LIB_DIR}/libneargrid.so"
    BYPRODUCTS "${NEARGRID_SHARED}" "${NEARGRID_STATIC}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "cargo build --release (neargrid ${PROJECT_VERSION})"
    USES_TERMINAL VERBATIM)

add_library(neargrid::shared SHARED IMPORTED GLOBAL)
set_target_properties(neargrid::shared PROPERTIES
    IMPORTED_LOCATION "${NEARGRID_SHARED}"
    IMPORTED_SONAME "${NEARGRID_SONAME}"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_SOURCE_DIR}/include")
add_dependencies(neargrid::shared neargrid_cargo)

add_library(neargrid::static STATIC IMPORTED GLOBAL)
set_target_properties(neargrid::static PROPERTIES
    IMPORTED_LOCATION "${NEARGRID_STATIC}"
    INTERFACE_LINK_LIBRARIES "${NEARGRID_NATIVE_LIBS}"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_SOURCE_DIR}/include")
add_dependencies(neargrid::static neargrid_cargo)

if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
    add_library(neargrid::neargrid ALIAS neargrid::static)
else()
    add_library(neargrid::neargrid ALIAS neargrid::shared)
endif()
