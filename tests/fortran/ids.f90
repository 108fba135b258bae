!> Global ids from Fortran, of both kinds of integers: pairs, rows and queries against the plain loop,
!> turned and sorted by ids.
program ids
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, plain_pairs, same
    implicit none (type, external)
    integer, parameter :: n = 160
    real(real64), parameter :: cutoff = 0.25_real64
    real(real64) :: x(3, n)
    integer(int64) :: global(n)
    integer(c_int), allocatable :: near_i(:), near_j(:), want_i(:), want_j(:)
    type(neargrid_search) :: search
    integer(c_int) :: stat, active
    character(len=300) :: errmsg

    x = cloud_f64(3, n, 41)
    call plain_pairs(x, cutoff, near_i, near_j)
    call search%create()
    call search%set_cutoff(cutoff)
    call search%set_points(x)
    active = n
    call shuffled(1000000007_int64, -40_int64*1000000007_int64)
    call search%set_ids(global)
    call expect("ids of 64 bits")
    active = 90
    call search%set_active(active)
    call expect("ids with ghosts")
    call expect_queries()
    call shuffled(-3_int64, 100_int64)
    call search%set_ids(int(global, int32))
    call expect("ids of 32 bits with ghosts")
    call expect_larger()
    call search%set_skin(0.05_real64)
    call expect("ids with a skin")
    active = n
    call search%set_active(neargrid_all_active)
    call search%set_ids(global(1:0))
    call unchanged("no ids")
    call search%set_ids([(7_int64*active - 7*n, active=1, n)])
    call unchanged("ascending ids")
    call search%destroy()
    call search%set_ids(global, stat, errmsg)
    call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "ids of no search")
    deallocate (near_i, near_j, want_i, want_j)     ! a main program frees nothing by itself
    call finish("ids", 20)

contains

    !> Multiples of `factor` from `first` on, in an order that is none.
    subroutine shuffled(factor, first)
        integer(int64), intent(in) :: factor, first
        integer :: k

        global = [(first + factor*mod(59*k, n), k=0, n - 1)]
    end subroutine shuffled

    !> The pairs of the plain loop, turned and sorted by ids.
    subroutine by_ids()
        logical :: counts(size(near_i))
        integer(c_int) :: i, j
        integer :: k, at
        logical :: turned

        counts = near_i <= active .or. near_j <= active
        want_i = pack(near_i, counts)
        want_j = pack(near_j, counts)
        do k = 1, size(want_i)
            i = want_i(k)
            j = want_j(k)
            turned = j <= active .and. global(i) > global(j)     ! i < j: i is active
            if (turned) then
                i = want_j(k)
                j = want_i(k)
            end if
            at = k
            do while (at > 1)
                if (.not. before(i, j, want_i(at - 1), want_j(at - 1))) exit
                want_i(at) = want_i(at - 1)
                want_j(at) = want_j(at - 1)
                at = at - 1
            end do
            want_i(at) = i
            want_j(at) = j
        end do
    end subroutine by_ids

    logical function before(i, j, other_i, other_j)
        integer(c_int), intent(in) :: i, j, other_i, other_j

        before = global(i) < global(other_i) .or. &
                 i == other_i .and. global(j) < global(other_j)
    end function before

    !> Pairs, and rows that are made of them; a full row's other half by the ids of its points.
    subroutine expect(what)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:), row(:)
        integer(int64), pointer :: offsets(:)
        integer(c_int), allocatable :: mine(:)
        integer(c_int) :: i
        logical :: ok

        call by_ids()
        call search%pairs(pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), what // ": pairs")
        call search%neighbors(offsets, row, kind=neargrid_neighbors_half)
        ok = size(offsets) == n + 1
        do i = 1, n
            mine = pack(want_j, want_i == i)
            ok = ok .and. same(row(offsets(i):offsets(i + 1) - 1), mine)
        end do
        call check(ok, what // ": half rows")
        call search%neighbors(offsets, row)
        do i = 1, n
            mine = [pack(want_j, want_i == i), pack(want_i, want_j == i)]
            ok = ok .and. offsets(i + 1) - offsets(i) == size(mine)
            if (ok) ok = ascend(row(offsets(i):offsets(i + 1) - 1)) .and. &
                         sum(mine) == sum(row(offsets(i):offsets(i + 1) - 1))
        end do
        call check(ok .and. size(row) == 2*size(want_i), what // ": full rows")
    end subroutine expect

    !> Pairs with ghosts of larger ids only, and what is refused; all pairs again afterwards.
    subroutine expect_larger()
        integer(c_int), pointer :: pair_i(:), pair_j(:)
        logical, allocatable :: mine(:)

        call by_ids()
        mine = want_j <= active .or. global(want_i) < global(want_j)
        call search%set_ghost_pairs(neargrid_ghost_pairs_larger_ids)
        call search%pairs(pair_i, pair_j)
        call check(same(pair_i, pack(want_i, mine)) .and. same(pair_j, pack(want_j, mine)) .and. &
                   count(mine) < size(mine), "ghosts of larger ids: pairs")
        call search%set_ghost_pairs(2_c_int, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "which = 2", "no such ghosts")
        call search%set_ghost_pairs(neargrid_ghost_pairs_all)
        call expect("all ghosts again")
    end subroutine expect_larger

    logical function ascend(row)
        integer(c_int), intent(in) :: row(:)

        ascend = all(global(row(2:)) > global(row(:size(row) - 1)))
    end function ascend

    subroutine expect_queries()
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: row(:)
        integer :: q, k
        logical :: ok

        call search%set_queries(x(:, 11:20))
        call search%neighbors(offsets, row, kind=neargrid_neighbors_queries)
        ok = size(offsets) == 11
        do q = 1, 10
            ok = ok .and. ascend(row(offsets(q):offsets(q + 1) - 1)) .and. &
                 offsets(q + 1) - offsets(q) == &
                 count([(sum((x(:, q + 10) - x(:, k))**2) <= cutoff**2, k=1, n)])
        end do
        call check(ok, "queries by ids")
        call search%set_points(x)
    end subroutine expect_queries

    subroutine unchanged(what)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)

        call search%pairs(pair_i, pair_j)
        call check(same(pair_i, near_i) .and. same(pair_j, near_j), what // ": pairs")
    end subroutine unchanged

end program ids
