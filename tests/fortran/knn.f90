!> The k nearest in all forms: pointers, allocatables and arrays of the caller, both real kinds, points and queries, with
!> and without self, distances and squares; against the plain loop.
program knn
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
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
    call into_arrays()
    call few()
    call within()
    call search%destroy()
    call finish("knn", 2*n + 187)

contains

    subroutine of_points_f64()
        real(real64) :: x(3, n)
        real(real64), allocatable :: d(:, :), squares(:, :), r(:, :)
        real(real64), pointer :: view_d(:, :)
        integer(c_int), allocatable :: ids(:, :), counts(:), with(:, :)
        integer(c_int), pointer :: view(:, :), view_counts(:)
        integer :: i

        x = cloud_f64(3, n, 5)
        x(:, 2:n:10) = x(:, 1:n:10)              ! some coincide
        call search%set_points(x)
        call search%knn(k, ids, d)
        call search%knn(k, ids, squares, measure=neargrid_measure_square, counts=counts)
        call check(all(shape(ids) == [int(k), n]) .and. all(shape(d) == [int(k), n]), "shapes")
        call check(all(equal(d, sqrt(squares))) .and. all(counts == k), "roots and counts")
        call search%knn(k, view, view_d, measure=neargrid_measure_radius)
        call search%knn(k, ids, r, measure=neargrid_measure_radius)
        call check(all(equal(r, view_d)) .and. all(r*r >= squares), "radii")
        call check(all(nearest(r, -1.0_real64)**2 < squares .or. r <= 0), "the smallest radii")
        do i = 1, n
            call check(is_row(x, x(:, i), i, ids(:, i), squares(:, i)), "a row of a point")
        end do
        call search%knn(k, view, view_d, counts=view_counts)
        call check(all(view == ids) .and. all(equal(view_d, d)), "views")
        call check(all(view_counts == k), "a view of counts")
        call search%knn(k, with, d, kind=neargrid_knn_all, measure=neargrid_measure_square)
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
        call search%knn(k, view, view_d, kind=neargrid_knn_others)
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
        integer(c_int) :: stat
        integer :: i
        character(len=200) :: errmsg

        x = cloud_f64(3, n, 7)
        q = 2*cloud_f64(3, nqueries, 8) - 0.5_real64
        call search%set_points(x)
        call search%knn(k, view, view_d, kind=neargrid_knn_queries, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "no queries yet|set_queries", "queries not set")
        call search%set_queries(q, n=0_c_int)
        call search%knn(k, view, view_d, kind=neargrid_knn_queries)
        call check(all(shape(view) == [int(k), 0]) .and. size(view_d, 2) == 0, "no queries")
        call search%set_queries(q)
        call search%knn(k, ids, d, kind=neargrid_knn_queries, measure=neargrid_measure_square)
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

    !> Rows end where the radius does.
    subroutine within()
        real(real64), allocatable :: d(:, :)
        integer(c_int), allocatable :: ids(:, :), counts(:)
        integer(c_int) :: stat
        character(len=200) :: errmsg

        call search%set_points(reshape([0.0_real64, 1.0_real64, 3.0_real64], [1, 3]))
        call search%set_knn_within(2.0)
        call search%knn(2_c_int, ids, d, counts=counts)
        call check(all(counts == [1, 2, 1]), "counts within a radius")
        call check(all(ids == reshape([2, 0, 1, 3, 2, 0], [2, 3])), "rows within a radius")
        call search%set_knn_within(-1.0_real64, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_radius, errmsg, "radius = -1", "a negative radius")
        call search%set_knn_within(0.0_real64)
        call search%knn(2_c_int, ids, d, counts=counts)
        call check(all(counts == 2), "no radius any more")
    end subroutine within

    !> Arrays of the caller hold what allocatables do, and are untouched beyond and on a failure.
    subroutine into_arrays()
        real(real64) :: x(3, n), q(3, nqueries), d(k, n + 2)
        real(real32) :: single(k, 50)
        real(real64), allocatable :: want(:, :)
        real(real32), allocatable :: want_single(:, :)
        integer(c_int), allocatable :: want_ids(:, :), want_counts(:)
        integer(c_int) :: ids(k, n + 2), counts(n + 2), stat
        integer(int64) :: nrows
        character(len=200) :: errmsg

        x = cloud_f64(3, n, 9)
        q = cloud_f64(3, nqueries, 10)
        call search%set_points(x)
        call search%set_queries(q)
        call search%knn(k, want_ids, want, counts=want_counts)
        ids = guard
        counts = guard
        d = guard
        call search%knn(k, nrows, ids, d, counts=counts)
        call check(nrows == n .and. all(ids(:, :n) == want_ids) .and. all(equal(d(:, :n), want)) &
                   .and. all(counts(:n) == want_counts), "arrays of the caller")
        call check(all(ids(:, n + 1:) == guard) .and. all(counts(n + 1:) == guard) .and. &
                   all(equal(d(:, n + 1:), 1.0_real64*guard)), "arrays beyond the rows")
        call search%knn(k, want_ids, want, kind=neargrid_knn_queries, measure=neargrid_measure_square)
        call search%knn(k, nrows, ids, d, kind=neargrid_knn_queries, measure=neargrid_measure_square)
        call check(nrows == nqueries .and. all(ids(:, :nqueries) == want_ids) .and. &
                   all(equal(d(:, :nqueries), want)), "rows of queries into arrays")
        ids = guard
        counts = guard
        d = guard
        nrows = guard
        call search%knn(k, nrows, ids(:, :n - 1), d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, &
                           "size(ids, 2) = 299 is too small: 300 are needed", "few columns of ids")
        call check(nrows == n, "the need of ids")
        nrows = guard
        call search%knn(k, nrows, ids, d(:, :2), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, &
                           "size(distances, 2) = 2 is too small: 300", "few columns of distances")
        call check(nrows == n, "the need of distances")
        nrows = guard
        call search%knn(k, nrows, ids, d, counts=counts(:5), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, &
                           "size(counts) = 5 is too small: 300 are needed", "few counts")
        call check(nrows == n, "the need of counts")
        nrows = guard
        call search%knn(k - 1_c_int, nrows, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, &
                           "size(ids, 1) = 7 is not allowed: it must be k = 6", "rows of ids")
        call search%knn(k, nrows, ids, d(:3, :), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, &
                           "size(distances, 1) = 3 is not allowed: it must be k = 7", "rows of d")
        call search%knn(0_c_int, nrows, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "k = 0|1 to 1024", "k = 0")
        call search%knn(1025_c_int, nrows, ids, d, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "k = 1025", "k = 1025")
        call search%knn(k, nrows, ids(:, :50), single, kind=neargrid_knn_queries, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "real32|real64", "real kind")
        call check(nrows == guard .and. all(ids == guard) .and. all(counts == guard) .and. &
                   all(equal(d, 1.0_real64*guard)), "arrays after failures")
        call search%set_points(real(x(:2, :50), real32))
        call search%knn(k, want_ids, want_single)
        call search%knn(k, nrows, ids, single, stat=stat)
        call check(stat == 0 .and. nrows == 50 .and. all(ids(:, :50) == want_ids) .and. &
                   all(equal(single, want_single)), "real32 into arrays")
        call search%set_points(x)
    end subroutine into_arrays

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
