# in: tests/interfaces/consumer/programs/, the staged library    out: what ctest runs: programs that compare pairs with their own double loop

enable_testing()
foreach(name handle dropin)
    add_executable(test_${name}_c tests/interfaces/consumer/programs/c/${name}.c)
    set_target_properties(test_${name}_c PROPERTIES C_STANDARD 99)
    target_link_libraries(test_${name}_c PRIVATE neargrid::neargrid)
    add_test(NAME ${name}_c COMMAND test_${name}_c)
    if(NEARGRID_FORTRAN)
        add_executable(test_${name}_fortran tests/interfaces/consumer/programs/fortran/${name}.f90)
        target_link_libraries(test_${name}_fortran PRIVATE neargrid::fortran)
        add_test(NAME ${name}_fortran COMMAND test_${name}_fortran)
    endif()
endforeach()
