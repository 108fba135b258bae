!> Points that are added, active points, types, periodic boxes and queries, from Fortran: every form of every procedure
!> against the plain loop. Steps with a skin are in skin.f90, all clouds in
!> cases.f90.
program kinds
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, guard, plain_pairs, same, untouched
    implicit none (type, external)
    integer, parameter :: n = 150, nq = 40
    real(real64), parameter :: cutoff = 0.25_real64
    real(real64) :: x(3, n), q(3, nq), nan
    integer(c_int), allocatable :: want_i(:), want_j(:)
    type(neargrid_search) :: search
    integer(c_int) :: stat
    character(len=300) :: errmsg

    nan = ieee_value(nan, ieee_quiet_nan)
    x = cloud_f64(3, n, 31)
    q = 1.2_real64*cloud_f64(3, nq, 32) - 0.1_real64
    q(:, 7) = x(:, 9)
    call plain_pairs(x, cutoff, want_i, want_j)
    call search%create()
    call search%set_cutoff(cutoff)
    call added()
    call search%set_points(x)
    call ghosts()
    call roles_of_points()
    call interacting_types()
    call cutoffs_by_types()
    call forms_of_queries()
    call axes_as_queries()
    call search%create()
    call search%set_cutoff(cutoff)
    call boxes()
    call search%destroy()
    deallocate (want_i, want_j)     ! a main program frees nothing by itself
    call finish("kinds", 160)

