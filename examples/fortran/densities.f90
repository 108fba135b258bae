!> The density of a clustered cloud around each point, from the distance of its 8th nearest neighbor:
!> no cutoff is needed, however the densities differ.
!>
!>     gfortran densities.f90 $(pkg-config --cflags --libs neargrid-fortran) -o densities
!>     ./densities
program densities
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: real64
    use neargrid, only: neargrid_search
    implicit none (type, external)
    integer, parameter :: n = 20000
    integer(c_int), parameter :: k = 8
    real(real64), parameter :: pi = acos(-1.0_real64)
    type(neargrid_search) :: search
    real(real64) :: x(3, n), center(3), radius, rho(n)
    real(real64), pointer :: distances(:, :)
    integer(c_int), pointer :: ids(:, :)
    integer :: i, clump

    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)
    do i = 1, n/2                                     ! half of the points in clumps, ever denser
        clump = mod(i, 5)
        center = [1, 2, 3]*0.2_real64 + 0.05_real64*clump
        radius = 0.1_real64**(1 + clump)
        x(:, i) = center + radius*(x(:, i) - 0.5_real64)
    end do

    call search%create()
    call search%set_points(x)
    call search%knn(k, ids, distances)                ! ids(k, n), nearest first; views, no copies
    do i = 1, n
        rho(i) = k/(4*pi/3*distances(k, i)**3)
    end do
    print "(a, es9.2, a, es9.2)", "densities from", minval(rho), " to", maxval(rho)
    i = maxloc(rho, dim=1)
    print "(a, i0, a, *(1x, i0))", "the densest point is ", i, ", beside", ids(:, i)
    call search%destroy()
end program densities
