!> Rows of neighbors of points and of queries, in three forms.
submodule (neargrid) neargrid_neighbors
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t
    use neargrid_arrays, only: view_ids
    use neargrid_errors, only: differ, no_memory, too_few
    implicit none (type, external)

contains

    module procedure count_neighbors
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_neighbors_count(owned(self), rows_of(kind), total), &
                       "count_neighbors", stat, errmsg)
    end procedure count_neighbors

    module procedure neighbors_view
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = neargrid_neighbors_view(owned(self), rows_of(kind), n, total, at_offsets, at_ids)
        if (status == neargrid_status_ok) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == neargrid_status_ok) call view_ids(at_ids, total, ids)
        call report_on(owned(self), status, "neighbors", stat, errmsg)
    end procedure neighbors_view

    module procedure neighbors_fit
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        integer(int64) :: n, total
        integer(c_int) :: status
        integer :: unallocated

        if (present(by_keyword)) continue
        status = measure(owned(self), rows_of(kind), n, total)
        if (status == neargrid_status_ok) then
            allocate (new_offsets(n + 1), new_ids(total), stat=unallocated)
            if (no_memory(unallocated, total, "neighbors", stat, errmsg, owned(self))) return
            status = neargrid_neighbors_copy(owned(self), rows_of(kind), n, total, total, &
                                             new_offsets, new_ids)
        end if
        if (status == neargrid_status_ok) call move_alloc(new_offsets, offsets)
        if (status == neargrid_status_ok) call move_alloc(new_ids, ids)
        call report_on(owned(self), status, "neighbors", stat, errmsg)
    end procedure neighbors_fit

    module procedure neighbors_fill
        integer(int64) :: n, need
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = measure(owned(self), rows_of(kind), n, need)
        if (status == neargrid_status_ok) then
            if (too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, "neighbors", &
                        stat, errmsg, owned(self))) return
            status = neargrid_neighbors_copy(owned(self), rows_of(kind), n, size(ids, kind=int64), &
                                             total, offsets, ids)
        end if
        call report_on(owned(self), status, "neighbors", stat, errmsg)
    end procedure neighbors_fill

    module procedure neighbors_fill_32
        integer(int64) :: n, need
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = measure(owned(self), rows_of(kind), n, need)
        if (status == neargrid_status_ok) then
            if (too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, "neighbors", &
                        stat, errmsg, owned(self))) return
            status = neargrid_neighbors_copy_32(owned(self), rows_of(kind), n, &
                                                size(ids, kind=int64), total, offsets, ids)
        end if
        call report_on(owned(self), status, "neighbors", stat, errmsg)
    end procedure neighbors_fill_32

    module procedure padded_neighbors
        integer(int64) :: n, need
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = measure(owned(self), rows_of(kind), n, need)
        if (status == neargrid_status_ok) then
            if (too_few("ids, 2", size(ids, 2, int64), "n", n, "padded_neighbors", stat, errmsg, owned(self))) return
            if (too_few("counts", size(counts, kind=int64), "n", n, "padded_neighbors", &
                        stat, errmsg, owned(self))) return
            status = neargrid_neighbors_padded(owned(self), rows_of(kind), n, size(ids, 1, int64), &
                                               longest, ids, counts)
        end if
        call report_on(owned(self), status, "padded_neighbors", stat, errmsg)
    end procedure padded_neighbors

    module procedure histogram
        integer(c_int) :: which

        if (present(by_keyword)) continue
        if (differ("counts", size(counts, kind=int64), "size(edges) - 1", size(edges, kind=int64) - 1, &
                   "histogram", stat, errmsg, owned(self))) return
        which = neargrid_neighbors_half
        if (present(kind)) which = kind
        call report_on(owned(self), neargrid_neighbors_histogram(owned(self), which, &
                       size(counts, kind=int64), edges, counts), "histogram", stat, errmsg)
    end procedure histogram

    module procedure verlet_list
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status
        integer(c_int32_t) :: is_other

        if (present(by_keyword)) continue
        status = neargrid_verlet_view(owned(self), rows_of(kind), n, total, at_offsets, at_ids, &
                                      is_other)
        if (status == neargrid_status_ok) then
            call c_f_pointer(at_offsets, offsets, [n + 1])
            call view_ids(at_ids, total, ids)
            if (present(rebuilt)) rebuilt = is_other /= 0
        end if
        call report_on(owned(self), status, "verlet_list", stat, errmsg)
    end procedure verlet_list

    module procedure rows_of
        rows = neargrid_neighbors_full
        if (present(kind)) rows = kind
    end procedure rows_of

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