contains

    !> The pairs of all that `counts` leaves.
    subroutine expect(counts, what)
        logical, intent(in) :: counts(:)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)

        call search%pairs(pair_i, pair_j)
        call check(same(pair_i, pack(want_i, counts)) .and. &
                   same(pair_j, pack(want_j, counts)), what)
    end subroutine expect

    subroutine all_pairs(what)
        character(len=*), intent(in) :: what

        call expect(spread(.true., 1, size(want_i)), what)
    end subroutine all_pairs

    !> The failure just seen, and that the search has all it had.
    subroutine failed(wanted, words, what)
        integer(c_int), intent(in) :: wanted
        character(len=*), intent(in) :: words, what

        call check_failure(stat, wanted, errmsg, words, what)
        call all_pairs(what // ": pairs afterwards")
        stat = guard
        errmsg = ""
    end subroutine failed

    !> Points in parts, in each form, are as all at once.
    subroutine added()
        integer, parameter :: m = 90
        real(real32) :: small(3, n)
        integer :: dim

        call search%add_points(x, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "points|set_points", &
                           "points added to none")
        call search%set_points(x(:, 1:m))
        call search%add_points(x(:, m + 1:m + 20))
        call search%add_points(x(:, m + 21:n), n=int(n - m - 30, c_int))
        call search%add_points(x(1, n - 9:n), x(2, n - 9:n), x(3, n - 9:n))
        call all_pairs("points in parts")
        call search%add_points(x(1:2, :), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "dim = 2|3, the dimension of the points", "points in 2D")
        call search%add_points(real(x, real32), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_value, "real32", "points of another kind")
        call search%add_points(x, n=int(n + 1, c_int), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(pos, 2) = 150|n = 151", "n beyond the points")
        small = real(x, real32)
        do dim = 3, 1, -1
            call search%set_points(small(1:dim, :))
            call search%pairs(want_i, want_j)
            call search%set_points(small(1:dim, 1:m))
            call search%add_points(small(1:dim, m + 1:m + 20))
            if (dim == 3) call search%add_points(small(1, m + 21:), small(2, m + 21:), &
                                                 small(3, m + 21:))
            if (dim == 2) call search%add_points(small(1, m + 21:), small(2, m + 21:))
            if (dim == 1) call search%add_points(small(1, m + 21:), dim=1_c_int)
            call all_pairs("points in parts, real32")
            call search%set_points(x(1:dim, :))
            call search%pairs(want_i, want_j)
            call search%set_points(x(1:dim, 1:m))
            if (dim == 3) call search%add_points(x(:, m + 1:))
            if (dim == 2) call search%add_points(x(1, m + 1:), x(2, m + 1:))
            if (dim == 1) call search%add_points(x(1, m + 1:), dim=1_c_int)
            call all_pairs("points in parts, real64")
        end do
        call plain_pairs(x, cutoff, want_i, want_j)
    end subroutine added

    subroutine ghosts()
        integer(c_int) :: active
        integer(int64) :: npairs

        do active = 0, int(n, c_int), 50_c_int
            call search%set_active(active)
            call expect(want_i <= active, "pairs with ghosts")
        end do
        call search%set_active(int(n + 1, c_int))
        npairs = guard
        call search%count_pairs(npairs, stat, errmsg)
        call check(npairs == guard, "npairs of too many active points")
        call search%set_active(neargrid_all_active)
        call failed(neargrid_status_bad_count, "n_active = 151|0 to 150", "too many active points")
        call search%set_active(-2_c_int, stat, errmsg)
        call failed(neargrid_status_bad_count, "n_active = -2", "negative active points")
    end subroutine ghosts

    !> Active points, ghosts and absent points in any order. Where a pair has a ghost, the active
    !> point is the first of it.
    subroutine roles_of_points()
        integer(c_int) :: roles(n)
        integer(int64) :: npairs, total
        integer :: k

        roles = [(int(mod(7*k, 3), c_int), k=1, n)]
        call search%set_active(roles == neargrid_role_active)
        where (roles == neargrid_role_absent) roles = neargrid_role_ghost
        call expect_roles(roles, "flags of active points")
        roles = [(int(mod(7*k, 3), c_int), k=1, n)]
        call search%set_roles(roles)
        call expect_roles(roles, "roles")
        call search%set_ghost_rows(neargrid_ghost_rows_none)
        call search%count_neighbors(total, kind=neargrid_neighbors_full)
        call check(total == count(roles(want_i) == 1 .and. roles(want_j) /= 0) + &
                   count(roles(want_j) == 1 .and. roles(want_i) /= 0), "rows of active points")
        call search%set_ghost_rows(neargrid_ghost_rows_all)
        call search%count_neighbors(total, kind=neargrid_neighbors_full)
        call check(total == 2*count(roles(want_i) /= 0 .and. roles(want_j) /= 0), "rows of all")
        call search%set_ghost_rows(neargrid_ghost_rows_active)
        call search%set_roles(roles(2:))
        npairs = guard
        call search%count_pairs(npairs, stat, errmsg)
        call check(npairs == guard, "npairs of too few roles")
        call search%set_roles(roles(1:0))
        call failed(neargrid_status_bad_count, "number of roles = 149|150", "too few roles")
        roles(9) = 3
        call search%set_roles(roles, stat, errmsg)
        call failed(neargrid_status_bad_value, "element 9 of roles is 3|0 (absent), 1 (active)", &
                    "no role")
        call search%set_ghost_rows(7_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "which = 7", "no rows of ghosts")
    end subroutine roles_of_points

    subroutine expect_roles(roles, what)
        integer(c_int), intent(in) :: roles(:)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)
        logical :: counts(size(want_i)), is_same
        integer :: k, at

        counts = roles(want_i)*roles(want_j) > 0 .and. (roles(want_i) == 1 .or. roles(want_j) == 1)
        call search%pairs(pair_i, pair_j)
        call check(size(pair_i) == count(counts), what // ": number")
        is_same = all(roles(pair_i) == neargrid_role_active)
        do k = 1, size(pair_i)
            at = findloc(want_i == min(pair_i(k), pair_j(k)) .and. &
                         want_j == max(pair_i(k), pair_j(k)), .true., dim=1)
            if (at == 0) then
                is_same = .false.
            else
                is_same = is_same .and. counts(at)
            end if
            if (k > 1) is_same = is_same .and. (pair_i(k - 1) < pair_i(k) .or. &
                                                pair_i(k - 1) == pair_i(k) .and. pair_j(k - 1) < pair_j(k))
        end do
        call check(is_same, what)
    end subroutine expect_roles

    subroutine interacting_types()
        integer(c_int) :: types(n)
        logical :: mask(3, 3), many(33, 33)
        integer :: k
        integer(int64) :: npairs

        types = [(int(1 + mod(k, 3), c_int), k=1, n)]
        mask = .true.
        mask(3, 3) = .false.
        mask(1, 2) = .false.
        call search%set_types(types, mask, stat, errmsg)
        call failed(neargrid_status_bad_value, "mask(2, 1)|symmetric", "an unsymmetric mask")
        mask(2, 1) = .false.
        call search%set_types(types, mask)
        call expect([(mask(types(want_i(k)), types(want_j(k))), k=1, size(want_i))], &
                    "pairs of types")
        call search%set_types(types(1:n - 1), mask)
        npairs = guard
        call search%count_pairs(npairs, stat, errmsg)
        call check(npairs == guard, "npairs of too few types")
        call search%set_types(types(1:0), mask)
        call failed(neargrid_status_bad_count, "number of types = 149|150", "too few types")
        types(5) = 4
        call search%set_types(types, mask, stat, errmsg)
        call failed(neargrid_status_bad_value, "element 5 of types is 4|1 to 3", "a type beyond the mask")
        types(5) = 0
        call search%set_types(types, mask, stat, errmsg)
        call failed(neargrid_status_bad_value, "element 5 of types is 0|1 to 3", "type 0")
        many = .true.
        types = 1
        call search%set_types(types, many, stat, errmsg)
        call failed(neargrid_status_bad_count, "ntypes = 33|1 to 32", "too many types")
        call search%set_types(types, many(1:0, 1:0), stat, errmsg)
        call failed(neargrid_status_bad_count, "ntypes = 0|1 to 32", "no mask")
    end subroutine interacting_types

    !> A table of cutoffs in both real kinds; 0.1875 and 0.125 are exact in both.
    subroutine cutoffs_by_types()
        integer(c_int) :: types(n)
        real(real64) :: cutoffs(3, 3), d(3), d2(size(want_i))
        integer :: k

        types = [(int(1 + mod(k, 3), c_int), k=1, n)]
        do k = 1, size(want_i)
            d = x(:, want_i(k)) - x(:, want_j(k))
            d2(k) = d(1)**2 + d(2)**2
            d2(k) = d2(k) + d(3)**2
        end do
        cutoffs = 0.1875_real64
        cutoffs(1, 1) = cutoff
        cutoffs(3, 3) = 0
        cutoffs(1, 2) = 0.125_real64
        call search%set_type_cutoffs(cutoffs, stat, errmsg)
        call failed(neargrid_status_bad_value, "cutoffs(2, 1)|symmetric", "an unsymmetric table")
        call search%set_type_cutoffs(cutoffs(:, 1:2), stat, errmsg)
        call failed(neargrid_status_bad_count, "cutoffs, 2", "a table that is not square")
        cutoffs(2, 1) = -1
        cutoffs(1, 2) = -1
        call search%set_type_cutoffs(cutoffs, stat, errmsg)
        call failed(neargrid_status_bad_cutoff, "cutoffs = -1 at (1, 2)", "a cutoff below 0")
        cutoffs(2, 1) = 0.125_real64
        cutoffs(1, 2) = 0.125_real64
        call search%set_types(types, spread(spread(.true., 1, 3), 1, 3))
        call search%set_type_cutoffs(cutoffs)
        call expect([(d2(k) <= cutoffs(types(want_i(k)), types(want_j(k)))**2 .and. &
                      cutoffs(types(want_i(k)), types(want_j(k))) > 0, k=1, size(want_i))], "cutoffs by types")
        call search%set_type_cutoffs(cutoffs(1:0, 1:0))
        call all_pairs("cutoffs by types no more")
        call search%set_type_cutoffs(real(cutoffs, real32))
        call expect([(d2(k) <= cutoffs(types(want_i(k)), types(want_j(k)))**2 .and. &
                      cutoffs(types(want_i(k)), types(want_j(k))) > 0, k=1, size(want_i))], "cutoffs in real32")
        call search%set_type_cutoffs(cutoffs(1:0, 1:0))
        call search%set_types(types(1:0), spread(spread(.true., 1, 1), 1, 1))
    end subroutine cutoffs_by_types

    ! --- queries ---

    !> Rows of the first `m` queries among the points, over the first `dim` axes.
    subroutine plain_rows(dim, m, offsets, ids)
        integer, intent(in) :: dim, m
        integer(int64), allocatable, intent(out) :: offsets(:)
        integer(c_int), allocatable, intent(out) :: ids(:)
        integer :: k, point

        allocate (offsets(m + 1), source=1_int64)
        allocate (ids(0))
        do k = 1, m
            do point = 1, n
                if (sum((q(:dim, k) - x(:dim, point))**2) <= cutoff**2) &
                    ids = [ids, int(point, c_int)]
            end do
            offsets(k + 1) = size(ids) + 1
        end do
    end subroutine plain_rows

    subroutine forms_of_queries()
        integer(int64), allocatable :: want(:), offsets(:)
        integer(c_int), allocatable :: want_ids(:), ids(:)
        integer(int64), pointer :: view(:)
        integer(c_int), pointer :: view_ids(:)
        integer(int64) :: total, value

        call plain_rows(3, nq, want, want_ids)
        call search%set_queries(q)
        call search%counter(neargrid_counter_queries, value)
        call check(value == nq, "counter of queries")
        call search%count_neighbors(total, kind=neargrid_neighbors_queries)
        call check(total == size(want_ids) .and. total > nq, "count of queries")
        call search%neighbors(view, view_ids, kind=neargrid_neighbors_queries)
        call check(all(view == want) .and. same(view_ids, want_ids), "view of queries")
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
        call check(all(offsets == want) .and. same(ids, want_ids), "queries to fit")
        ids = spread(guard, 1, size(want_ids) + 2)
        offsets = guard
        call search%neighbors(total, offsets, ids(:size(want_ids) - 1), &
                              kind=neargrid_neighbors_queries, stat=stat, errmsg=errmsg)
        call check(total == size(want_ids) .and. all(offsets == guard) .and. untouched(ids), &
                   "queries of a capacity too small")
        call failed(neargrid_status_capacity, "capacity", "too few ids")
        call search%neighbors(total, offsets(2:), ids, kind=neargrid_neighbors_queries, stat=stat, errmsg=errmsg)
        call check(all(offsets == guard) .and. untouched(ids), "queries, offsets too short")
        call failed(neargrid_status_bad_count, "size(offsets) = 40|n + 1 = 41", "too few offsets")
        call search%neighbors(total, offsets, ids, kind=neargrid_neighbors_queries)
        call check(all(offsets == want) .and. same(ids(:total), want_ids) .and. &
                   untouched(ids(total + 1:)), "queries into arrays")
        call all_pairs("pairs beside queries")
        call search%set_points(x)
        call search%neighbors(view, view_ids, kind=neargrid_neighbors_queries, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "no queries yet|set_queries", &
                           "points set anew have no queries")
    end subroutine forms_of_queries

    subroutine expect_rows(dim, m, what)
        integer, intent(in) :: dim, m
        character(len=*), intent(in) :: what
        integer(int64), allocatable :: want(:), offsets(:)
        integer(c_int), allocatable :: want_ids(:), ids(:)

        call plain_rows(dim, m, want, want_ids)
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
        call check(size(offsets) == m + 1, what // ": rows")
        if (size(offsets) == m + 1) call check(all(offsets == want), what // ": offsets")
        call check(same(ids, want_ids), what // ": ids")
    end subroutine expect_rows

    subroutine axes_as_queries()
        real(real32) :: small_x(3, n), small_q(3, nq)

        call search%set_queries(q, n=13_c_int)
        call expect_rows(3, 13, "a part of the queries")
        call search%set_queries(q(1, :), q(2, :), q(3, :))
        call expect_rows(3, nq, "x, y, z")
        call search%set_points(x(1:2, :))
        call search%set_queries(q(1, :), q(2, :), n=17_c_int)
        call expect_rows(2, 17, "x, y")
        call search%set_points(x(1, :), dim=1_c_int)
        call search%set_queries(q(1, :), dim=1_c_int)
        call expect_rows(1, nq, "x")
        ! Exact in real32 and far from the cutoff in sixteenths: the same rows in both kinds.
        small_x = real(nint(16*x), real32)/16
        small_q = real(nint(16*q), real32)/16
        x = small_x
        q = small_q
        call search%set_points(small_x)
        call search%set_queries(small_q)
        call expect_rows(3, nq, "real32")
        call search%set_queries(small_q(1, :), small_q(2, :), small_q(3, :), n=21_c_int)
        call expect_rows(3, 21, "x, y, z, real32")
        call search%set_points(small_x(1:2, :))
        call search%set_queries(small_q(1, :), small_q(2, :))
        call expect_rows(2, nq, "x, y, real32")
        call search%set_points(small_x(1, :), dim=1_c_int)
        call search%set_queries(small_q(1, :), dim=1_c_int)
        call expect_rows(1, nq, "x, real32")
        x = cloud_f64(3, n, 31)
        call search%set_points(x)
    end subroutine axes_as_queries

    ! --- boxes, skin ---

    !> Points around a periodic box, real64 and real32, with edges that are exact in both.
    subroutine boxes()
        real(real64) :: p(2, n), w(2, n), d(2)
        integer(c_int), allocatable :: pair_i(:), pair_j(:)
        integer :: i, j

        p = real(nint(64*(2*x(1:2, :) - 0.5_real64)), real64)/64
        w = p
        w(1, :) = modulo(p(1, :), 1.0_real64)
        deallocate (want_i, want_j)
        allocate (want_i(0), want_j(0))
        do i = 1, n
            do j = i + 1, n
                d = w(:, i) - w(:, j)
                if (d(1) > 0.5_real64) d(1) = d(1) - 1
                if (d(1) < -0.5_real64) d(1) = d(1) + 1
                if (sum(d**2) > cutoff**2) cycle
                want_i = [want_i, int(i, c_int)]
                want_j = [want_j, int(j, c_int)]
            end do
        end do
        call search%set_box([0, 0]*1.0_real64, [1, 2]*1.0_real64, [.true., .false.])
        call search%set_points(p)
        call all_pairs("pairs in a periodic box")
        call search%set_box([0.0_real32, 0.0_real32], [1.0_real32, 1.0_real32], &
                            [.true., .false.])
        call search%set_points(real(p, real32))
        call all_pairs("pairs in a periodic box, real32")
        call search%set_points(x, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "dim = 3|2, the dimension of the box", "points of another dim")
        call search%set_cutoff(0.51_real64)
        call search%pairs(pair_i, pair_j, stat, errmsg)
        call check(.not. allocated(pair_i), "pairs of a box too small")
        call search%set_cutoff(cutoff)
        call failed(neargrid_status_bad_domain, "length of axis x = 1|at least 1.02, twice the cutoff (0.51)", "a box too small")
    end subroutine boxes

end program kinds
