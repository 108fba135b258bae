!> Migrations and the skin of the Fortran module under mpirun: points and fields of all kinds move to
!> where they are planned to, and pairs stay those of the plain loop while points drift.
program steps
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use mpi_f08
    use neargrid
    use neargrid_mpi
    use support, only: check, check_failure, cloud_f64, finish, plain_pairs
    implicit none (type, external)
    integer, parameter :: n = 240
    real(real64), parameter :: cutoff = 0.2_real64, skin = 0.05_real64
    real(real64) :: x(3, n)
    type(neargrid_mpi_search) :: search, nobody
    integer(int64), allocatable :: mine(:)
    integer :: rank, ranks, k
    integer(c_int) :: stat
    character(len=300) :: errmsg

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    x = real(real(cloud_f64(3, n, 7), real32), real64)     ! the same in both precisions
    mine = [(int(k, int64), k=rank + 1, n, ranks)]         ! ids are places in the cloud
    call search%create(MPI_COMM_WORLD%MPI_VAL)
    call search%set_cutoff(cutoff)
    call search%set_threads(1_c_int)
    call search%set_device(neargrid_device_auto)
    call expect_migration()
    call search%set_skin(skin)
    call expect_steps()
    call search%set_skin(real(skin, real32))
    call expect_steps_f32()
    call refused()
    call search%destroy()
    deallocate (mine)
    call MPI_Finalize()
    call finish("steps", 25)

contains

    !> Positions, ids, and fields of all kinds and shapes; in both precisions to the same ranks.
    subroutine expect_migration()
        integer(int64) :: n_after, n_narrow, counted
        integer(int64), allocatable :: ids(:)
        integer(int32), allocatable :: flags(:, :, :)
        real(real32), allocatable :: density(:)
        real(real64), allocatable :: pos(:, :)

        n_after = -1
        call search%plan_migration(real(x(:, mine), real32), mine, n_narrow)
        call search%plan_migration(x(:, mine), mine, n_after)
        call check(n_after == n*(rank + 1)/ranks - n*rank/ranks, "equal shares")
        call check(n_narrow == n_after, "in real32")
        call search%counter(neargrid_mpi_counter_migration_after, counted)
        call check(counted == n_after, "counter")
        allocate (ids(n_after), flags(2, 3, n_after), density(n_after), pos(3, n_after))
        call search%migrate(mine, ids)
        call search%migrate(x(:, mine), pos)
        call search%migrate(real(mine, real32), density)
        call search%migrate(reshape(spread(int(mine, int32), 1, 6), [2, 3, size(mine)]), flags)
        call check(all(abs(pos - x(:, ids)) <= 0), "positions")
        call check(all(nint(density) == ids), "a field of real32")
        call check(all(flags == reshape(spread(int(ids, int32), 1, 6), [2, 3, size(ids)])), &
                   "a field of int32")
        call search%migrate(mine, ids(2:), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(after, last) = ", &
                           "too few afterwards")
        call search%migrate(x(:, mine), pos(:2, :), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "but last) = 2 ", "another shape")
        mine = ids
    end subroutine expect_migration

    !> Drifts that are kept, and one that is not.
    subroutine expect_steps()
        real(real64) :: share
        logical :: rebuilt
        integer :: step

        call search%set_points(x(:, mine), mine)
        call expect_pairs("the first step")
        do step = 1, 4
            x(1, :) = x(1, :) + 0.005_real64*merge(1, -1, mod([(k, k=1, n)], 3) == 0)
            rebuilt = .true.
            call search%update(x(:, mine), mine, rebuilt)
            call check(.not. rebuilt, "a step that is kept")
            call search%skin_used(share)
            call check(abs(share - 0.2_real64*step) < 1e-6_real64, "share of the skin")
            call expect_pairs("a step that is kept")
        end do
        x(2, n) = x(2, n) + 0.1_real64
        call search%update(x(:, mine), mine, rebuilt)
        call check(rebuilt, "a step that is not kept")
        call search%skin_used(share)
        call check(share > 1, "share of a step that is not kept")
        call expect_pairs("a step that is not kept")
    end subroutine expect_steps

    subroutine expect_steps_f32()
        logical :: rebuilt

        call search%update(real(x(:, mine), real32), mine, rebuilt)
        call check(rebuilt, "another precision")
        call expect_pairs("another precision", .true.)
        call search%update(real(x(:, mine), real32), mine, rebuilt)
        call check(.not. rebuilt, "real32 kept")
    end subroutine expect_steps_f32

    subroutine expect_pairs(what, narrow)
        character(len=*), intent(in) :: what
        logical, intent(in), optional :: narrow
        integer(c_int), allocatable :: near_i(:), near_j(:)
        integer(c_int), pointer :: pair_i(:), pair_j(:)
        logical :: is_mine(n)

        if (present(narrow)) then
            call plain_pairs(real(x, real32), real(cutoff, real32), near_i, near_j)
        else
            call plain_pairs(x, cutoff, near_i, near_j)
        end if
        is_mine = .false.
        is_mine(mine) = .true.
        call search%pairs(pair_i, pair_j)
        associate (want => pack(near_i, is_mine(near_i)))
            call check(size(pair_i) == size(want), what // ": number of pairs")
            if (size(pair_i) == size(want)) call check(all(mine(pair_i) == want), what // ": left points")
        end associate
    end subroutine expect_pairs

    subroutine refused()
        integer(int64) :: n_after
        logical :: rebuilt

        call search%update(x(:, mine), mine(2:), rebuilt, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(ids) = ", "too few ids")
        call search%set_skin(-1.0, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "skin = -1", "a skin")
        call search%set_device(-3_c_int, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "number = -3", "a device")
        n_after = 5
        call nobody%plan_migration(x, n_after=n_after, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "no search")
        call check(n_after == 5, "count of no search")
    end subroutine refused

end program steps
