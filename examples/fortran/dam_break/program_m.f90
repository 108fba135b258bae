!> The whole time step as a text: the length of the step, kicks and drifts, all sums, the equation
!> of state, walls, and what a run watches. Fields stay where the search runs. A step brings a few
!> numbers back, and a frame brings arrays.
!>
!> Walls are of a type whose points are no neighbors of each other, and numbers over all points leave
!> them out by their field `fluid`. Every sum searches where the particles are, so this search needs
!> no skin.
!>
!> Across MPI ranks it is the same text. Then particles migrate now and then, so that those of a rank
!> stay near each other (`migrate`).
module program_m
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64
    use neargrid, only: neargrid_formula, neargrid_precision_double, neargrid_radius_mean, &
        neargrid_search
    use settings_m, only: dp, settings
    use particles_m, only: particles, tait_gamma, update_smoothing
    use sph_m, only: kernel_slope
    use monitor_m, only: state
    implicit none (type, external)
    private

    public :: program_text

    character(len=*), parameter :: line = new_line('a')

    !> The length of the step is that of longest_step in dam_break.f90. The step ends at `next` at
    !> the latest.
    character(len=*), parameter :: half_step = &
        'stable := min(cfl*h0/(sound + fastest), 0.25*sqrt(h0/strongest))'//line// &
        'longest := min(stable, skin/(fastest + stable*strongest))'//line// &
        'dt := (next - time)/max(1, -floor(-(next - time)/longest))'//line// &
        'time := time + dt'//line// &
        'v_i = v_i + 0.5*dt*a_i'//line// &
        'x_i = x_i + 0.5*dt*v_i'//line
    character(len=*), parameter :: smoothing = 'h_i = h_over_dx*(m_i/rho_i)^(1/dim)'//line

    !> Renormalized density gradient. `f` times d is the gradient of the kernel times the volume of
    !> the neighbor; c is where the kernel ends, twice the mean h of both. The matrix is inverted
    !> where sph_m does it, too (least_det).
    character(len=*), parameter :: gradient = &
        'f = slope/c^POWER*vol_j*(1 - r/c)^3'//line// &
        'b += f*(rho_j - rho_i)*d'//line// &
        'mxx += -f*d.x*d.x; mxy += -f*d.x*d.y; myy += -f*d.y*d.y'//line
    character(len=*), parameter :: solve_2d = &
        'det = mxx_i*myy_i - mxy_i*mxy_i'//line// &
        'g_i = select(1/det, 0, det >= 0.1)'// &
        '*vector(myy_i*b_i.x - mxy_i*b_i.y, mxx_i*b_i.y - mxy_i*b_i.x)'//line
    character(len=*), parameter :: solve_3d = &
        'mxz += -f*d.x*d.z; myz += -f*d.y*d.z; mzz += -f*d.z*d.z'//line// &
        'cxx = myy_i*mzz_i - myz_i*myz_i; cxy = mxz_i*myz_i - mxy_i*mzz_i'//line// &
        'cxz = mxy_i*myz_i - mxz_i*myy_i; cyy = mxx_i*mzz_i - mxz_i*mxz_i'//line// &
        'cyz = mxy_i*mxz_i - mxx_i*myz_i; czz = mxx_i*myy_i - mxy_i*mxy_i'//line// &
        'det = mxx_i*cxx + mxy_i*cxy + mxz_i*cxz'//line// &
        'g_i = select(1/det, 0, det >= 0.1)*vector('// &
        'dot(vector(cxx, cxy, cxz), b_i), dot(vector(cxy, cyy, cyz), b_i), '// &
        'dot(vector(cxz, cyz, czz), b_i))'//line

    !> Continuity equation with density diffusion. Walls are at rest.
    character(len=*), parameter :: density = &
        'div += f*dot(v_i - v_j, d)'//line// &
        'diffusion += -fluid_j*f*(2*(rho_j - rho_i) + dot(g_i + g_j, d))'//line// &
        'rho_i = rho_i + dt*fluid_i*(rho_i*div_i + delta*h0*sound*diffusion_i)'//line// &
        'x_i = x_i + 0.5*dt*v_i'//line

    !> Pressure of the fluid from its density, then of the walls from the fluid near them.
    character(len=*), parameter :: pressure = &
        'p_i = select(stiffness*((rho_i/rho0)^7 - 1), p_i, fluid_i > 0)'//line// &
        'vol_i = select(m_i/rho_i, vol_i, fluid_i > 0)'//line// &
        'w = (1 - r/c)^4*(1 + 4*r/c)'//line// &
        'weight += w'//line// &
        'weighted += w*(p_j - rho_j*gravity*d.y)'//line// &
        'mean = select(max(0, weighted_i/weight_i), 0, weight_i > least_weight)'//line// &
        'p_i = select(p_i, mean, fluid_i > 0)'//line// &
        'rho_i = select(rho_i, rho0*(1 + p_i/stiffness)^(1/7), fluid_i > 0)'//line
    character(len=*), parameter :: force = &
        'k = slope/c^POWER*vol_j*(1 - r/c)^3'//line// &
        'rub  = select(thickness, friction, fluid_j > 0)'//line// &
        'push = select(p_i, max(0, p_i), fluid_j > 0)'//line// &
        'total += k*(rub*dot(v_i - v_j, d)/(r2 + least_r2) - push - p_j)*d'//line// &
        'neighbors += 1'//line// &
        'a_i = fluid_i*(total_i/rho_i - vector(DOWN))'//line
    character(len=*), parameter :: half_kick = 'v_i = v_i + 0.5*dt*a_i'//line

    !> Numbers to watch, as in monitor_m: energies, the front, and the number of lost particles.
    character(len=*), parameter :: watch = &
        'speed2 all max= dot(v_i, v_i); fastest := sqrt(speed2)'//line// &
        'rate2  all max= dot(a_i, a_i); strongest := sqrt(rate2)'//line// &
        'kinetic all+= 0.5*m_i*dot(v_i, v_i)'//line// &
        'potential all+= fluid_i*m_i*gravity*x_i.y'//line// &
        's = rho_i/rho0'//line// &
        'internal all+= fluid_i*m_i*sound^2/7*(s^6/6 + 1/s - 7/6)'//line// &
        'front all max= select(x_i.x, 0, fluid_i > 0 and x_i.y < floor_height)'//line// &
        'lost all+= select(0, fluid_i, abs(rho_i + dot(v_i, v_i)) < huge and x_i.y >= -dx'//line// &
        '    and x_i.x >= -dx and x_i.x <= length + dx ASIDE)'//line

    !> Values of particles, `values(width, n)`.
    type :: field
        real(dp), allocatable :: values(:, :)
    end type field

    !> The step, and what is known before the first one. With variable h the step is two texts:
    !> radii belong to the search, and no text sets them. So the program sets them where smoothing
    !> lengths have changed.
    type :: program_text
        private
        type(neargrid_formula) :: begin, first, second
        logical :: is_two = .false.
    contains
        procedure :: create
        procedure :: destroy
        procedure :: start
        procedure :: step
        procedure, nopass :: fetch
        procedure :: migrate
    end type program_text

