!> The dam break of examples/fortran/dam_break under MPI: the same equations, particles spread over
!> ranks, and the same energies to the last bit on any number of them.
!>
!>     mpirun -n 4 dam_break_mpi input.nml [name=value ...]
!>
!> Ranks begin with slabs along x and spread the particles anew every `spread_every` steps. A step is
!> that of dam_break.f90; between its parts the ghosts get what their owners computed. Each rank
!> sums over rows that are ordered by number among all particles, so that forces are the same bits
!> on any number of ranks; and energies are added up as integers (`add_up`), in which order does
!> not matter. They go to output_dir/energies.csv, a folder that must exist.
program dam_break_mpi
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit
    use mpi_f08
    use neargrid_mpi, only: neargrid_mpi_search
    use settings_m, only: dp, settings, read_settings
    use particles_m, only: particles, tait_gamma, make_particles
    use sph_m, only: rows, update_pressure, density_gradient, density_rate, acceleration
    use part_m, only: part, take_slab, spread_anew, find_neighbors, refresh_fluid, refresh_slopes, &
        refresh_pressure
    implicit none (type, external)

    integer, parameter :: spread_every = 25
    real(dp), parameter :: energy_bound = 1.01_dp

    !> One moment of a run, the same on all ranks.
    type :: state
        real(dp) :: kinetic = 0, potential = 0, internal = 0, total = 0, front = 0, top_speed = 0
    end type state

    type(settings) :: s
    type(part) :: p
    type(rows) :: r
    type(neargrid_mpi_search) :: search
    type(state) :: first, now
    integer :: rank, ranks, steps, table
    real(dp) :: time

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call begin()
    call run()
    call conclude()
    call search%destroy()
    call MPI_Finalize()

