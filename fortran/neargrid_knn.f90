! Made from neargrid_knn.fypp: change that file, then `make fortran`.
!> The k nearest of each point or query, in three forms and of both real kinds.
submodule (neargrid) neargrid_knn
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
    use neargrid_arrays, only: empty
    use neargrid_errors, only: differ, no_memory, too_small
    implicit none (type, external)

contains

    module procedure knn_ghosts_f32
        type(c_ptr) :: at_ids, at_ranks, at_positions
        integer(int64) :: n, dim
        integer(c_int) :: status

        status = neargrid_search_counter(owned(self), neargrid_counter_dim, dim)
        if (status == neargrid_status_ok) &
            status = neargrid_knn_ghosts_view_f32(owned(self), n, at_ids, at_ranks, at_positions)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(empty)
                at_ranks = c_loc(empty)
                at_positions = c_loc(empty)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_positions, positions, [dim, n])
        end if
        call report_on(owned(self), status, "knn_ghosts", stat, errmsg)
    end procedure knn_ghosts_f32

    module procedure knn_view_f32
        type(c_ptr) :: at_ids, at_distances, at_counts
        integer(int64) :: n
        integer(c_int) :: rows, of, status

        if (present(by_keyword)) continue
        call choose(kind, measure, rows, of)
        status = neargrid_knn_view_f32(owned(self), rows, k, of, n, at_ids, at_distances, &
                                       at_counts)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(empty)
                at_distances = c_loc(empty)
                at_counts = c_loc(empty)
            end if
            call c_f_pointer(at_ids, ids, [int(k, int64), n])
            call c_f_pointer(at_distances, distances, [int(k, int64), n])
            if (present(counts)) call c_f_pointer(at_counts, counts, [n])
        end if
        call report_on(owned(self), status, "knn", stat, errmsg)
    end procedure knn_view_f32

    module procedure knn_fit_f32
        integer(c_int), allocatable :: new_ids(:, :), new_counts(:)
        real(real32), allocatable :: new_distances(:, :)
        integer(int64) :: n
        integer(c_int) :: height, rows, of, status
        integer :: unallocated

        if (present(by_keyword)) continue
        call choose(kind, measure, rows, of)
        status = rows_of_knn(owned(self), rows, n)
        if (status == neargrid_status_ok) then
            height = max(0_c_int, min(k, neargrid_knn_max))     ! C refuses any other k
            allocate (new_ids(height, n), new_distances(height, n), new_counts(n), &
                      stat=unallocated)
            if (no_memory(unallocated, n*k, "knn", stat, errmsg, owned(self))) return
            status = neargrid_knn_copy_f32(owned(self), rows, k, of, n, n, new_ids, &
                                           new_distances, new_counts)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(new_ids, ids)
            call move_alloc(new_distances, distances)
            if (present(counts)) call move_alloc(new_counts, counts)
        end if
        call report_on(owned(self), status, "knn", stat, errmsg)
    end procedure knn_fit_f32

    module procedure knn_fill_f32
        integer(c_int), allocatable :: new_counts(:)
        integer(int64) :: n
        integer(c_int) :: rows, of, status
        integer :: unallocated

        if (present(by_keyword)) continue
        call choose(kind, measure, rows, of)
        status = rows_of_knn(owned(self), rows, n)
        if (status == neargrid_status_ok .and. k >= 1 .and. k <= neargrid_knn_max) then
            if (misfit(owned(self), k, n, shape(ids, int64), shape(distances, int64), nrows, &
                       stat, errmsg)) return
            if (present(counts)) then
                if (too_small("counts", size(counts, kind=int64), n, nrows, "knn", &
                              stat, errmsg, owned(self))) return
            end if
        end if
        if (status == neargrid_status_ok) then      ! C refuses any other k
            allocate (new_counts(n), stat=unallocated)
            if (no_memory(unallocated, n, "knn", stat, errmsg, owned(self))) return
            status = neargrid_knn_copy_f32(owned(self), rows, k, of, n, n, ids, distances, &
                                           new_counts)
        end if
        if (status == neargrid_status_ok) then
            nrows = n
            if (present(counts)) counts(1:n) = new_counts
        end if
        call report_on(owned(self), status, "knn", stat, errmsg)
    end procedure knn_fill_f32

    module procedure knn_ghosts_f64
        type(c_ptr) :: at_ids, at_ranks, at_positions
        integer(int64) :: n, dim
        integer(c_int) :: status

        status = neargrid_search_counter(owned(self), neargrid_counter_dim, dim)
        if (status == neargrid_status_ok) &
            status = neargrid_knn_ghosts_view_f64(owned(self), n, at_ids, at_ranks, at_positions)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(empty)
                at_ranks = c_loc(empty)
                at_positions = c_loc(empty)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_positions, positions, [dim, n])
        end if
        call report_on(owned(self), status, "knn_ghosts", stat, errmsg)
    end procedure knn_ghosts_f64

    module procedure knn_view_f64
        type(c_ptr) :: at_ids, at_distances, at_counts
        integer(int64) :: n
        integer(c_int) :: rows, of, status

        if (present(by_keyword)) continue
        call choose(kind, measure, rows, of)
        status = neargrid_knn_view_f64(owned(self), rows, k, of, n, at_ids, at_distances, &
                                       at_counts)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(empty)
                at_distances = c_loc(empty)
                at_counts = c_loc(empty)
            end if
            call c_f_pointer(at_ids, ids, [int(k, int64), n])
            call c_f_pointer(at_distances, distances, [int(k, int64), n])
            if (present(counts)) call c_f_pointer(at_counts, counts, [n])
        end if
        call report_on(owned(self), status, "knn", stat, errmsg)
    end procedure knn_view_f64

    module procedure knn_fit_f64
        integer(c_int), allocatable :: new_ids(:, :), new_counts(:)
        real(real64), allocatable :: new_distances(:, :)
        integer(int64) :: n
        integer(c_int) :: height, rows, of, status
        integer :: unallocated

        if (present(by_keyword)) continue
        call choose(kind, measure, rows, of)
        status = rows_of_knn(owned(self), rows, n)
        if (status == neargrid_status_ok) then
            height = max(0_c_int, min(k, neargrid_knn_max))     ! C refuses any other k
            allocate (new_ids(height, n), new_distances(height, n), new_counts(n), &
                      stat=unallocated)
            if (no_memory(unallocated, n*k, "knn", stat, errmsg, owned(self))) return
            status = neargrid_knn_copy_f64(owned(self), rows, k, of, n, n, new_ids, &
                                           new_distances, new_counts)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(new_ids, ids)
            call move_alloc(new_distances, distances)
            if (present(counts)) call move_alloc(new_counts, counts)
        end if
        call report_on(owned(self), status, "knn", stat, errmsg)
    end procedure knn_fit_f64

    module procedure knn_fill_f64
        integer(c_int), allocatable :: new_counts(:)
        integer(int64) :: n
        integer(c_int) :: rows, of, status
        integer :: unallocated

        if (present(by_keyword)) continue
        call choose(kind, measure, rows, of)
        status = rows_of_knn(owned(self), rows, n)
        if (status == neargrid_status_ok .and. k >= 1 .and. k <= neargrid_knn_max) then
            if (misfit(owned(self), k, n, shape(ids, int64), shape(distances, int64), nrows, &
                       stat, errmsg)) return
            if (present(counts)) then
                if (too_small("counts", size(counts, kind=int64), n, nrows, "knn", &
                              stat, errmsg, owned(self))) return
            end if
        end if
        if (status == neargrid_status_ok) then      ! C refuses any other k
            allocate (new_counts(n), stat=unallocated)
            if (no_memory(unallocated, n, "knn", stat, errmsg, owned(self))) return
            status = neargrid_knn_copy_f64(owned(self), rows, k, of, n, n, ids, distances, &
                                           new_counts)
        end if
        if (status == neargrid_status_ok) then
            nrows = n
            if (present(counts)) counts(1:n) = new_counts
        end if
        call report_on(owned(self), status, "knn", stat, errmsg)
    end procedure knn_fill_f64

    ! The number of rows.
    function rows_of_knn(handle, rows, n) result(status)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: rows
        integer(int64), intent(inout) :: n
        integer(c_int) :: status

        if (rows == neargrid_knn_queries) then
            status = neargrid_search_counter(handle, neargrid_counter_queries, n)
        else
            status = neargrid_search_counter(handle, neargrid_counter_active, n)
        end if
    end function rows_of_knn

    ! The rows that are asked for, and what they say.
    pure subroutine choose(kind, measure, rows, of)
        integer(c_int), intent(in), optional :: kind, measure
        integer(c_int), intent(out) :: rows, of

        rows = neargrid_knn_others
        if (present(kind)) rows = kind
        of = neargrid_measure_distance
        if (present(measure)) of = measure
    end subroutine choose

    ! Whether arrays of the caller do not hold `k` rows and `n` columns.
    function misfit(handle, k, n, ids, distances, nrows, stat, errmsg) result(is_wrong)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(int64), intent(in) :: n, ids(2), distances(2)
        integer(int64), intent(inout) :: nrows
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong

        is_wrong = differ("ids, 1", ids(1), "k", int(k, int64), "knn", stat, errmsg, handle)
        if (.not. is_wrong) is_wrong = differ("distances, 1", distances(1), "k", int(k, int64), &
            "knn", stat, errmsg, handle)
        if (.not. is_wrong) is_wrong = too_small("ids, 2", ids(2), n, nrows, "knn", stat, errmsg, handle)
        if (.not. is_wrong) is_wrong = too_small("distances, 2", distances(2), n, nrows, "knn", &
            stat, errmsg, handle)
    end function misfit

end submodule neargrid_knn