contains

    !> Formulas, constants and fields.
    subroutine create(self, search, s, q)
        class(program_text), intent(inout) :: self
        class(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        character(len=:), allocatable :: rates, forces
        real(dp), allocatable :: fluid(:)

        rates = gradient//solve_2d//density
        if (s%dim == 3) rates = gradient//solve_3d//density
        forces = pressure//force
        call compile(self%begin, s, forces//watch)
        self%is_two = s%variable_h
        if (self%is_two) then
            call compile(self%first, s, half_step//smoothing)
            call compile(self%second, s, rates//forces//half_kick//watch)
        else
            call compile(self%first, s, half_step//rates//forces//half_kick//watch)
        end if

        allocate (fluid(q%n), source=0.0_dp)
        fluid(:q%n_fluid) = 1
        call set_kinds(search, fluid)
        if (s%dim == 2) call search%set_points(q%x, q%y)
        if (s%dim == 3) call search%set_points(q%x, q%y, q%z)
        if (s%variable_h) then
            call update_smoothing(s, q)
            call search%set_radii(2*q%h, neargrid_radius_mean)
        end if
        call search%set('fluid', fluid)
        call search%set('m', q%mass)
        call search%set('rho', q%rho)
        call search%set('p', q%p)
        call search%set('vol', q%vol)
        if (s%dim == 2) call search%set('v', q%vx, q%vy)
        if (s%dim == 3) call search%set('v', q%vx, q%vy, q%vz)
    end subroutine create

    !> Fluid and walls. The fields of `fluid` are 1 and 0.
    subroutine set_kinds(search, fluid)
        class(neargrid_search), intent(inout) :: search
        real(dp), intent(in) :: fluid(:)

        call search%set_types(2 - nint(fluid, c_int), &
            reshape([.true., .true., .true., .false.], [2, 2]))
    end subroutine set_kinds

    subroutine destroy(self)
        class(program_text), intent(inout) :: self

        call self%begin%destroy()
        call self%first%destroy()
        call self%second%destroy()
    end subroutine destroy

    !> A formula of a text for two or three dimensions, with all constants.
    subroutine compile(formula, s, text)
        type(neargrid_formula), intent(inout) :: formula
        type(settings), intent(in) :: s
        character(len=*), intent(in) :: text

        character(len=:), allocatable :: whole
        real(dp) :: thickness

        whole = replaced(text, 'POWER', merge('4', '5', s%dim == 2))
        whole = replaced(whole, 'DOWN', trim(merge('0, gravity   ', '0, gravity, 0', s%dim == 2)))
        if (s%dim == 2) whole = replaced(whole, 'ASIDE', '')
        if (s%dim == 3) whole = replaced(whole, 'ASIDE', 'and x_i.z >= -dx and x_i.z <= depth + dx')
        call formula%create(whole)
        call formula%set_precision(neargrid_precision_double)
        thickness = s%alpha*s%h*s%c0*s%rho0
        call constant('thickness', thickness)
        call constant('friction', s%wall_friction*thickness)
        call constant('least_r2', 1e-6_dp*s%h**2)
        call constant('least_weight', tiny(thickness))
        call constant('slope', kernel_slope(s))
        call constant('stiffness', s%c0**2*s%rho0/tait_gamma)
        call constant('sound', s%c0)
        call constant('rho0', s%rho0)
        call constant('gravity', s%gravity)
        call constant('delta', s%delta)
        call constant('cfl', s%cfl)
        call constant('skin', s%skin)
        call constant('h0', s%h)
        call constant('h_over_dx', s%h_over_dx)
        call constant('dim', real(s%dim, dp))
        call constant('dx', s%dx)
        call constant('length', s%tank(1)*s%width)
        call constant('depth', s%tank(3)*s%width)
        call constant('floor_height', 0.25_dp*s%width)
        call constant('huge', huge(thickness))
        call constant('time', 0.0_dp)

    contains

        !> A text without it refuses a constant; without one of its own it does not run.
        subroutine constant(name, value)
            character(len=*), intent(in) :: name
            real(dp), intent(in) :: value

            integer(c_int) :: status

            call formula%set(name, value, stat=status)
        end subroutine constant

    end subroutine compile

    !> `text` with `new` for each `old`.
    pure recursive function replaced(text, old, new) result(whole)
        character(len=*), intent(in) :: text, old, new
        character(len=:), allocatable :: whole

        integer :: at

        whole = text
        at = index(text, old)
        if (at > 0) whole = text(:at - 1)//new//replaced(text(at + len(old):), old, new)
    end function replaced

    !> Pressure and acceleration at rest, and what is watched.
    subroutine start(self, search, s, now, lost)
        class(program_text), intent(inout) :: self
        class(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(state), intent(out) :: now
        integer, intent(out) :: lost

        call search%run(self%begin)
        call read_state(self%begin, s, 0.0_dp, now, lost)
        call hand_on(self%begin, self%first, ['fastest  ', 'strongest'])
    end subroutine start

    !> One step, which ends at `next` at the latest.
    subroutine step(self, search, s, q, next, now, lost)
        class(program_text), intent(inout) :: self
        class(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        real(dp), intent(in) :: next
        type(state), intent(out) :: now
        integer, intent(out) :: lost

        real(dp) :: time

        call self%first%set('next', next)
        call search%run(self%first)
        call self%first%get('time', time)
        if (self%is_two) then
            call search%get('h', q%h)
            call search%set_radii(2*q%h, neargrid_radius_mean)
            call hand_on(self%first, self%second, ['dt       '])
            call search%run(self%second)
            call hand_on(self%second, self%first, ['fastest  ', 'strongest'])
            call read_state(self%second, s, time, now, lost)
        else
            call read_state(self%first, s, time, now, lost)
        end if
    end subroutine step

    !> Numbers that one formula has made and another one reads.
    subroutine hand_on(from, to, names)
        type(neargrid_formula), intent(in) :: from
        type(neargrid_formula), intent(inout) :: to
        character(len=*), intent(in) :: names(:)

        real(dp) :: value
        integer :: k

        do k = 1, size(names)
            call from%get(names(k), value)
            call to%set(names(k), value)
        end do
    end subroutine hand_on

    subroutine read_state(formula, s, time, now, lost)
        type(neargrid_formula), intent(in) :: formula
        type(settings), intent(in) :: s
        real(dp), intent(in) :: time
        type(state), intent(out) :: now
        integer, intent(out) :: lost

        real(dp) :: count

        now%time = time
        call formula%get('kinetic', now%kinetic)
        call formula%get('potential', now%potential)
        call formula%get('internal', now%internal)
        call formula%get('fastest', now%top_speed)
        call formula%get('front', now%front)
        call formula%get('lost', count)
        now%front = now%front + 0.5_dp*s%dx
        now%total = now%kinetic + now%potential + now%internal
        lost = nint(count)
    end subroutine read_state

    !> Moves particles, with all that the next step reads, to other ranks, where they are set. `id` are
    !> their global ids.
    subroutine migrate(self, search, id)
        class(program_text), intent(in) :: self
        class(neargrid_search), intent(inout) :: search
        integer(int64), allocatable, intent(inout) :: id(:)

        character(len=*), parameter :: names(9) = [character(len=5) :: &
            'x', 'v', 'a', 'm', 'rho', 'p', 'vol', 'fluid', 'h']
        type(field) :: fields(size(names))
        integer(c_int) :: n
        integer :: k, last

        last = size(names)
        if (.not. self%is_two) last = last - 1      ! smoothing lengths do not change
        do k = 1, last
            call search%get(trim(names(k)), fields(k)%values)
        end do
        call search%migration_plan(fields(1)%values, n, id)
        call search%migration_move(id, n)
        do k = 1, last
            call search%migration_move(fields(k)%values, n)
        end do
        call search%set_points(fields(1)%values)
        call search%set_ids(id)
        do k = 2, last
            call search%set(trim(names(k)), fields(k)%values)
        end do
        call set_kinds(search, fields(8)%values(1, :))
        if (self%is_two) call search%set_radii(2*fields(9)%values(1, :), neargrid_radius_mean)
    end subroutine migrate

    !> Fetches the arrays of a frame, and where rows would begin in a list of all neighbors.
    subroutine fetch(search, s, q, offsets)
        class(neargrid_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        integer(int64), pointer, contiguous, intent(inout) :: offsets(:)

        real(dp), allocatable :: neighbors(:)
        integer :: i

        if (s%dim == 2) call search%get('x', q%x, q%y)
        if (s%dim == 3) call search%get('x', q%x, q%y, q%z)
        if (s%dim == 2) call search%get('v', q%vx, q%vy)
        if (s%dim == 3) call search%get('v', q%vx, q%vy, q%vz)
        call search%get('p', q%p)
        call search%get('rho', q%rho)
        call search%get('neighbors', neighbors)
        if (.not. associated(offsets)) allocate (offsets(q%n + 1))
        offsets(1) = 1
        do i = 1, q%n
            offsets(i + 1) = offsets(i) + nint(neighbors(i), int64)
        end do
    end subroutine fetch

end module program_m