contains

    subroutine begin()
        type(particles) :: all_particles
        character(len=400), allocatable :: words(:)
        character(len=400) :: path
        integer :: k, status

        if (command_argument_count() < 1) call give_up('usage: dam_break_mpi input.nml [name=value ...]')
        call get_command_argument(1, path)
        allocate (words(command_argument_count() - 1))
        do k = 1, size(words)
            call get_command_argument(k + 1, words(k))
        end do
        call read_settings(trim(path), words, s)
        if (s%variable_h) call give_up('smoothing lengths do not vary here')
        call make_particles(s, all_particles)           ! on every rank, but only a slab is kept
        call take_slab(all_particles, rank, ranks, p)
        call search%create(MPI_COMM_WORLD%MPI_VAL)
        call search%set_cutoff(s%cutoff)
        if (s%periodic_sides) call search%set_box([0.0_dp, 0.0_dp, 0.0_dp], s%tank*s%width, &
            periodic=[.false., .false., .true.])
        if (rank > 0) return
        open (newunit=table, file=trim(s%output_dir)//'/energies.csv', status='replace', &
            action='write', iostat=status)
        if (status /= 0) call give_up('cannot write to the folder '//trim(s%output_dir))
        write (table, '(a)') 'T,Z,kinetic,potential,internal'
        print '(a, i0, a, i0, a, i0, a)', trim(s%title)//', ', all_particles%n_fluid, ' fluid and ', &
            all_particles%n - all_particles%n_fluid, ' wall particles on ', ranks, ' ranks'
        print '(8a11)', 'T', 'Z', 'kinetic', 'potential', 'internal', 'E/E(0)', 'steps', 'particles'
    end subroutine begin

    !> From rest to t_end, or until energy is gained.
    subroutine run()
        integer :: table_at
        real(dp) :: dt, next

        time = 0; steps = 0; table_at = 0
        call find_neighbors(search, s, p, r)
        call find_forces()
        now = measured()
        first = now
        do
            if (reached(table_at*s%table_every) .or. reached(s%t_end)) then
                call write_line()
                table_at = table_at + 1
            end if
            if (.not. now%total < energy_bound*first%total .or. reached(s%t_end)) exit
            next = min(table_at*s%table_every, s%t_end)/s%time_scale
            dt = longest_step()
            dt = (next - time)/max(1, ceiling((next - time)/dt))
            if (mod(steps, spread_every) == spread_every - 1) call spread_anew(search, s, p)
            call step(dt)
            time = time + dt
            steps = steps + 1
            now = measured()
        end do
    end subroutine run

    !> One step of the scheme in the head of dam_break.f90.
    subroutine step(dt)
        real(dp), intent(in) :: dt

        call kick(dt/2)
        call drift(dt/2)
        call find_neighbors(search, s, p, r)
        call density_gradient(s, p%q, r)
        call refresh_slopes(search, p)
        call density_rate(s, p%q, r)
        associate (n => p%q%n_fluid)
            p%q%rho(:n) = p%q%rho(:n) + dt*p%q%drho(:n)
        end associate
        call drift(dt/2)
        call find_forces()
        call kick(dt/2)
    end subroutine step

    !> Pressures of fluid and walls, and what follows.
    subroutine find_forces()
        call refresh_fluid(search, s, p)
        call update_pressure(s, p%q, r)
        call refresh_pressure(search, p)
        call acceleration(s, p%q, r)
    end subroutine find_forces

    subroutine kick(dt)
        real(dp), intent(in) :: dt

        associate (q => p%q, n => p%q%n_fluid)
            q%vx(:n) = q%vx(:n) + dt*q%ax(:n)
            q%vy(:n) = q%vy(:n) + dt*q%ay(:n)
            q%vz(:n) = q%vz(:n) + dt*q%az(:n)
        end associate
    end subroutine kick

    subroutine drift(dt)
        real(dp), intent(in) :: dt

        associate (q => p%q, n => p%q%n_fluid)
            q%x(:n) = q%x(:n) + dt*q%vx(:n)
            q%y(:n) = q%y(:n) + dt*q%vy(:n)
            q%z(:n) = q%z(:n) + dt*q%vz(:n)
            if (s%periodic_sides) q%z(:n) = q%z(:n) + merge(s%period, 0.0_dp, q%z(:n) < 0) &
                - merge(s%period, 0.0_dp, q%z(:n) >= s%period)
        end associate
    end subroutine drift

    !> As in dam_break.f90, with the largest values of all ranks.
    real(dp) function longest_step() result(dt)
        real(dp) :: top_acceleration

        associate (q => p%q, n => p%q%n_fluid)
            top_acceleration = largest(sqrt(maxval([q%ax(:n)**2 + q%ay(:n)**2 + q%az(:n)**2, 0.0_dp])))
        end associate
        dt = min(s%cfl*s%h/(s%c0 + now%top_speed), 0.25_dp*sqrt(s%h/top_acceleration))
        dt = min(dt, s%skin/(now%top_speed + dt*top_acceleration))
    end function longest_step

    !> Energies, front and top speed of all particles.
    function measured() result(all_ranks)
        type(state) :: all_ranks
        real(dp) :: v2, compression, mine(2)
        real(dp), allocatable :: energy(:, :)
        integer :: i

        allocate (energy(3, p%q%n_fluid))
        mine = 0
        associate (q => p%q)
            do i = 1, q%n_fluid
                v2 = q%vx(i)**2 + q%vy(i)**2 + q%vz(i)**2
                compression = q%rho(i)/s%rho0
                energy(1, i) = 0.5_dp*q%mass(i)*v2
                energy(2, i) = q%mass(i)*s%gravity*q%y(i)
                energy(3, i) = q%mass(i)*s%c0**2/tait_gamma*( &
                    compression**(nint(tait_gamma) - 1)/(tait_gamma - 1) + 1/compression &
                    - tait_gamma/(tait_gamma - 1))
                mine(1) = max(mine(1), v2)
                if (q%y(i) < 0.25_dp*s%width) mine(2) = max(mine(2), q%x(i))
            end do
        end associate
        associate (sums => add_up(energy))
            all_ranks%kinetic = sums(1); all_ranks%potential = sums(2); all_ranks%internal = sums(3)
            all_ranks%total = sums(1) + sums(2) + sums(3)
        end associate
        all_ranks%top_speed = sqrt(largest(mine(1)))
        all_ranks%front = largest(mine(2)) + 0.5_dp*s%dx
    end function measured

    !> Sums over all particles of all ranks, the same bits in any order: numbers become multiples of
    !> a unit, 2**-50 of what the column has to fall, and integers are added exactly.
    function add_up(energy) result(sums)
        real(dp), intent(in) :: energy(:, :)
        real(dp) :: sums(3)
        integer(int64) :: mine(3), all_ranks(3)
        real(dp) :: unit

        unit = s%rho0*s%gravity*(s%column_height*s%width)**2*s%width*2.0_dp**(-50)
        if (s%dim == 3) unit = unit*s%width
        mine = sum(nint(energy/unit, int64), dim=2)
        call MPI_Allreduce(mine, all_ranks, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
        sums = real(all_ranks, dp)*unit
    end function add_up

    real(dp) function largest(mine)
        real(dp), intent(in) :: mine

        call MPI_Allreduce(mine, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    end function largest

    !> Time has come to dimensionless moment `t`, up to rounding.
    logical function reached(t)
        real(dp), intent(in) :: t

        reached = time*s%time_scale > t - 1e-9_dp
    end function reached

    !> A line of the table, in full, and one to be read.
    subroutine write_line()
        character(len=40) :: spread
        integer :: few, many

        call MPI_Reduce(p%q%n, few, 1, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD)
        call MPI_Reduce(p%q%n, many, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
        if (rank > 0) return
        write (table, '(4(es23.16, ","), es23.16)') time*s%time_scale, now%front/s%width, &
            now%kinetic, now%potential, now%internal
        write (spread, '(i0, a, i0)') few, ' to ', many
        print '(2f11.3, 3f11.4, f11.5, i11, 3x, a)', time*s%time_scale, now%front/s%width, &
            [now%kinetic, now%potential, now%internal]/first%total, now%total/first%total, steps, &
            trim(spread)
        flush (output_unit)
    end subroutine write_line

    subroutine conclude()
        character(len=:), allocatable :: verdict

        verdict = 'OK'
        if (.not. now%total < energy_bound*first%total) verdict = 'FAILED: energy was gained'
        if (rank == 0) then
            close (table)
            print '(2a, i0, a, i0, a, f0.3, a, f0.5)', 'dam_break_mpi: '//verdict, ', ', ranks, &
                ' ranks, ', steps, ' steps, T = ', time*s%time_scale, ', E/E(0) = ', &
                now%total/first%total
        end if
        if (verdict /= 'OK') call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine conclude

    subroutine give_up(text)
        character(len=*), intent(in) :: text

        if (rank == 0) write (error_unit, '(2a)') 'dam_break_mpi: ', text
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end subroutine give_up

end program dam_break_mpi
