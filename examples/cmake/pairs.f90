!> The pairs of four points. CMakeLists.txt beside this file says how to build it.
program pairs
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: real64
    use neargrid, only: neargrid_search
    implicit none (type, external)
    type(neargrid_search) :: search
    real(real64) :: x(3, 4)
    integer(c_int), pointer :: pair_i(:), pair_j(:)
    integer :: k

    x = 0.5_real64
    x(:, 1) = 0
    x(:, 2) = [0.05_real64, 0.0_real64, 0.0_real64]
    x(3, 4) = 0.58_real64
    call search%create()
    call search%set_cutoff(0.1_real64)
    call search%set_points(x)
    call search%pairs(pair_i, pair_j)
    print "(i0, 1x, i0)", (pair_i(k), pair_j(k), k=1, size(pair_i))
    call search%destroy()
end program pairs
