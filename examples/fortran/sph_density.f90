!> The density of SPH particles: the sum of a kernel over each particle and its neighbors.
!>
!>     gfortran sph_density.f90 $(pkg-config --cflags --libs neargrid-fortran) -o sph_density
!>     ./sph_density
program sph_density
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_search
    implicit none (type, external)
    integer, parameter :: edge = 20, n = edge**3
    real(real64), parameter :: dx = 0.05_real64, h = 1.5_real64*dx, mass = 1000*dx**3  ! of water
    type(neargrid_search) :: search
    real(real64) :: x(3, n), rho(n)
    integer(int64), pointer :: offsets(:)
    integer(c_int), pointer :: ids(:)
    integer :: i, k

    do i = 1, n             ! a cube of particles, one in each cell of a lattice
        x(:, i) = (modulo([i - 1, (i - 1)/edge, (i - 1)/edge**2], edge) + 0.5_real64)*dx
    end do
    call search%create()
    call search%set_cutoff(2*h)
    call search%set_points(x)
    call search%neighbors(offsets, ids, full=.true.)    ! each particle's row has all its neighbors

    do i = 1, n
        rho(i) = mass*kernel(0.0_real64)                ! a row does not list its own particle
        do k = int(offsets(i)), int(offsets(i + 1)) - 1
            rho(i) = rho(i) + mass*kernel(norm2(x(:, i) - x(:, ids(k))))
        end do
    end do
    print "(i0, a, i0, a)", n, " particles, ", size(ids)/n, " neighbors each on average"
    print "(2(a, f0.1))", "density at most ", maxval(rho), ", at a corner ", rho(1)
    call search%destroy()

contains

    !> Wendland's C2 kernel in three dimensions, which reaches 2 h.
    pure real(real64) function kernel(r) result(w)
        real(real64), intent(in) :: r
        real(real64), parameter :: pi = acos(-1.0_real64)

        w = 21/(16*pi*h**3)*max(0.0_real64, 1 - r/(2*h))**4*(1 + 2*r/h)
    end function kernel

end program sph_density
