!> Weakly compressible SPH dam break in two or three dimensions, a client of neargrid.
!>
!>     dam_break input.nml [name=value ...]
!>
!> One search handle lives as long as the run and is asked once per step. A step, after Adami, Hu,
!> Adams (2012), is second order:
!>
!>     velocity by half a step, position by half a step, search,
!>     density by a whole step, position by the other half,
!>     pressure and forces, velocity by the other half
!>
!> With forces = 'formula' there is no list: the library adds the terms of formulas (formulas_m).
!> With forces = 'program' the whole step is a text (program_m), and arrays come back for frames.
!>
!> Otherwise the list found at half time serves to the end of the step. Until then two particles come
!> closer by 2 (dt / 2) (top speed) at most. `skin` is added to the cutoff and dt kept below
!> skin / (top speed), so no pair within the kernel is missing; what lies beyond the kernel weighs 0.
program dam_break
    use, intrinsic :: iso_fortran_env, only: int64, error_unit, output_unit
    use neargrid, only: neargrid_search, neargrid_radius_mean
    use settings_m, only: dp, settings, read_settings
    use particles_m, only: particles, make_particles, update_smoothing
    use sph_m, only: rows, split_rows, update_pressure, density_gradient, density_rate, acceleration
    use formulas_m, only: formulas
    use program_m, only: program_text
    use monitor_m, only: state, history, measure, find_lost, compare
    use output_m, only: output
    implicit none (type, external)

    real(dp), parameter :: energy_bound = 1.01_dp
    ! Until this T the start disturbs the energy by more than the flow has lost.
    real(dp), parameter :: settled = 1
    type(settings) :: s
    type(particles) :: q
    type(neargrid_search) :: search
    type(rows) :: r
    type(formulas) :: by_formula
    type(program_text) :: whole
    type(state) :: first, now
    type(history) :: past
    type(output) :: files
    integer :: steps, lost
    integer(int64) :: started
    real(dp) :: time, search_seconds, highest

    call read_command_line(s)
    call make_particles(s, q)
    call files%open(s)
    call search%create()
    call search%set_cutoff(merge(2*s%h, s%cutoff, s%forces == 'program'))    ! see program_m
    ! periodic along z; of the open axes neither corner nor length counts. Before the points are set
    if (s%periodic_sides) call search%set_box([0.0_dp, 0.0_dp, 0.0_dp], s%tank*s%width, &
        periodic=[.false., .false., .true.])
    if (s%forces == 'formula') call by_formula%create(search, s, q)
    if (s%forces == 'program') call whole%create(search, s, q)
    call introduce()
    call run()
    call conclude()

