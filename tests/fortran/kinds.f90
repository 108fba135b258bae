!> Points that are added, active points, types, boxes and queries, from Fortran: every form of every procedure. All clouds
!> are in cases.f90.
program kinds
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, guard, plain_pairs, same, untouched
    implicit none (type, external)
    integer, parameter :: n = 150, nq = 40
    real(real64), parameter :: cutoff = 0.25_real64
    real(real64) :: x(3, n), q(3, nq)
    integer(c_int), allocatable :: want_i(:), want_j(:)
    type(neargrid_search) :: search
    integer(c_int) :: stat
    character(len=300) :: errmsg

    x = cloud_f64(3, n, 31)
    q = 1.2_real64*cloud_f64(3, nq, 32) - 0.1_real64
    q(:, 7) = x(:, 9)
    call plain_pairs(x, cutoff, want_i, want_j)
    call search%create()
    call search%set_cutoff(cutoff)
    call added()
    call search%set_points(x)
    call queries()
    call settings()
    call search%destroy()
    deallocate (want_i, want_j)     ! a main program frees nothing by itself
    call finish("kinds", 45)

contains

    subroutine all_pairs(what)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)

        call search%pairs(pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), what)
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

    ! --- queries ---

    ! --- boxes, skin ---

    !> Flags of active points are roles; cutoffs by types and boxes are of both kinds.
    subroutine settings()
        integer(c_int) :: roles(n), types(n)
        integer(c_int), allocatable :: other_i(:), other_j(:)
        real(real64) :: cutoffs(3, 3)
        integer :: k

        roles = [(int(1 + mod(7*k, 2), c_int), k=1, n)]
        call search%set_active(roles == neargrid_role_active)
        call search%pairs(want_i, want_j)
        call check(all(roles(want_i) == neargrid_role_active), "flags of active points")
        call search%set_roles(roles)
        call all_pairs("roles")
        call search%set_ghost_rows(neargrid_ghost_rows_none)
        call search%set_ghost_rows(neargrid_ghost_rows_active)
        call search%set_roles(roles(1:0))
        call search%set_active(100_c_int)
        call search%pairs(want_i, want_j)
        call check(all(want_i <= 100), "active points")
        call search%set_active(neargrid_all_active)
        types = [(int(1 + mod(k, 3), c_int), k=1, n)]
        cutoffs = 0.1875_real64                             ! exact in both kinds
        cutoffs(3, 3) = 0
        call search%set_types(types, reshape(spread(.true., 1, 9), [3, 3]))
        call search%set_type_cutoffs(cutoffs(:, 1:2), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "cutoffs, 2", "a table that is not square")
        call search%set_type_cutoffs(cutoffs)
        call search%pairs(want_i, want_j)
        call check(all(types(want_i) /= 3 .or. types(want_j) /= 3) .and. size(want_i) > 0, "cutoffs by types")
        call search%set_type_cutoffs(real(cutoffs, real32))
        call all_pairs("cutoffs in real32")
        call search%set_type_cutoffs(cutoffs(1:0, 1:0))
        call search%set_types(types(1:0), reshape([.true.], [1, 1]))
        call search%set_box([0.0_real64, 0.0_real64], [1.0_real64, 2.0_real64], [.true., .false.])
        call search%set_points(real(nint(64*x(1:2, :)), real64)/64)
        call search%pairs(want_i, want_j)
        call search%set_box([0.0_real32, 0.0_real32], [1.0_real32, 1.0_real32], [.true., .false.])
        call search%set_points(real(nint(64*x(1:2, :)), real32)/64)
        call search%pairs(other_i, other_j)
        call check(same(other_i, want_i) .and. same(other_j, want_j), "boxes of both kinds")
        call search%set_box([0.0_real64, 0.0_real64], [1.0_real64, 1.0_real64], [.false., .false.])
    end subroutine settings

    !> Queries as columns, as axes and of both kinds; their rows as a view, to fit and in arrays.
    subroutine queries()
        integer(int64), allocatable :: want(:), offsets(:)
        integer(c_int), allocatable :: want_ids(:), ids(:)
        integer(int64), pointer :: view(:)
        integer(c_int), pointer :: view_ids(:)
        integer(int64) :: total
        real(real64) :: wide_x(3, n), wide_q(3, nq)
        real(real32) :: small_x(3, n), small_q(3, nq)
        integer :: dim

        wide_x = real(nint(16*x), real64)/16                ! exact in real32, and far from the cutoff
        wide_q = real(nint(16*q), real64)/16
        small_x = real(wide_x, real32)
        small_q = real(wide_q, real32)
        do dim = 3, 1, -1
            call search%set_points(wide_x(1:dim, :))
            call search%set_queries(wide_q(1:dim, :))
            call search%neighbors(want, want_ids, kind=neargrid_neighbors_queries)
            call search%neighbors(view, view_ids, kind=neargrid_neighbors_queries)
            call check(all(view == want) .and. same(view_ids, want_ids) .and. size(want) == nq + 1, "a view")
            ids = spread(guard, 1, size(want_ids) + 2)
            offsets = want
            call search%neighbors(total, offsets, ids, kind=neargrid_neighbors_queries)
            call check(all(offsets == want) .and. same(ids(:total), want_ids) .and. untouched(ids(total + 1:)), "arrays")
            call search%neighbors(total, offsets(2:), ids, kind=neargrid_neighbors_queries, stat=stat, errmsg=errmsg)
            call check_failure(stat, neargrid_status_bad_count, errmsg, "size(offsets) = 40|n + 1 = 41", "too few offsets")
            if (dim == 3) call search%set_queries(wide_q(1, :), wide_q(2, :), wide_q(3, :))
            if (dim == 2) call search%set_queries(wide_q(1, :), wide_q(2, :))
            if (dim == 1) call search%set_queries(wide_q(1, :), dim=1_c_int)
            call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
            call check(all(offsets == want) .and. same(ids, want_ids), "axes")
            call search%set_points(small_x(1:dim, :))
            if (dim == 3) call search%set_queries(small_q(1, :), small_q(2, :), small_q(3, :))
            if (dim == 2) call search%set_queries(small_q(1, :), small_q(2, :))
            if (dim == 1) call search%set_queries(small_q(1, :), dim=1_c_int)
            call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
            call check(all(offsets == want) .and. same(ids, want_ids), "axes, real32")
            call search%set_queries(small_q(1:dim, :), n=13_c_int)
            call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
            call check(all(offsets == want(:14)), "a part of the queries")
        end do
        call search%set_points(x)
        call search%neighbors(view, view_ids, kind=neargrid_neighbors_queries, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "no queries yet|set_queries", &
                           "points set anew have no queries")
    end subroutine queries

end program kinds
