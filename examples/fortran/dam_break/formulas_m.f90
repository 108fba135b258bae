!> The sums of sph_m as formulas: the library finds neighbors, on a GPU or on the CPU, and adds their
!> terms on the CPU, in one call. No list is made, and no loop over neighbors is written here.
!>
!> Particles have moved on between two sums of a step, so points are set again for the second half.
module formulas_m
    use, intrinsic :: iso_fortran_env, only: int64
    use neargrid, only: neargrid_formula, neargrid_precision_double, neargrid_search
    use settings_m, only: dp, settings
    use particles_m, only: particles, density_of
    use sph_m, only: kernel_slope, set_pressure, solve_gradient
    implicit none (type, external)
    private

    public :: formulas

    character(len=*), parameter :: line = new_line('a')
    !> Of two particles h is the mean of theirs; `f` times d is the gradient of the kernel times the
    !> volume of the neighbor. The exponent of `inverse` depends on the dimension.
    character(len=*), parameter :: kernel = 'inverse = 1/(h_i + h_j)'//line// &
        'f = slope*inverse^DIM*vol_j*max(0, 1 - r*inverse)^3'//line
    character(len=*), parameter :: wall_pressure = 'ratio = r/(h_i + h_j)'//line// &
        'w = fluid_j*max(0, 1 - ratio)^4*(1 + 4*ratio)'//line// &
        'weight += w'//line// &
        'pressure += w*(p_j - rho_j*gravity*(y_i - y_j))'
    character(len=*), parameter :: gradient = kernel// &
        'mx += -f*dot(ex_i, d)*d; my += -f*dot(ey_i, d)*d; mz += -f*dot(ez_i, d)*d'//line// &
        'b += f*(rho_j - rho_i)*d'
    character(len=*), parameter :: rate = kernel// &
        'div += f*dot(v_i - v_j, d)      ! walls are at rest'//line// &
        'diffusion += -fluid_j*f*(2*(rho_j - rho_i) + dot(g_i + g_j, d))'
    character(len=*), parameter :: force = kernel// &
        'rub  = select(thickness, friction, fluid_j > 0)'//line// &
        'push = select(p_i, max(0, p_i), fluid_j > 0)'//line// &
        'a += f*(rub*dot(v_i - v_j, d)/(r2 + least) - push - p_j)*d'//line// &
        'neighbors += 1'

    type :: formulas
        private
        type(neargrid_formula) :: wall_pressure, gradient, rate, force
    contains
        procedure :: create
        procedure :: destroy
        procedure :: update_pressure
        procedure :: density_gradient
        procedure :: density_rate
        procedure :: acceleration
    end type formulas