contains

    !> Arguments: the input file, then words name=value.
    subroutine read_command_line(s)
        type(settings), intent(out) :: s

        character(len=400), allocatable :: words(:)
        character(len=400) :: path
        integer :: k

        if (command_argument_count() < 1) then
            write (error_unit, '(a)') 'usage: dam_break input.nml [name=value ...]'
            stop 2, quiet=.true.
        end if
        call get_command_argument(1, path)
        allocate (words(command_argument_count() - 1))
        do k = 1, size(words)
            call get_command_argument(k + 1, words(k))
        end do
        call read_settings(trim(path), words, s)
    end subroutine read_command_line

    !> From rest to t_end, or to the first sign of trouble.
    subroutine run()
        integer :: table_at, frame_at
        real(dp) :: dt, next, t_end

        t_end = s%t_end/s%time_scale
        time = 0; steps = 0; search_seconds = 0
        table_at = 0; frame_at = 0
        call system_clock(started)
        if (s%forces == 'program') then
            call whole%start(search, s, now, lost)
        else
            call find_neighbors()
            call find_acceleration()
            call measure(s, q, time, now)
            lost = find_lost(s, q)
        end if
        first = now
        highest = now%total
        print '(/, 10a11)', 'T', 'Z', 'kinetic', 'potential', 'internal', 'E/E(0)', 'top speed', &
            'steps', 'seconds', 'done'
        do
            call past%append(time*s%time_scale, now%front/s%width)
            highest = max(highest, now%total)
            if (reached(table_at*s%table_every) .or. reached(s%t_end)) then
                call write_line()
                call files%write_row(s, now, first)
                table_at = table_at + 1
            end if
            if (reached(frame_at*s%frame_every) .or. reached(s%t_end)) then
                if (s%forces == 'program') call whole%fetch(search, s, q, r%offsets)
                call files%write_frame(q, r, time)
                frame_at = frame_at + 1
            end if
            if (lost > 0 .or. .not. now%total < energy_bound*first%total .or. reached(s%t_end)) exit
            ! land on the moments that are written
            next = min(table_at*s%table_every, frame_at*s%frame_every, s%t_end)/s%time_scale
            steps = steps + 1
            if (s%forces == 'program') then
                call whole%step(search, s, q, next, now, lost)
                time = now%time
                cycle
            end if
            dt = longest_step()
            dt = (next - time)/max(1, ceiling((next - time)/dt))
            call step(dt)
            time = time + dt
            call measure(s, q, time, now)
            lost = find_lost(s, q)
        end do
        if (lost > 0 .and. s%forces == 'program') then
            call whole%fetch(search, s, q, r%offsets)
            lost = max(1, find_lost(s, q))
        end if
    end subroutine run

    !> One step of the scheme in the head of this file.
    subroutine step(dt)
        real(dp), intent(in) :: dt

        call kick(dt/2)
        call drift(dt/2)
        call find_neighbors()
        if (s%forces == 'formula') then
            call by_formula%density_gradient(search, s, q)
            call by_formula%density_rate(search, s, q)
        else
            call density_gradient(s, q, r)
            call density_rate(s, q, r)
        end if
        q%rho(:q%n_fluid) = q%rho(:q%n_fluid) + dt*q%drho(:q%n_fluid)
        call drift(dt/2)
        if (s%forces == 'formula') call set_points()
        call find_acceleration()
        call kick(dt/2)
    end subroutine step

    subroutine find_acceleration()
        if (s%forces == 'formula') then
            call by_formula%update_pressure(search, s, q)
            call by_formula%acceleration(search, s, q, r%offsets)
        else
            call update_pressure(s, q, r)
            call acceleration(s, q, r)
        end if
    end subroutine find_acceleration

    subroutine kick(dt)
        real(dp), intent(in) :: dt

        associate (n => q%n_fluid)
            q%vx(:n) = q%vx(:n) + dt*q%ax(:n)
            q%vy(:n) = q%vy(:n) + dt*q%ay(:n)
            q%vz(:n) = q%vz(:n) + dt*q%az(:n)
        end associate
    end subroutine kick

    subroutine drift(dt)
        real(dp), intent(in) :: dt

        associate (n => q%n_fluid)
            q%x(:n) = q%x(:n) + dt*q%vx(:n)
            q%y(:n) = q%y(:n) + dt*q%vy(:n)
            q%z(:n) = q%z(:n) + dt*q%vz(:n)
        end associate
        if (s%periodic_sides) call wrap()
    end subroutine drift

    !> Brings in at the other side what has left through a periodic one. The search would not mind where
    !> particles are, it wraps a copy; but frames show the tank, and the sums need look no farther
    !> than one period. The skin keeps a drift shorter than that.
    subroutine wrap()
        integer :: i

        do i = 1, q%n_fluid
            if (q%z(i) < 0) then
                q%z(i) = q%z(i) + s%period
            else if (q%z(i) >= s%period) then
                q%z(i) = q%z(i) - s%period
            end if
        end do
    end subroutine wrap

    !> The part of the program that neargrid does. The rows are views of its memory, not copies.
    subroutine find_neighbors()
        integer(int64) :: before, after, rate

        call system_clock(before, rate)
        call set_points()
        if (s%variable_h) then
            ! the cutoff of two particles is the mean of theirs, as their kernel is that of mean h
            call update_smoothing(s, q)
            call search%set_radii(2*q%h + s%skin, neargrid_radius_mean)
        end if
        if (s%forces == 'formula') return   ! sums find them
        call search%neighbors(r%offsets, r%ids)
        call system_clock(after)
        search_seconds = search_seconds + real(after - before, dp)/real(rate, dp)
        call split_rows(q, r)
    end subroutine find_neighbors

    subroutine set_points()
        if (s%dim == 2) then
            call search%set_points(q%x, q%y)
        else
            call search%set_points(q%x, q%y, q%z)
        end if
    end subroutine set_points

    !> Sound crosses at most cfl h in a step, free acceleration from rest h / 32, and nothing
    !> outruns the skin, whatever the first half of the step adds to the top speed.
    real(dp) function longest_step() result(dt)
        real(dp) :: top_acceleration

        associate (n => q%n_fluid)
            top_acceleration = sqrt(maxval(q%ax(:n)**2 + q%ay(:n)**2 + q%az(:n)**2))
        end associate
        dt = min(s%cfl*s%h/(s%c0 + now%top_speed), 0.25_dp*sqrt(s%h/top_acceleration))
        dt = min(dt, s%skin/(now%top_speed + dt*top_acceleration))
    end function longest_step

    !> Time has come to dimensionless moment `t`, up to rounding.
    logical function reached(t)
        real(dp), intent(in) :: t

        reached = time*s%time_scale > t - 1e-9_dp
    end function reached

    real(dp) function seconds()
        integer(int64) :: ticks, rate

        call system_clock(ticks, rate)
        seconds = real(ticks - started, dp)/real(rate, dp)
    end function seconds

    subroutine introduce()
        print '(a)', trim(s%title)
        print '(i0, a, i0, a, i0, a)', s%dim, 'D, ', q%n_fluid, ' fluid and ', q%n - q%n_fluid, &
            ' wall particles'//trim(merge(', periodic sides', '                ', s%periodic_sides))
        print '(a, i0, a, f0.2, a, f0.2, a)', 'a / dx = ', s%cells, ', h / dx = ', s%h_over_dx, &
            ', c0 = ', s%c0, ' m/s'
        print '(2a)', 'output in ', trim(s%output_dir)
        flush (output_unit)
    end subroutine introduce

    subroutine write_line()
        print '(2f11.3, 3f11.4, f11.5, f11.3, i11, f11.1, f10.0, a)', time*s%time_scale, &
            now%front/s%width, [now%kinetic, now%potential, now%internal]/first%total, &
            now%total/first%total, now%top_speed, steps, seconds(), &
            100*time*s%time_scale/s%t_end, '%'
        flush (output_unit)
    end subroutine write_line

    !> Comparison with experiments, timing, verdict. Trouble is an exit status.
    subroutine conclude()
        character(len=:), allocatable :: used, verdict
        real(dp) :: wall

        wall = seconds()
        call files%close()
        call compare(s, past, files%folder//'/experiments.csv')
        call search%info(used)
        call search%destroy()
        if (s%forces == 'formula') call by_formula%destroy()
        if (s%forces == 'program') call whole%destroy()
        print '(/, a, /, a)', 'search', used
        print '(a, f0.2, a, i0, a, f0.2, 3a)', 'wall time ', wall, ' s for ', steps, ' steps, ', &
            steps/wall, ' steps a second (forces: ', trim(s%forces), ')'
        if (s%forces == 'list') print '(a, f0.2, a)', 'the search took ', search_seconds, ' s of it'
        if (lost > 0) then
            verdict = 'FAILED: a particle is lost'
            print '(a, i0, a, 3es12.4)', 'lost particle ', lost, ' at', &
                q%x(lost), q%y(lost), q%z(lost)
        else if (.not. highest < energy_bound*first%total) then
            verdict = 'FAILED: energy was gained'
        else if (reached(settled) .and. .not. now%total < first%total) then
            verdict = 'FAILED: energy did not fall'
        else
            verdict = 'OK'
        end if
        print '(3a, f0.3, a, f0.3, a, f0.5, a, f0.5)', 'dam_break: ', verdict, ', T = ', &
            time*s%time_scale, ', Z = ', now%front/s%width, ', E/E(0) = ', now%total/first%total, &
            ', at most ', highest/first%total
        if (verdict /= 'OK') stop 1, quiet=.true.
    end subroutine conclude

end program dam_break
