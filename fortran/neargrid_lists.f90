!> Lists: rows of neighbors that outlive the next call on the search.
submodule (neargrid) neargrid_lists
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer
    use neargrid_arrays, only: view_ids, widened
    use neargrid_errors, only: conclude, differ, last_error, owned_by, place_of
    implicit none (type, external)

contains

    module procedure take_neighbors
        type(c_ptr) :: handle
        integer(c_int) :: status

        if (present(by_keyword)) continue
        handle = owned(list)
        status = neargrid_neighbors_take(owned(self), rows_of(kind), handle)
        if (status == neargrid_status_ok) call own(list, handle)
        call report_on(owned(self), status, "take_neighbors", stat, errmsg)
    end procedure take_neighbors

    module procedure take_neighbors_by_cutoffs_f64
        type(c_ptr) :: handles(size(lists))
        integer(c_int) :: status
        integer :: k

        if (present(by_keyword)) continue
        if (differ("lists", size(lists, kind=int64), "size(cutoffs)", size(cutoffs, kind=int64), &
                   "take_neighbors_by_cutoffs", stat, errmsg, owned(self))) return
        do k = 1, size(lists)
            handles(k) = owned(lists(k))
        end do
        status = neargrid_neighbors_take_by_cutoffs(owned(self), rows_of(kind), &
            size(lists, kind=int64), cutoffs, handles)
        if (status == neargrid_status_ok) then
            do k = 1, size(lists)
                call own(lists(k), handles(k))
            end do
        end if
        call report_on(owned(self), status, "take_neighbors_by_cutoffs", stat, errmsg)
    end procedure take_neighbors_by_cutoffs_f64

    module procedure take_neighbors_by_cutoffs_f32
        if (present(by_keyword)) continue
        call self%take_neighbors_by_cutoffs(widened(cutoffs), lists, kind=kind, stat=stat, &
                                            errmsg=errmsg)
    end procedure take_neighbors_by_cutoffs_f32

    module procedure list_neighbors
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status

        status = neargrid_list_view(owned(self), n, total, at_offsets, at_ids)
        if (status == neargrid_status_ok) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == neargrid_status_ok) call view_ids(at_ids, total, ids)
        if (c_associated(self%handle)) then
            call conclude(status, "neighbors", last_error(status), stat, errmsg)
        else
            call conclude(status, "neighbors", "this list has no rows: call take_neighbors first", &
                          stat, errmsg)
        end if
    end procedure list_neighbors

    module procedure list_swap
        type(c_ptr) :: handle

        handle = owned(self)
        call own(self, owned(other))
        call own(other, handle)
    end procedure list_swap

    module procedure list_destroy
        call neargrid_list_destroy(owned(self))
        self%handle = c_null_ptr
    end procedure list_destroy

    module procedure owned_list
        handle = owned_by(self%handle, self%owner, "neargrid_list")
    end procedure owned_list

    module procedure list_finalize
        call self%destroy()
    end procedure list_finalize

    module procedure list_refuse_copy
        if (c_associated(self%handle) .or. c_associated(other%handle)) &
            error stop "neargrid: a neargrid_list cannot be copied by assignment"
    end procedure list_refuse_copy

    ! Makes `handle` that of a list.
    subroutine own(list, handle)
        class(neargrid_list), intent(inout) :: list
        type(c_ptr), intent(in) :: handle

        list%handle = handle
        list%owner = place_of(list%handle)
    end subroutine own

end submodule neargrid_lists