contains

    !> Formulas, and the fields and constants that never change.
    subroutine create(self, search, s, q)
        class(formulas), intent(inout) :: self
        type(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(in) :: q

        character(len=2), parameter :: units(3) = ['ex', 'ey', 'ez']
        real(dp), allocatable :: fluid(:), unit(:, :)
        real(dp) :: thickness
        integer :: axis

        allocate (fluid(q%n), unit(s%dim, q%n), source=0.0_dp)
        fluid(:q%n_fluid) = 1
        call compile(self%wall_pressure, wall_pressure)
        call compile(self%gradient, gradient)
        call compile(self%rate, rate)
        call compile(self%force, force)
        call search%set('fluid', fluid)
        call self%wall_pressure%set('gravity', s%gravity)
        do axis = 1, 3
            unit = 0
            if (axis <= s%dim) unit(axis, :) = 1
            call search%set(units(axis), unit)
        end do
        thickness = s%alpha*s%h*s%c0*s%rho0
        call self%force%set('thickness', thickness)
        call self%force%set('friction', s%wall_friction*thickness)
        call self%force%set('least', 1e-6_dp*s%h**2)
        call self%gradient%set('slope', kernel_slope(s))
        call self%rate%set('slope', kernel_slope(s))
        call self%force%set('slope', kernel_slope(s))

    contains

        subroutine compile(formula, text)
            type(neargrid_formula), intent(inout) :: formula
            character(len=*), intent(in) :: text

            integer :: at

            at = index(text, 'DIM')
            if (at == 0) then
                call formula%create(text)
            else
                call formula%create(text(:at - 1)//merge('4', '5', s%dim == 2)//text(at + 3:))
            end if
            call formula%set_precision(neargrid_precision_double)
        end subroutine compile

    end subroutine create

    subroutine destroy(self)
        class(formulas), intent(inout) :: self

        call self%wall_pressure%destroy()
        call self%gradient%destroy()
        call self%rate%destroy()
        call self%force%destroy()
    end subroutine destroy

    !> As in sph_m. Rows of the fluid are summed too, and not used.
    subroutine update_pressure(self, search, s, q)
        class(formulas), intent(inout) :: self
        type(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        real(dp), allocatable :: weight(:), pressure(:)
        integer :: i

        call set_pressure(s, q)
        associate (formula => self%wall_pressure)
            call search%set('h', q%h)
            call search%set('p', q%p)
            call search%set('rho', q%rho)
            call search%set('y', q%y)
            call search%run(formula)
            call search%get('weight', weight)
            call search%get('pressure', pressure)
        end associate
        do i = q%n_fluid + 1, q%n
            q%p(i) = 0
            if (weight(i) > tiny(weight)) q%p(i) = max(0.0_dp, pressure(i)/weight(i))
            q%rho(i) = density_of(s, q%p(i))
        end do
    end subroutine update_pressure

    subroutine density_gradient(self, search, s, q)
        class(formulas), intent(inout) :: self
        type(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        real(dp), allocatable :: rows(:, :, :)
        integer(int64) :: n
        real(dp) :: matrix(3, 3), b(3)
        integer :: i

        allocate (rows(s%dim, q%n, 4))
        associate (formula => self%gradient)
            call search%set('h', q%h)
            call search%set('vol', q%vol)
            call search%set('rho', q%rho)
            call search%run(formula)
            call search%get('mx', n, rows(:, :, 1))
            call search%get('my', n, rows(:, :, 2))
            call search%get('mz', n, rows(:, :, 3))
            call search%get('b', n, rows(:, :, 4))
        end associate
        do i = 1, q%n_fluid
            matrix = 0; b = 0
            matrix(:s%dim, :) = rows(:, i, :3)
            b(:s%dim) = rows(:, i, 4)
            if (s%dim == 2) matrix(3, 3) = 1
            call solve_gradient(q, i, matrix, b)
        end do
    end subroutine density_gradient

    subroutine density_rate(self, search, s, q)
        class(formulas), intent(inout) :: self
        type(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        real(dp), allocatable :: div(:), diffusion(:)

        associate (formula => self%rate)
            call search%set('h', q%h)
            call search%set('vol', q%vol)
            call search%set('rho', q%rho)
            call set_vectors(search, 'v', s%dim, q%vx, q%vy, q%vz)
            call set_vectors(search, 'g', s%dim, q%gx, q%gy, q%gz)
            call search%run(formula)
            call search%get('div', div)
            call search%get('diffusion', diffusion)
        end associate
        associate (n => q%n_fluid)
            q%drho(:n) = q%rho(:n)*div(:n) + s%delta*s%h*s%c0*diffusion(:n)
        end associate
    end subroutine density_rate

    !> Also tells where rows would begin in a list of all neighbors.
    subroutine acceleration(self, search, s, q, offsets)
        class(formulas), intent(inout) :: self
        type(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        integer(int64), pointer, contiguous, intent(inout) :: offsets(:)

        real(dp), allocatable :: a(:, :), neighbors(:)
        integer :: i

        associate (formula => self%force, n => q%n_fluid)
            call search%set('h', q%h)
            call search%set('vol', q%vol)
            call search%set('p', q%p)
            call set_vectors(search, 'v', s%dim, q%vx, q%vy, q%vz)
            call search%run(formula)
            call search%get('a', a)
            call search%get('neighbors', neighbors)
            q%ax(:n) = a(1, :n)/q%rho(:n)
            q%ay(:n) = a(2, :n)/q%rho(:n) - s%gravity
            if (s%dim == 3) q%az(:n) = a(3, :n)/q%rho(:n)
        end associate
        if (.not. associated(offsets)) allocate (offsets(q%n + 1))
        offsets(1) = 1
        do i = 1, q%n
            offsets(i + 1) = offsets(i) + nint(neighbors(i), int64)
        end do
    end subroutine acceleration

    subroutine set_vectors(search, name, dim, x, y, z)
        type(neargrid_search), intent(inout) :: search
        character(len=*), intent(in) :: name
        integer, intent(in) :: dim
        real(dp), intent(in) :: x(:), y(:), z(:)

        if (dim == 2) call search%set(name, x, y)
        if (dim == 3) call search%set(name, x, y, z)
    end subroutine set_vectors

end module formulas_m
