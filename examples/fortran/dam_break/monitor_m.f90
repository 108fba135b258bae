!> Quantities that a run watches: energies, front, lost particles, and the published experiments.
module monitor_m
    use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
    use settings_m, only: dp, settings
    use particles_m, only: particles, tait_gamma
    implicit none (type, external)
    private

    public :: state, history, measure, find_lost, compare

    !> One moment of a run.
    type :: state
        real(dp) :: time = 0        !! s
        real(dp) :: front = 0       !! farthest edge of the fluid along the floor, m
        real(dp) :: kinetic = 0, potential = 0, internal = 0    !! J (in 2D per metre of depth)
        real(dp) :: total = 0
        real(dp) :: top_speed = 0
    end type state

    !> Every moment of a run, in dimensionless time and front position.
    type :: history
        integer :: n = 0
        real(dp), allocatable :: time(:), front(:)
    contains
        procedure :: append
    end type history

    !> Martin & Moyce (1952), table 2: n**2 = 2, a = 2.25 in. T = t sqrt(2 g / a), Z = front / a.
    real(dp), parameter :: martin_moyce(2, 15) = reshape([ &
        0.41_dp, 1.11_dp, 0.84_dp, 1.22_dp, 1.19_dp, 1.44_dp, 1.43_dp, 1.67_dp, 1.63_dp, 1.89_dp, &
        1.83_dp, 2.11_dp, 1.98_dp, 2.33_dp, 2.20_dp, 2.56_dp, 2.32_dp, 2.78_dp, 2.51_dp, 3.00_dp, &
        2.65_dp, 3.22_dp, 2.83_dp, 3.44_dp, 2.98_dp, 3.67_dp, 3.11_dp, 3.89_dp, 3.33_dp, 4.11_dp], &
        [2, 15])
    !> Koshizuka & Oka (1996), read off their figure, the same two numbers.
    real(dp), parameter :: koshizuka_oka(2, 8) = reshape([ &
        0.381_dp, 1.111_dp, 0.769_dp, 1.252_dp, 1.153_dp, 1.505_dp, 1.537_dp, 1.892_dp, &
        1.935_dp, 2.241_dp, 2.323_dp, 2.615_dp, 2.719_dp, 3.003_dp, 3.096_dp, 3.624_dp], [2, 8])

