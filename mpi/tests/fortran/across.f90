!> The Fortran module under mpirun: pairs, ghosts and fields of a cloud against the plain loop, k nearest
!> and groups against those of one rank, in both precisions, points and fields that migrate, and what is
!> refused.
program across
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use mpi_f08
    use neargrid_mpi
    use support, only: check, check_failure, cloud_f64, finish, plain_pairs
    implicit none (type, external)
    integer, parameter :: n = 240
    real(real64), parameter :: cutoff = 0.21_real64
    real(real64) :: x(3, n)
    integer(c_int), allocatable :: near_i(:), near_j(:)
    type(neargrid_mpi_search) :: search, empty, nobody
    integer(int64), allocatable :: mine(:), ids(:)          ! of this rank's points; of its ghosts too
    integer :: rank, ranks, k
    integer(c_int) :: stat
    character(len=300) :: errmsg

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    x = real(real(cloud_f64(3, n, 5), real32), real64)     ! the same in both precisions
    call plain_pairs(x, cutoff, near_i, near_j)
    mine = [(int(k, int64), k=rank + 1, n, ranks)]         ! ids are places in the cloud
    call search%create(MPI_COMM_WORLD%MPI_VAL)
    call search%set_cutoff(cutoff)
    call search%set_threads(1_c_int)
    call search%set_box([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [.false., .false., .false.])
    call search%set_points(x(:, mine))
    call search%set_ids(mine)
    call expect_f64()
    call search%set_cutoff(real(cutoff, real32))
    call plain_pairs(real(x, real32), real(cutoff, real32), near_i, near_j)
    call search%set_points(real(x(:, mine), real32))
    call expect_pairs("real32")
    call expect_ghosts_f32()
    call expect_f32()
    call expect_migration()
    call refused_moves()
    call search%set_points(x(:, mine))
    call search%set_ids(mine)
    call search%set_cutoff(cutoff)
    call refused()
    call search%destroy()
    call search%destroy()
    deallocate (near_i, near_j, mine, ids)                      ! a main program frees nothing by itself
    call MPI_Finalize()
    call finish("across", 30)

contains

    subroutine expect_f64()
        call expect_pairs("real64")
        call expect_ghosts_f64()
        call expect_halo()
        call expect_knn()
        call expect_groups()
    end subroutine expect_f64

    !> Global ids of this rank's points and ghosts, by number.
    subroutine learn_ids()
        integer(int64), pointer :: ghosts(:)
        integer(c_int), pointer :: owners(:)
        real(real64), pointer :: wide(:, :)
        real(real32), pointer :: narrow(:, :)
        integer(c_int) :: status

        call search%ghosts(ghosts, owners, wide, status)
        if (status /= 0) call search%ghosts(ghosts, owners, narrow)
        if (allocated(ids)) deallocate (ids)
        allocate (ids(size(mine) + size(ghosts)))
        ids(:size(mine)) = mine
        ids(size(mine) + 1:) = ghosts
    end subroutine learn_ids

    subroutine expect_pairs(what)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)
        logical :: here(size(near_i))

        call learn_ids()
        call search%pairs(pair_i, pair_j)
        here = mod(near_i - 1, ranks) == rank              ! i < j, also by id
        call check(size(pair_i) == count(here), what // ": number of pairs")
        if (size(pair_i) /= count(here)) return
        call check(all(ids(pair_i) == pack(near_i, here)), what // ": pair_i")
        call check(all(ids(pair_j) == pack(near_j, here)), what // ": pair_j")
        call search%set_ghost_pairs(neargrid_ghost_pairs_all)
        call search%pairs(pair_i, pair_j)
        call search%set_ghost_pairs(neargrid_ghost_pairs_larger_ids)
        here = here .or. mod(near_j - 1, ranks) == rank
        call check(size(pair_i) == count(here), what // ": number of pairs on both sides")
        call check(all(pair_i <= size(mine)), what // ": left points")
    end subroutine expect_pairs

    subroutine expect_ghosts_f64()
        integer(int64), pointer :: ghosts(:)
        integer(c_int), pointer :: owners(:)
        real(real64), pointer :: pos(:, :)

        call search%ghosts(ghosts, owners, pos)
        call check(size(pos, 1) == 3 .and. size(pos, 2) == size(ghosts), "shape of ghosts")
        call check(all(mod(ghosts - 1, int(ranks, int64)) == owners), "owners of ghosts")
        call check(all(abs(pos - x(:, ghosts)) <= 0), "positions of ghosts")
    end subroutine expect_ghosts_f64

    subroutine expect_ghosts_f32()
        integer(int64), pointer :: ghosts(:)
        integer(c_int), pointer :: owners(:)
        real(real32), pointer :: pos(:, :)

        call search%ghosts(ghosts, owners, pos)
        call check(all(abs(pos - real(x(:, ghosts), real32)) <= 0), "positions in real32")
    end subroutine expect_ghosts_f32

    !> Fields of all kinds, of one number a point and of several.
    subroutine expect_halo()
        integer(int64), allocatable :: wide(:)
        integer(int32), allocatable :: flags(:, :)
        real(real64), allocatable :: velocity(:, :)
        real(real32), allocatable :: density(:)
        integer :: local

        call learn_ids()
        local = size(mine)
        allocate (wide(size(ids)), velocity(3, size(ids)), flags(2, size(ids)), density(size(ids)))
        velocity(:, :) = x(:, ids)
        velocity(:, local + 1:) = -1
        call search%halo_exchange(velocity)
        call check(all(abs(velocity - x(:, ids)) <= 0), "halo of real64")
        density(:) = real(ids, real32)
        density(local + 1:) = -1
        call search%halo_exchange(density)
        call check(all(nint(density, int64) == ids), "halo of real32")
        wide(:) = ids
        wide(local + 1:) = -1
        call search%halo_exchange(wide)
        call check(all(wide == ids), "halo of int64")
        flags(1, :) = int(ids, int32)
        flags(2, :) = -int(ids, int32)
        flags(:, local + 1:) = 0
        call search%halo_exchange(flags)
        call check(all(flags(1, :) == ids) .and. all(flags(2, :) == -ids), "halo of int32")
    end subroutine expect_halo

    !> The k nearest, against those of one rank.
    subroutine expect_knn()
        type(neargrid_search) :: alone
        integer(c_int), pointer :: row(:, :), owners(:), counts(:)
        integer(c_int), allocatable :: whole(:, :)
        integer(int64), pointer :: ghosts(:)
        integer(int64) :: named(size(mine) + n)
        real(real64), pointer :: near(:, :), pos(:, :)
        real(real64), allocatable :: distances(:, :)
        integer :: i
        logical :: ok

        call alone%create()
        call alone%set_points(x)
        call alone%knn(5_c_int, whole, distances)
        call search%knn(5_c_int, row, near, counts=counts)
        call search%knn_ghosts(ghosts, owners, pos)
        named(:size(mine)) = mine
        named(size(mine) + 1:size(mine) + size(ghosts)) = ghosts
        ok = size(row, 2) == size(mine) .and. all(counts == 5)
        do i = 1, size(mine)
            ok = ok .and. all(named(row(:, i)) == whole(:, mine(i)))
            ok = ok .and. all(abs(near(:, i) - distances(:, mine(i))) <= 0)
        end do
        call check(ok, "k nearest")
        call check(all(mod(ghosts - 1, int(ranks, int64)) == owners), "owners of ghosts of k nearest")
        call check(all(abs(pos - x(:, ghosts)) <= 0), "positions of ghosts of k nearest")
        call search%knn(1_c_int, row, near, kind=neargrid_knn_all, measure=neargrid_measure_square)
        call check(all(row(1, :) == [(i, i=1, size(mine))]) .and. all(abs(near) <= 0), "with itself")
    end subroutine expect_knn

    !> Groups and their catalogue, against those of one rank.
    subroutine expect_groups()
        type(neargrid_search) :: alone
        type(neargrid_groups) :: whole, found
        integer(c_int), allocatable :: expected(:)
        integer(int64), allocatable :: labels(:)
        integer(int64) :: ngroups, all_groups
        real(real64) :: masses(n)
        integer :: g, at
        logical :: ok

        masses = [(1.0_real64 + 1.0_real64/g, g=1, n)]
        call alone%create()
        call alone%set_cutoff(0.09_real64)
        call alone%set_points(x)
        call alone%fof(expected, ngroups=ngroups)
        call alone%groups(whole, 2_c_int, masses, x)
        call search%set_cutoff(0.09_real64)
        call search%fof(labels, ngroups=all_groups)
        call check(all_groups == ngroups .and. ngroups > 20, "number of groups")
        call check(all(labels == expected(mine)), "labels")
        call search%groups(found, 2_c_int, masses(mine), x(:, mine))
        ok = .true.
        at = 0
        do g = 1, size(whole%labels)
            if (mod(whole%labels(g) - 1, ranks) /= rank) cycle
            at = at + 1
            if (at > size(found%ids)) exit
            ok = ok .and. found%ids(at) == whole%labels(g) .and. found%sizes(at) == whole%sizes(g)
            ok = ok .and. abs(found%masses(at) - whole%masses(g)) <= 0
            ok = ok .and. abs(found%radii(at) - whole%radii(g)) <= 0
            ok = ok .and. all(abs(found%centers(:, at) - whole%centers(:, g)) <= 0)
            ok = ok .and. all(abs(found%velocities(:, at) - whole%velocities(:, g)) <= 0)
        end do
        call check(ok .and. at == size(found%ids) .and. .not. any(found%wide), "catalogue")
        call search%groups(found, 1_c_int)
        call check(size(found%ids) == count(labels == mine), "groups of all sizes")
        call check(.not. allocated(found%velocities), "no velocities")
        call search%set_cutoff(cutoff)
    end subroutine expect_groups

    !> Both in real32.
    subroutine expect_f32()
        type(neargrid_groups) :: found
        integer(c_int), pointer :: row(:, :), owners(:)
        integer(int64), pointer :: ghosts(:)
        integer(int64), allocatable :: labels(:)
        real(real32), pointer :: near(:, :), pos(:, :)
        real(real32) :: ones(3, size(mine))

        call search%knn(2_c_int, row, near)
        call search%knn_ghosts(ghosts, owners, pos)
        call check(all(near(1, :) <= near(2, :)) .and. all(near > 0), "k nearest in real32")
        call check(all(abs(pos - real(x(:, ghosts), real32)) <= 0), "ghosts of k nearest in real32")
        ones = 1
        call search%groups(found, 1_c_int, ones(1, :), ones)
        call search%fof(labels)
        call check(size(found%sizes) == count(labels == mine), "groups in real32")
        call check(all(abs(found%masses - real(found%sizes, real64)) <= 0) &
                   .and. all(abs(found%velocities - 1) <= 0), "sums in real32")
    end subroutine expect_f32

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

    subroutine refused_moves()
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
    end subroutine refused_moves

    !> Faults that the modules find before they call the library, on the last rank alone, and others.
    subroutine refused()
        type(neargrid_groups) :: found
        integer(c_int), pointer :: pair_i(:), pair_j(:), row(:, :)
        real(real64), pointer :: near(:, :)
        real(real64) :: rows(9, 3)
        real(real64), allocatable :: y(:), field(:)
        integer(int64), allocatable :: some(:), starts(:)
        character(len=8) :: last
        integer(c_int) :: n_new
        logical :: wrong

        write (last, "('rank ', i0, ':')") ranks - 1
        wrong = rank == ranks - 1
        rows = 0
        allocate (y(merge(3, size(mine), wrong)), source=0.0_real64)
        call search%set_points(x(1, mine), y, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, &
                           trim(last) // " size(y) = 3 |size(x) = ", "too few y")
        if (wrong) call search%set_points(rows, stat=stat, errmsg=errmsg)
        if (.not. wrong) call search%set_points(x(:, mine), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_dim, errmsg, &
                           trim(last) // " size(pos, 1) = 9 |transpose(pos)", "pos(n, dim)")
        call search%pairs(pair_i, pair_j)
        allocate (field(merge(0, size(mine) + n, wrong)), source=0.0_real64)
        call search%halo_exchange(field, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "rank ", "a field of no size that fits")
        allocate (some(merge(3, size(mine), wrong)), source=0_int64)
        n_new = 5
        call search%migration_plan(x(:, mine), n_new, some, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, &
                           trim(last) // " size(ids) = 3 |size(pos, 2) = ", "too few ids")
        call check(n_new == 5, "count of no plan")
        call search%knn(0_c_int, row, near, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "rank 0: k = 0 |1 to 1024", "k")
        call search%groups(found, 0_c_int, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "rank 0: min_size = 0", "min_size")
        call search%groups(found, 1_c_int, y, x(:, mine(2:)), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, &
                           "rank 0: size(velocities, 2) = |size(masses) = ", "velocities")
        call search%set_pair_field("a", [1_int64, 2_int64], [7_int64], field, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, trim(last) // " size(values) = 0 |at least", "too few values")
        call search%set_pair_field("a", [1_int64, 2_int64], [7_int64], [0.5_real64])
        call search%pair_field("a", starts, some, field)
        call check(all(starts == [1, 2]) .and. all(some == 7) .and. all(abs(field - 0.5) <= 0), "a pair field")
        call search%set_pair_field("a", [1_int64, 2_int64], [7_c_int], [0.5_real64], stat, errmsg)
        call check_failure(stat, neargrid_status_not_supported, errmsg, "by point numbers", "numbers of points")
        if (ranks > 1) then
            call search%set_cutoff(merge(0.3_real64, 0.2_real64, rank == 1))
            call search%pairs(pair_i, pair_j, stat=stat, errmsg=errmsg)
            call check_failure(stat, neargrid_status_disagreement, errmsg, &
                               "cutoff = 0.2 on rank 0, 0.3 on rank 1", "differing cutoffs")
        end if
        call empty%set_cutoff(1.0_real64, stat, errmsg)
        call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "no search")
        call empty%create(MPI_COMM_NULL%MPI_VAL, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "MPI_COMM_NULL", "no comm")
    end subroutine refused

end program across
