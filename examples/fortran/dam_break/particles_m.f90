!> The particles: a column of fluid at rest, and walls made of fixed particles.
module particles_m
    use settings_m, only: dp, settings
    implicit none (type, external)
    private

    public :: particles, tait_gamma, fluid_kind, wall_kind
    public :: make_particles, allocate_particles, update_smoothing, pressure_of, density_of

    real(dp), parameter :: tait_gamma = 7   !! exponent of the equation of state of water
    integer, parameter :: fluid_kind = 0, wall_kind = 1

    !> One array per quantity, fluid first: 1 .. n_fluid, then walls up to n.
    !> In two dimensions z and all that points along it stay 0.
    type :: particles
        integer :: n_fluid = 0, n = 0
        real(dp), allocatable :: x(:), y(:), z(:)       !! position, y is up
        real(dp), allocatable :: vx(:), vy(:), vz(:)    !! velocity, 0 for walls
        real(dp), allocatable :: ax(:), ay(:), az(:)    !! acceleration
        real(dp), allocatable :: rho(:), p(:), vol(:)   !! density, pressure, volume
        real(dp), allocatable :: drho(:)                !! rate of change of density
        real(dp), allocatable :: gx(:), gy(:), gz(:)    !! density gradient
        real(dp), allocatable :: mass(:)
        real(dp), allocatable :: h(:)                   !! smoothing length
    end type particles

contains

    !> Fluid and walls on one cubic lattice whose cell faces lie on the tank's inner surface.
    !> Periodic sides have no walls: there the lattice goes on with its other end.
    subroutine make_particles(s, q)
        type(settings), intent(in) :: s
        type(particles), intent(out) :: q

        integer :: inner(3), lo(3), hi(3), i, j, k, pass, n_fluid, n_wall, at

        inner = max(1, nint(s%tank*s%cells))
        lo = -s%layers
        hi = [inner(1) + s%layers, inner(2), inner(3) + s%layers] - 1
        if (s%dim == 2) inner(3) = 1
        if (s%dim == 2 .or. s%periodic_sides) then
            lo(3) = 0; hi(3) = inner(3) - 1
        end if
        ! the first pass counts, the second one fills
        do pass = 1, 2
            n_fluid = 0; n_wall = 0
            do i = lo(1), hi(1)
                do k = lo(3), hi(3)
                    do j = lo(2), hi(2)
                        if (is_wall([i, j, k])) then
                            n_wall = n_wall + 1
                            at = q%n_fluid + n_wall
                        else if (is_fluid([i, j, k])) then
                            n_fluid = n_fluid + 1
                            at = n_fluid
                        else
                            cycle
                        end if
                        if (pass == 1) cycle
                        q%x(at) = (i + 0.5_dp)*s%dx
                        q%y(at) = (j + 0.5_dp)*s%dx
                        if (s%dim == 3) q%z(at) = (k + 0.5_dp)*s%dx
                    end do
                end do
            end do
            if (pass == 1) call allocate_particles(q, n_fluid, n_wall)
        end do
        if (s%periodic_sides) q%z = modulo(q%z + s%shift*s%width, s%period)
        call set_at_rest(s, q)

    contains

        pure logical function is_fluid(c)
            integer, intent(in) :: c(3)

            is_fluid = all(c >= 0) .and. all(c < inner) .and. c(1) < s%cells &
                .and. c(2) < nint(s%column_height*s%cells)
        end function is_fluid

        !> Outside the open-topped tank, or in the outer layers of the obstacle.
        pure logical function is_wall(c)
            integer, intent(in) :: c(3)

            integer :: box_lo(3), box_hi(3), depth, axis
            logical :: has_faces

            is_wall = any(c < 0) .or. any(c >= inner)
            if (is_wall) return
            box_lo = nint(s%obstacle_lo*s%cells)
            box_hi = nint(s%obstacle_hi*s%cells)
            if (s%dim == 2) box_hi(3) = box_lo(3) + 1
            if (any(c < box_lo) .or. any(c >= box_hi)) return
            depth = huge(depth)
            do axis = 1, s%dim
                ! no layers where the tank's wall is behind; behind a periodic side there is water,
                ! unless the obstacle goes on there
                has_faces = axis == 3 .and. s%periodic_sides .and. &
                    (box_lo(3) > 0 .or. box_hi(3) < inner(3))
                if (has_faces .or. box_lo(axis) > 0) depth = min(depth, c(axis) - box_lo(axis))
                if (has_faces .or. box_hi(axis) < inner(axis)) &
                    depth = min(depth, box_hi(axis) - 1 - c(axis))
            end do
            is_wall = depth < s%layers
        end function is_wall

    end subroutine make_particles

    subroutine allocate_particles(q, n_fluid, n_wall)
        type(particles), intent(inout) :: q
        integer, intent(in) :: n_fluid, n_wall

        integer :: n

        n = n_fluid + n_wall
        q%n_fluid = n_fluid
        q%n = n
        allocate (q%x(n), q%y(n), q%z(n), q%vx(n), q%vy(n), q%vz(n), q%rho(n), q%p(n), q%vol(n), &
            q%gx(n), q%gy(n), q%gz(n), q%ax(n), q%ay(n), q%az(n), q%drho(n), q%mass(n), &
            q%h(n), &
            source=0.0_dp)
    end subroutine allocate_particles

    !> Hydrostatic pressure and the density that goes with it, so that the column starts without
    !> the pressure wave that a column of constant density sends through itself.
    subroutine set_at_rest(s, q)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        integer :: n

        n = q%n_fluid
        q%p(:n) = s%rho0*s%gravity*(s%column_height*s%width - q%y(:n))
        q%rho = s%rho0
        q%rho(:n) = density_of(s, q%p(:n))
        q%vol = s%dx**s%dim
        q%mass = q%rho*q%vol
        q%h = s%h
    end subroutine set_at_rest

    !> Smoothing lengths that follow the volumes of particles, so that each keeps its number of
    !> neighbors as it is compressed and expands: h = h_over_dx (m / rho)**(1 / dim).
    subroutine update_smoothing(s, q)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        q%h = s%h_over_dx*(q%mass/q%rho)**(1.0_dp/s%dim)
    end subroutine update_smoothing

    !> Tait's equation of state in the form used by Monaghan (1994).
    elemental real(dp) function pressure_of(s, rho) result(p)
        type(settings), intent(in) :: s
        real(dp), intent(in) :: rho

        p = s%c0**2*s%rho0/tait_gamma*((rho/s%rho0)**nint(tait_gamma) - 1)
    end function pressure_of

    !> Its inverse.
    elemental real(dp) function density_of(s, p) result(rho)
        type(settings), intent(in) :: s
        real(dp), intent(in) :: p

        rho = s%rho0*(1 + p*tait_gamma/(s%c0**2*s%rho0))**(1/tait_gamma)
    end function density_of

end module particles_m
