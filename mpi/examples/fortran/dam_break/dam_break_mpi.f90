!> The dam break of examples/fortran/dam_break under MPI, with the whole step as a text: the modules
!> are those of the program for one process, and energies are the same to the last bit on any number
!> of ranks.
!>
!>     mpirun -n 4 dam_break_mpi input.nml [name=value ...]
!>
!> The search is created for a communicator, and particles migrate every `spread_every` steps: all
!> else is that of dam_break.f90. They begin on rank 0. Energies go to output_dir/energies.csv, a folder that
!> must exist.
program dam_break_mpi
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit
    use mpi_f08
    use neargrid_mpi, only: neargrid_mpi_search
    use settings_m, only: dp, settings, read_settings
    use particles_m, only: particles, allocate_particles, make_particles
    use program_m, only: program_text
    use monitor_m, only: state
    implicit none (type, external)

    integer, parameter :: spread_every = 25
    real(dp), parameter :: energy_bound = 1.01_dp
    type(settings) :: s
    type(particles) :: q
    type(neargrid_mpi_search) :: search
    type(program_text) :: whole
    type(state) :: first, now
    integer(int64), allocatable :: id(:)
    integer :: rank, ranks, steps, lost, table, k

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call read_command_line()
    if (rank == 0) call make_particles(s, q)
    if (rank > 0) call allocate_particles(q, 0, 0)
    id = [(int(k, int64), k=1, q%n)]
    call search%create(MPI_COMM_WORLD%MPI_VAL)
    call search%set_cutoff(2*s%h)
    if (s%periodic_sides) call search%set_box([0.0_dp, 0.0_dp, 0.0_dp], s%tank*s%width, &
        periodic=[.false., .false., .true.])
    call whole%create(search, s, q)
    call search%set_ids(id)
    call open_table()
    call run()
    call conclude()
    call whole%destroy()
    call search%destroy()
    call MPI_Finalize()

contains

    subroutine read_command_line()
        character(len=400), allocatable :: words(:)
        character(len=400) :: path

        if (command_argument_count() < 1) call give_up('usage: dam_break_mpi input.nml [name=value ...]')
        call get_command_argument(1, path)
        allocate (words(command_argument_count() - 1))
        do k = 1, size(words)
            call get_command_argument(k + 1, words(k))
        end do
        call read_settings(trim(path), words, s)
    end subroutine read_command_line

    !> From rest to t_end, or until energy is gained or a particle is lost.
    subroutine run()
        integer :: table_at

        steps = 0; table_at = 0
        call whole%start(search, s, now, lost)
        first = now
        do
            if (reached(table_at*s%table_every) .or. reached(s%t_end)) then
                call write_line()
                table_at = table_at + 1
            end if
            if (lost > 0 .or. .not. now%total < energy_bound*first%total .or. reached(s%t_end)) exit
            if (mod(steps, spread_every) == 1) call whole%migrate(search, id)
            call whole%step(search, s, q, min(table_at*s%table_every, s%t_end)/s%time_scale, now, lost)
            steps = steps + 1
        end do
    end subroutine run

    !> Time has come to dimensionless moment `t`, up to rounding.
    logical function reached(t)
        real(dp), intent(in) :: t

        reached = now%time*s%time_scale > t - 1e-9_dp
    end function reached

    subroutine open_table()
        integer :: status

        if (rank > 0) return
        open (newunit=table, file=trim(s%output_dir)//'/energies.csv', status='replace', &
            action='write', iostat=status)
        if (status /= 0) call give_up('cannot write to the folder '//trim(s%output_dir))
        write (table, '(a)') 'T,Z,kinetic,potential,internal'
        print '(a, i0, a, i0, a, i0, a)', trim(s%title)//', ', q%n_fluid, ' fluid and ', &
            q%n - q%n_fluid, ' wall particles on ', ranks, ' ranks'
        print '(8a11)', 'T', 'Z', 'kinetic', 'potential', 'internal', 'E/E(0)', 'steps', 'particles'
    end subroutine open_table

    !> A line of the table, in full, and one to be read.
    subroutine write_line()
        character(len=40) :: spread
        integer :: few, many

        call MPI_Reduce(size(id), few, 1, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD)
        call MPI_Reduce(size(id), many, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
        if (rank > 0) return
        write (table, '(4(es23.16, ","), es23.16)') now%time*s%time_scale, now%front/s%width, &
            now%kinetic, now%potential, now%internal
        write (spread, '(i0, a, i0)') few, ' to ', many
        print '(2f11.3, 3f11.4, f11.5, i11, 3x, a)', now%time*s%time_scale, now%front/s%width, &
            [now%kinetic, now%potential, now%internal]/first%total, now%total/first%total, steps, &
            trim(spread)
        flush (output_unit)
    end subroutine write_line

    subroutine conclude()
        character(len=:), allocatable :: verdict

        verdict = 'OK'
        if (.not. now%total < energy_bound*first%total) verdict = 'FAILED: energy was gained'
        if (lost > 0) verdict = 'FAILED: a particle is lost'
        if (rank == 0) then
            close (table)
            print '(2a, i0, a, i0, a, f0.3, a, f0.5)', 'dam_break_mpi: '//verdict, ', ', ranks, &
                ' ranks, ', steps, ' steps, T = ', now%time*s%time_scale, ', E/E(0) = ', &
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
