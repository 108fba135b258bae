!> Rows in chunks.
submodule (neargrid) neargrid_chunks
    use, intrinsic :: iso_c_binding, only: c_f_pointer
    use neargrid_arrays, only: view_ids
    implicit none (type, external)

contains

    module procedure chunks_begin
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_chunks_begin(owned(self), rows_of(kind), max_entries, &
                       total), "chunks_begin", stat, errmsg)
    end procedure chunks_begin

    module procedure chunks_next
        type(c_ptr) :: at_offsets, at_ids
        integer(c_int) :: status

        status = neargrid_chunks_next(owned(self), first_row, nrows, at_offsets, at_ids)
        if (status == neargrid_status_ok) then
            nullify (offsets, ids)
            if (nrows > 0) then
                call c_f_pointer(at_offsets, offsets, [nrows + 1])
                call view_ids(at_ids, offsets(nrows + 1) - offsets(1), ids)
            end if
        end if
        call report_on(owned(self), status, "chunks_next", stat, errmsg)
    end procedure chunks_next

    module procedure chunks_next_pairs
        type(c_ptr) :: at_i, at_j
        integer(c_int) :: status

        status = neargrid_chunks_next_pairs(owned(self), npairs, at_i, at_j)
        if (status == neargrid_status_ok) call view_ids(at_i, npairs, pair_i)
        if (status == neargrid_status_ok) call view_ids(at_j, npairs, pair_j)
        call report_on(owned(self), status, "chunks_next_pairs", stat, errmsg)
    end procedure chunks_next_pairs

end submodule neargrid_chunks
