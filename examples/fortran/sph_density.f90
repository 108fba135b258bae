!> The density of SPH particles: the sum of a kernel over each particle and its neighbors, by a formula and without a list.
!>
!>     gfortran sph_density.f90 $(pkg-config --cflags --libs neargrid-fortran) -o sph_density
!>     ./sph_density
program sph_density
    use, intrinsic :: iso_fortran_env, only: real64
    use neargrid, only: neargrid_formula, neargrid_precision_double, neargrid_search
    implicit none (type, external)
    integer, parameter :: edge = 20, n = edge**3
    real(real64), parameter :: pi = acos(-1.0_real64)
    real(real64), parameter :: dx = 0.05_real64, h = 1.5_real64*dx
    type(neargrid_search) :: search
    type(neargrid_formula) :: density
    real(real64) :: x(3, n), mass(n)
    real(real64), allocatable :: rho(:), members(:)
    integer :: i

    do i = 1, n             ! a cube of particles, one in each cell of a lattice
        x(:, i) = (modulo([i - 1, (i - 1)/edge, (i - 1)/edge**2], edge) + 0.5_real64)*dx
    end do
    mass = 1000*dx**3       ! of water
    call search%create()
    call search%set_cutoff(2*h)
    call search%set_points(x)

    ! Wendland's C2 kernel in three dimensions, which reaches c = 2 h.
    call density%create("w = (1 - r/c)**4 * (1 + 4*r/c);  rho += m_j*norm*w;  members += 1")
    call density%set_precision(neargrid_precision_double)
    call density%set_include_self(.true.)
    call search%set("m", mass)                      ! a value for each particle
    call density%set("norm", 21/(16*pi*h**3))       ! a constant
    call search%run(density)
    call search%get("rho", rho)
    call search%get("members", members)

    print "(i0, a, f0.1, a)", n, " particles, ", sum(members)/n - 1, " neighbors each on average"
    print "(2(a, f0.1))", "density at most ", maxval(rho), ", at a corner ", rho(1)
    call density%destroy()
    call search%destroy()
end program sph_density
