!> The k nearest in all forms: pointers and allocatables, both real kinds, points and queries, with
!> and without self, distances and squares; against the plain loop. And what is refused.
program knn
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish, guard
    implicit none (type, external)
    integer, parameter :: n = 300, nqueries = 40
    integer(c_int), parameter :: k = 7
    type(neargrid_search) :: search

    interface equal
        procedure :: equal_f32, equal_f64
    end interface equal

    call search%create()
    call search%set_backend(neargrid_backend_cpu)
    call of_points_f64()
    call of_points_f32()
    call of_queries()
    call few()
    call refusals()
    call search%destroy()
    call finish("knn", 2*n + 150)

contains

    subroutine of_points_f64()
        real(real64) :: x(3, n)
        real(real64), allocatable :: d(:, :), squares(:, :)
        real(real64), pointer :: view_d(:, :)
        integer(c_int), allocatable :: ids(:, :), counts(:), with(:, :)
        integer(c_int), pointer :: view(:, :), view_counts(:)
        integer :: i

        x = cloud_f64(3, n, 5)
        x(:, 2:n:10) = x(:, 1:n:10)              ! some coincide
        call search%set_points(x)
        call search%knn(k, ids, d)
        call search%knn(k, ids, squares, squared=.true., counts=counts)
        call check(all(shape(ids) == [int(k), n]) .and. all(shape(d) == [int(k), n]), "shapes")
        call check(all(equal(d, sqrt(squares))) .and. all(counts == k), "roots and counts")
        do i = 1, n
            call check(is_row(x, x(:, i), i, ids(:, i), squares(:, i)), "a row of a point")
        end do
        call search%knn(k, view, view_d, counts=view_counts)
        call check(all(view == ids) .and. all(equal(view_d, d)), "views")
        call check(all(view_counts == k), "a view of counts")
        call search%knn(k, with, d, squared=.true., with_self=.true.)
        call check(all(d(1, :) <= 0), "oneself is nearest")
        do i = 1, n
            call check(is_row(x, x(:, i), 0, with(:, i), d(:, i)), "a row with self")
        end do
    end subroutine of_points_f64

    subroutine of_points_f32()
        real(real32) :: x(2, n), least
        real(real32), allocatable :: d(:, :)
        real(real32), pointer :: view_d(:, :)
        integer(c_int), allocatable :: ids(:, :)
        integer(c_int), pointer :: view(:, :)
        integer :: i, j

        x = cloud_f32(2, n, 6)
        call search%set_active(100_c_int)
        call search%set_points(x)
        call search%knn(k, ids, d)
        call search%knn(k, view, view_d, with_self=.false.)
        call check(size(ids, 2) == 100 .and. all(view == ids) .and. all(equal(view_d, d)), "real32")
        do i = 1, 100
            least = huge(least)
            do j = 1, n
                if (j /= i) least = min(least, norm(x(:, i) - x(:, j)))
            end do
            call check(equal(d(1, i), least), "the nearest, ghosts too")
        end do
        call search%set_active(neargrid_all_active)
    end subroutine of_points_f32

    subroutine of_queries()
        real(real64) :: x(3, n), q(3, nqueries)
        real(real64), allocatable :: d(:, :)
        integer(c_int), allocatable :: ids(:, :)
        real(real64), pointer :: view_d(:, :)
        integer(c_int), pointer :: view(:, :)
        integer :: i

        x = cloud_f64(3, n, 7)
        q = 2*cloud_f64(3, nqueries, 8) - 0.5_real64
        call search%set_points(x)
        call search%knn(k, view, view_d, queries=.true.)
        call check(all(shape(view) == [int(k), 0]) .and. size(view_d, 2) == 0, "no queries")
        call search%set_queries(q)
        call search%knn(k, ids, d, squared=.true., queries=.true.)
        call check(size(ids, 2) == nqueries, "rows of queries")
        do i = 1, nqueries
            call check(is_row(x, q(:, i), 0, ids(:, i), d(:, i)), "a row of a query")
        end do
    end subroutine of_queries

    subroutine few()
        real(real64), allocatable :: d(:, :)
        integer(c_int), allocatable :: ids(:, :), counts(:)

        call search%set_points(reshape([0.0_real64, 1.0_real64, 3.0_real64], [1, 3]))
        call search%knn(4_c_int, ids, d, counts=counts)
        call check(all(counts == 2) .and. all(ids(:, 3) == [2, 1, 0, 0]), "less than k")
        call check(all(equal(d(:2, 3), [2.0_real64, 3.0_real64])) .and. all(d(3:, :) > huge(d)), "infinitely far")
        call search%set_points(reshape([0.0_real64, 1.0_real64, 2.0_real64], [1, 3]))
        call search%knn(1_c_int, ids, d)
        call check(ids(1, 2) == 1, "ties by number")
        call search%set_ids([3, 2, 1])
        call search%knn(1_c_int, ids, d)
        call check(ids(1, 2) == 3, "ties by global id")
        call search%set_ids([integer ::])
    end subroutine few

    subroutine refusals()
        real(real64), allocatable :: d(:, :)
        real(real32), allocatable :: single(:, :)
        integer(c_int), allocatable :: ids(:, :)
        real(real64), pointer :: view_d(:, :)
        integer(c_int), pointer :: view(:, :)
        integer(c_int), target :: kept(1, 1)
        type(neargrid_search) :: none
        integer(c_int) :: stat
        character(len=200) :: errmsg

        kept = guard
        view => kept
        nullify (view_d)
        call none%knn(k, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "no search")
        call none%create()
        call none%knn(k, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "set_points", "no points")
        call none%destroy()
        call search%knn(0_c_int, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "k = 0|1 to 1024", "k = 0")
        call search%knn(-huge(k), view, view_d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "k = -2147483647", "negative k")
        call search%knn(huge(k), ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "k = 2147483647", "huge k")
        call search%knn(k, ids, single, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "real32|real64", "real kind")
        call search%set_ids([3, 2, 1])
        call search%set_backend(neargrid_backend_gpu)
        call search%knn(k, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_not_supported, errmsg, "backend gpu", "a GPU")
        call search%set_ids([integer ::])
        call search%set_backend(neargrid_backend_cpu)
        call check(.not. allocated(ids) .and. .not. allocated(d) .and. .not. allocated(single), &
                   "no array after a failure")
        call check(associated(view, kept) .and. .not. associated(view_d), "views untouched")
    end subroutine refusals

    ! Whether a row holds the nearest of the points to `p`, without point `skipped`: in order of
    ! (d2, id), each with its own d2, and none left out that comes before the last.
    function is_row(x, p, skipped, ids, squares) result(is)
        real(real64), intent(in) :: x(:, :), p(:), squares(:)
        integer, intent(in) :: skipped
        integer(c_int), intent(in) :: ids(:)
        logical :: is
        real(real64) :: d2
        integer :: j, at, before

        is = .true.
        before = 0
        do j = 1, size(x, 2)
            if (j == skipped) cycle
            d2 = (p(1) - x(1, j))**2
            d2 = d2 + (p(2) - x(2, j))**2
            d2 = d2 + (p(3) - x(3, j))**2
            at = findloc(ids, int(j, c_int), dim=1)
            if (at > 0) then
                is = is .and. equal(squares(at), d2)
                before = before + 1
            else
                is = is .and. (d2 > squares(size(ids)) .or. &
                               (equal(d2, squares(size(ids))) .and. j > ids(size(ids))))
            end if
        end do
        is = is .and. before == size(ids)
        do at = 2, size(ids)
            is = is .and. (squares(at - 1) < squares(at) .or. &
                           (equal(squares(at - 1), squares(at)) .and. ids(at - 1) < ids(at)))
        end do
    end function is_row

    function norm(v) result(length)
        real(real32), intent(in) :: v(2)
        real(real32) :: length, xx

        xx = v(1)**2
        length = sqrt(xx + v(2)**2)
    end function norm

    ! The compiler warns of == between reals.
    elemental logical function equal_f64(a, b)
        real(real64), intent(in) :: a, b

        equal_f64 = a <= b .and. a >= b
    end function equal_f64

    elemental logical function equal_f32(a, b)
        real(real32), intent(in) :: a, b

        equal_f32 = a <= b .and. a >= b
    end function equal_f32

end program knn
