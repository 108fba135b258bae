!> Migrations and the skin of the Fortran module under mpirun: points and fields of all kinds move to
!> where they are planned to, and pairs stay those of the plain loop while points drift.
program steps
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use mpi_f08
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

    !> Positions, ids, and fields of all kinds; in both precisions to the same ranks.
    subroutine expect_migration()
        integer(c_int) :: n_new, n_narrow
        integer(int64), allocatable :: ids(:)
        integer(int32), allocatable :: flags(:, :)
        real(real32), allocatable :: density(:)
        real(real64), allocatable :: pos(:, :)

        n_new = -1
        call search%migration_plan(real(x(:, mine), real32), n_narrow, mine)
        call search%migration_plan(x(:, mine), n_new, mine)
        call check(n_new == n*(rank + 1)/ranks - n*rank/ranks, "equal shares")
        call check(n_narrow == n_new, "in real32")
        ids = mine
        pos = x(:, mine)
        density = real(mine, real32)
        flags = spread(int(mine, int32), 1, 2)
        call search%migration_move(ids, n_new)
        call search%migration_move(pos, n_new)
        call search%migration_move(density, n_new)
        call search%migration_move(flags, n_new)
        call check(size(ids) == n_new .and. all(abs(pos - x(:, ids)) <= 0), "positions")
        call check(all(nint(density) == ids), "a field of real32")
        call check(all(flags == spread(int(ids, int32), 1, 2)), "a field of int32")
        density = real(mine, real32)
        call search%migration_move(density, n_new + 1_c_int, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "rank 0: ", "too many afterwards")
        call check(size(density) == size(mine), "a field that has not moved")
        mine = ids
    end subroutine expect_migration

    !> Drifts that are kept, and one that is not.
    subroutine expect_steps()
        real(real64) :: share
        logical :: rebuilt
        integer :: step

        call search%set_points(x(:, mine))
        call search%set_ids(mine)
        call expect_pairs("the first step")
        do step = 1, 4
            x(1, :) = x(1, :) + 0.005_real64*merge(1, -1, mod([(k, k=1, n)], 3) == 0)
            rebuilt = .true.
            call search%update(x(:, mine), rebuilt)
            call check(.not. rebuilt, "a step that is kept")
            call search%skin_used(share)
            call check(abs(share - 0.2_real64*step) < 1e-6_real64, "share of the skin")
            call expect_pairs("a step that is kept")
        end do
        x(2, n) = x(2, n) + 0.1_real64
        call search%update(x(:, mine), rebuilt)
        call check(rebuilt, "a step that is not kept")
        call search%skin_used(share)
        call check(share > 1, "share of a step that is not kept")
        call expect_pairs("a step that is not kept")
    end subroutine expect_steps

    subroutine expect_steps_f32()
        logical :: rebuilt

        call search%update(real(x(:, mine), real32), rebuilt)
        call check(rebuilt, "another precision")
        call expect_pairs("another precision", .true.)
        call search%update(real(x(:, mine), real32), rebuilt)
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
        integer(c_int) :: n_new

        call search%set_skin(-1.0, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "skin = -1", "a skin")
        n_new = 5
        call nobody%migration_plan(x, n_new, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "no search")
        call check(n_new == 5, "count of no search")
        call nobody%create()
        call nobody%migration_plan(x, n_new, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "ranks", "a search without ranks")
    end subroutine refused

end program steps
