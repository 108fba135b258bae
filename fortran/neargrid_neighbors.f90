!> Rows of neighbors of points and of queries, in three forms.
submodule (neargrid) neargrid_neighbors
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t
    use neargrid_arrays, only: view_ids
    use neargrid_errors, only: no_memory, too_few
    implicit none (type, external)

contains

    module procedure count_neighbors
        call report_on(owned(self), neargrid_neighbors_count(owned(self), kind_of(full), total), &
                       "count_neighbors", stat, errmsg)
    end procedure count_neighbors

    module procedure count_queries
        call report_on(owned(self), neargrid_neighbors_count(owned(self), &
                       neargrid_neighbors_queries, total), "count_queries", stat, errmsg)
    end procedure count_queries

    module procedure neighbors_view
        call view(owned(self), kind_of(full), "neighbors", offsets, ids, stat, errmsg)
    end procedure neighbors_view

    module procedure queries_view
        call view(owned(self), neargrid_neighbors_queries, "queries", offsets, ids, stat, errmsg)
    end procedure queries_view

    module procedure neighbors_fit
        call fit(owned(self), kind_of(full), "neighbors", offsets, ids, stat, errmsg)
    end procedure neighbors_fit

    module procedure queries_fit
        call fit(owned(self), neargrid_neighbors_queries, "queries", offsets, ids, stat, errmsg)
    end procedure queries_fit

    module procedure neighbors_fill
        call fill(owned(self), kind_of(full), "neighbors", total, offsets, ids, stat, errmsg)
    end procedure neighbors_fill

    module procedure queries_fill
        call fill(owned(self), neargrid_neighbors_queries, "queries", total, offsets, ids, &
                  stat, errmsg)
    end procedure queries_fill

    module procedure verlet_list
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status
        integer(c_int32_t) :: is_other

        status = neargrid_verlet_view(owned(self), kind_of(full), n, total, at_offsets, at_ids, &
                                      is_other)
        if (status == neargrid_status_ok) then
            call c_f_pointer(at_offsets, offsets, [n + 1])
            call view_ids(at_ids, total, ids)
            if (present(rebuilt)) rebuilt = is_other /= 0
        end if
        call report_on(owned(self), status, "verlet_list", stat, errmsg)
    end procedure verlet_list

    subroutine view(handle, kind, caller, offsets, ids, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: kind
        character(len=*), intent(in) :: caller
        integer(int64), pointer, intent(inout) :: offsets(:)
        integer(c_int), pointer, intent(inout) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status

        status = neargrid_neighbors_view(handle, kind, n, total, at_offsets, at_ids)
        if (status == neargrid_status_ok) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == neargrid_status_ok) call view_ids(at_ids, total, ids)
        call report_on(handle, status, caller, stat, errmsg)
    end subroutine view

    subroutine fit(handle, kind, caller, offsets, ids, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: kind
        character(len=*), intent(in) :: caller
        integer(int64), allocatable, intent(inout) :: offsets(:)
        integer(c_int), allocatable, intent(inout) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        integer(int64) :: n, total
        integer(c_int) :: status
        integer :: unallocated

        status = measure(handle, kind, n, total)
        if (status == neargrid_status_ok) then
            allocate (new_offsets(n + 1), new_ids(total), stat=unallocated)
            if (no_memory(unallocated, total, caller, stat, errmsg)) return
            status = neargrid_neighbors_copy(handle, kind, n, total, total, new_offsets, new_ids)
        end if
        if (status == neargrid_status_ok) call move_alloc(new_offsets, offsets)
        if (status == neargrid_status_ok) call move_alloc(new_ids, ids)
        call report_on(handle, status, caller, stat, errmsg)
    end subroutine fit

    subroutine fill(handle, kind, caller, total, offsets, ids, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: kind
        character(len=*), intent(in) :: caller
        integer(int64), intent(inout) :: total
        integer(int64), intent(inout), contiguous :: offsets(:)
        integer(c_int), intent(inout), contiguous :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: n, need
        integer(c_int) :: status

        status = measure(handle, kind, n, need)
        if (status == neargrid_status_ok) then
            if (too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, caller, &
                        stat, errmsg)) return
            status = neargrid_neighbors_copy(handle, kind, n, size(ids, kind=int64), total, &
                                             offsets, ids)
        end if
        call report_on(handle, status, caller, stat, errmsg)
    end subroutine fill

    pure function kind_of(full) result(kind)
        logical, intent(in), optional :: full
        integer(c_int) :: kind

        kind = neargrid_neighbors_half
        if (present(full)) kind = merge(neargrid_neighbors_full, neargrid_neighbors_half, full)
    end function kind_of

    ! The sizes of rows: `n` points or queries, `total` entries.
    function measure(handle, kind, n, total) result(status)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: kind
        integer(int64), intent(inout) :: n, total
        integer(c_int) :: status

        status = neargrid_neighbors_count(handle, kind, total)
        if (status == neargrid_status_ok) status = neargrid_search_counter(handle, &
            merge(neargrid_counter_queries, neargrid_counter_points, &
                  kind == neargrid_neighbors_queries), n)
    end function measure

end submodule neargrid_neighbors
