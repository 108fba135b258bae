!> A cell of three vectors, and rows of neighbors with their images in it, in three forms.
submodule (neargrid) neargrid_cell
    use, intrinsic :: iso_c_binding, only: c_f_pointer
    use neargrid_arrays, only: view_ids, widened
    use neargrid_errors, only: differ, no_memory, too_few
    implicit none (type, external)

    integer(c_int), target, save :: none(3, 1) = 0

contains

    module procedure set_cell_f64
        if (differ("cell, 1", size(cell, 1, int64), "dim", 3_int64, "set_cell", stat, errmsg)) return
        if (differ("cell, 2", size(cell, 2, int64), "dim", 3_int64, "set_cell", stat, errmsg)) return
        if (differ("periodic", size(periodic, kind=int64), "dim", 3_int64, "set_cell", &
                   stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_cell(owned(self), cell, &
                       merge(1_c_int, 0_c_int, periodic)), "set_cell", stat, errmsg)
    end procedure set_cell_f64

    module procedure set_cell_f32
        call self%set_cell(widened(cell), periodic, stat, errmsg)
    end procedure set_cell_f32

    module procedure clear_cell
        call report_on(owned(self), neargrid_search_set_cell(owned(self)), "clear_cell", stat, errmsg)
    end procedure clear_cell

    module procedure count_images
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_images_count(owned(self), rows_of(kind), total), &
                       "count_images", stat, errmsg)
    end procedure count_images

    module procedure images_view
        type(c_ptr) :: at_offsets, at_ids, at_shifts
        integer(int64) :: n, total
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = neargrid_images_view(owned(self), rows_of(kind), n, total, at_offsets, at_ids, at_shifts)
        if (status == neargrid_status_ok) then
            call c_f_pointer(at_offsets, offsets, [n + 1])
            call view_ids(at_ids, total, ids)
            if (present(shifts)) then
                shifts => none(:, 1:0)
                if (total > 0) call c_f_pointer(at_shifts, shifts, [3_int64, total])
            end if
        end if
        call report_on(owned(self), status, "images", stat, errmsg)
    end procedure images_view

    module procedure images_fit
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:), new_shifts(:, :)
        integer(int64) :: n, total
        integer(c_int) :: status
        integer :: unallocated

        if (present(by_keyword)) continue
        status = measure(owned(self), rows_of(kind), n, total)
        if (status == neargrid_status_ok) then
            allocate (new_offsets(n + 1), new_ids(total), stat=unallocated)
            if (unallocated == 0 .and. present(shifts)) allocate (new_shifts(3, total), stat=unallocated)
            if (no_memory(unallocated, total, "images", stat, errmsg, owned(self))) return
            status = neargrid_images_copy(owned(self), rows_of(kind), n, total, total, new_offsets, &
                                          new_ids, new_shifts)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            if (present(shifts)) call move_alloc(new_shifts, shifts)
        end if
        call report_on(owned(self), status, "images", stat, errmsg)
    end procedure images_fit

    module procedure images_fill
        integer(int64) :: n, need, capacity
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = measure(owned(self), rows_of(kind), n, need)
        if (status == neargrid_status_ok) then
            if (too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, "images", &
                        stat, errmsg, owned(self))) return
            capacity = size(ids, kind=int64)
            if (present(shifts)) then
                if (differ("shifts, 1", size(shifts, 1, int64), "dim", 3_int64, "images", &
                           stat, errmsg, owned(self))) return
                capacity = min(capacity, size(shifts, 2, int64))
            end if
            status = neargrid_images_copy(owned(self), rows_of(kind), n, capacity, total, offsets, &
                                          ids, shifts)
        end if
        call report_on(owned(self), status, "images", stat, errmsg)
    end procedure images_fill

    ! The sizes of rows: `n` points, `total` entries.
    function measure(handle, kind, n, total) result(status)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: kind
        integer(int64), intent(inout) :: n, total
        integer(c_int) :: status

        status = neargrid_images_count(handle, kind, total)
        if (status == neargrid_status_ok) status = neargrid_search_counter(handle, &
            neargrid_counter_points, n)
    end function measure

end submodule neargrid_cell