contains

    !> Energies and front. Summed in the order of the particles, so that a table of a run is the
    !> same whatever the number of threads.
    subroutine measure(s, q, time, now)
        type(settings), intent(in) :: s
        type(particles), intent(in) :: q
        real(dp), intent(in) :: time
        type(state), intent(out) :: now

        integer :: i
        real(dp) :: v2, compression, front

        now%time = time
        front = 0
        do i = 1, q%n_fluid
            v2 = q%vx(i)**2 + q%vy(i)**2 + q%vz(i)**2
            now%top_speed = max(now%top_speed, v2)
            now%kinetic = now%kinetic + 0.5_dp*q%mass(i)*v2
            now%potential = now%potential + q%mass(i)*s%gravity*q%y(i)
            ! integral of p d(rho) / rho**2 from rho0, for Tait's equation
            compression = q%rho(i)/s%rho0
            now%internal = now%internal + q%mass(i)*s%c0**2/tait_gamma*( &
                compression**(nint(tait_gamma) - 1)/(tait_gamma - 1) + 1/compression &
                - tait_gamma/(tait_gamma - 1))
            if (q%y(i) < 0.25_dp*s%width) front = max(front, q%x(i))
        end do
        now%top_speed = sqrt(now%top_speed)
        now%front = front + 0.5_dp*s%dx
        now%total = now%kinetic + now%potential + now%internal
    end subroutine measure

    !> The first particle that is not finite or has left the tank through a wall; 0 when none.
    !> The tank has no lid: fluid may rise above its walls, but not pass beside them.
    pure integer function find_lost(s, q) result(lost)
        type(settings), intent(in) :: s
        type(particles), intent(in) :: q

        integer :: i
        real(dp) :: across

        do i = 1, q%n_fluid
            lost = i
            if (.not. ieee_is_finite(q%x(i) + q%y(i) + q%z(i) + q%vx(i) + q%vy(i) + q%vz(i) &
                + q%rho(i))) return
            if (q%x(i) < -s%dx .or. q%x(i) > s%tank(1)*s%width + s%dx .or. q%y(i) < -s%dx) return
            if (s%dim == 2) cycle
            across = q%z(i)
            if (across < -s%dx .or. across > s%tank(3)*s%width + s%dx) return
        end do
        lost = 0
    end function find_lost

    !> Remember a moment.
    subroutine append(self, time, front)
        class(history), intent(inout) :: self
        real(dp), intent(in) :: time, front

        if (.not. allocated(self%time)) allocate (self%time(1024), self%front(1024))
        if (self%n == size(self%time)) then
            self%time = [self%time, self%time]
            self%front = [self%front, self%front]
        end if
        self%n = self%n + 1
        self%time(self%n) = time
        self%front(self%n) = front
    end subroutine append

    !> Print the front beside both experiments, as far as the run goes, until the front comes to
    !> the obstacle or the end of the tank. The same numbers go to `path` as a table.
    subroutine compare(s, past, path)
        type(settings), intent(in) :: s
        type(history), intent(in) :: past
        character(len=*), intent(in) :: path

        integer :: unit
        real(dp) :: reach

        if (abs(s%column_height - 2) > 0.01_dp) then
            print '(/, a)', 'no experiment to compare with: the column is not twice as high as wide'
            return
        end if
        reach = s%tank(1)
        if (all(s%obstacle_hi(:s%dim) > s%obstacle_lo(:s%dim))) reach = s%obstacle_lo(1)
        reach = reach - 3*s%dx/s%width
        open (newunit=unit, file=path, status='replace', action='write')
        write (unit, '(a)') 'experiment,T,Z,Z_computed'
        call compare_with('Martin & Moyce (1952), n^2 = 2, a = 2.25 in', martin_moyce)
        call compare_with('Koshizuka & Oka (1996)', koshizuka_oka)
        close (unit)

    contains

        subroutine compare_with(name, points)
            character(len=*), intent(in) :: name
            real(dp), intent(in) :: points(:, :)

            integer :: k, n
            real(dp) :: front, off, sum_off, worst, lead, sum_lead

            print '(/, 2a)', 'front against ', name
            print '(5a12)', 'T', 'Z measured', 'Z computed', 'deviation', 'lead in T'
            n = 0; sum_off = 0; worst = 0; sum_lead = 0
            do k = 1, size(points, 2)
                if (points(1, k) > past%time(past%n)) exit
                front = interpolate(past%time(:past%n), past%front(:past%n), points(1, k))
                if (max(front, points(2, k)) > min(reach, past%front(past%n))) exit
                off = front/points(2, k) - 1
                lead = points(1, k) &
                    - interpolate(past%front(:past%n), past%time(:past%n), points(2, k))
                n = n + 1
                sum_off = sum_off + off
                worst = max(worst, abs(off))
                sum_lead = sum_lead + lead
                print '(3f12.3, sp, f11.1, a, f12.3)', points(:, k), front, 100*off, '%', lead
                write (unit, '(3a, 3(:, ",", f0.3))') '"', name, '"', points(:, k), front
            end do
            if (n > 0) print '(a, sp, f5.1, a, ss, f5.1, a, sp, f6.3)', 'mean deviation ', &
                100*sum_off/n, '%, largest ', 100*worst, '%, mean lead in T ', sum_lead/n
        end subroutine compare_with

    end subroutine compare

    !> Value at `at` of the broken line through (x, y), where `x` first reaches `at`, which is not
    !> beyond all of `x`.
    pure real(dp) function interpolate(x, y, at) result(value)
        real(dp), intent(in) :: x(:), y(:), at

        integer :: k

        value = y(1)
        if (at <= x(1)) return
        do k = 2, size(x)
            if (x(k) < at) cycle
            value = y(k - 1) + (at - x(k - 1))/(x(k) - x(k - 1))*(y(k) - y(k - 1))
            return
        end do
    end function interpolate

end module monitor_m
