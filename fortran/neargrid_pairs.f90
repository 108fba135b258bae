!> All pairs, in three forms.
submodule (neargrid) neargrid_pairs
    use neargrid_arrays, only: view_ids
    use neargrid_errors, only: differ, no_memory
    implicit none (type, external)

contains

    module procedure count_pairs
        call report_on(owned(self), neargrid_pairs_count(owned(self), npairs), "count_pairs", &
                       stat, errmsg)
    end procedure count_pairs

    module procedure pairs_view
        type(c_ptr) :: at_i, at_j
        integer(int64) :: npairs
        integer(c_int) :: status

        status = neargrid_pairs_view(owned(self), npairs, at_i, at_j)
        if (status == neargrid_status_ok) call view_ids(at_i, npairs, pair_i)
        if (status == neargrid_status_ok) call view_ids(at_j, npairs, pair_j)
        call report_on(owned(self), status, "pairs", stat, errmsg)
    end procedure pairs_view

    module procedure pairs_fit
        integer(c_int), allocatable :: new_i(:), new_j(:)
        integer(int64) :: npairs
        integer(c_int) :: status
        integer :: unallocated

        status = neargrid_pairs_count(owned(self), npairs)
        if (status == neargrid_status_ok) then
            allocate (new_i(npairs), new_j(npairs), stat=unallocated)
            if (no_memory(unallocated, npairs, "pairs", stat, errmsg, owned(self))) return
            status = neargrid_pairs_copy(owned(self), npairs, npairs, new_i, new_j)
        end if
        if (status == neargrid_status_ok) call move_alloc(new_i, pair_i)
        if (status == neargrid_status_ok) call move_alloc(new_j, pair_j)
        call report_on(owned(self), status, "pairs", stat, errmsg)
    end procedure pairs_fit

    module procedure pairs_fill
        if (differ("pair_j", size(pair_j, kind=int64), "size(pair_i)", &
                   size(pair_i, kind=int64), "pairs", stat, errmsg, owned(self))) return
        call report_on(owned(self), neargrid_pairs_copy(owned(self), size(pair_i, kind=int64), &
                       npairs, pair_i, pair_j), "pairs", stat, errmsg)
    end procedure pairs_fill

end submodule neargrid_pairs
