!> The k nearest in all forms: pointers, allocatables and arrays of the caller, both real kinds, points and queries.
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
    call views()
    call into_arrays()
    call search%destroy()
    call finish("knn", 25)

contains

    !> Pointers and allocatables of both kinds, with and without counts; the kinds of radii within which rows end.
    subroutine views()
        real(real64), allocatable :: d(:, :)
        real(real32), allocatable :: d32(:, :)
        real(real64), pointer :: view_d(:, :)
        real(real32), pointer :: view_d32(:, :)
        integer(c_int), allocatable :: ids(:, :), counts(:)
        integer(c_int), pointer :: view(:, :), view_counts(:)

        call search%set_points(cloud_f64(3, n, 5))
        call search%knn(k, ids, d, kind=neargrid_knn_all, measure=neargrid_measure_square, counts=counts)
        call search%knn(k, view, view_d, kind=neargrid_knn_all, measure=neargrid_measure_square, counts=view_counts)
        call check(all(view == ids) .and. all(equal(view_d, d)) .and. all(d(1, :) <= 0), "views")
        call check(all(counts == k) .and. all(view_counts == k), "counts")
        call search%set_queries(cloud_f64(3, n, 5), n=0_c_int)
        call search%knn(k, view, view_d, kind=neargrid_knn_queries)
        call check(all(shape(view) == [int(k), 0]) .and. size(view_d, 2) == 0, "no queries")
        call search%set_points(cloud_f32(2, n, 6))
        call search%set_knn_within(0.05)
        call search%knn(k, ids, d32, counts=counts)
        call search%set_knn_within(real(0.05, real64))
        call search%knn(k, view, view_d32)
        call check(all(view == ids) .and. all(equal(view_d32, d32)) .and. any(counts < k), "real32")
        call search%set_knn_within(0.0_real64)
    end subroutine views

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
