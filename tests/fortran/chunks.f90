!> Results in chunks: rows and pairs of all kinds, put together, are the lists of another handle;
!> what ends them.
program chunks
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, cloud_f64, finish, same
    implicit none (type, external)
    integer, parameter :: n = 2000, nqueries = 300
    real(real64), parameter :: cutoffs(3) = [0.005_real64, 0.04_real64, 0.11_real64]
    type(neargrid_search) :: search, other
    integer(int64) :: most(3) = [60_int64, 1000_int64, huge(1_int64)]
    integer :: dim, k

    do dim = 1, 3
        call prepare(search)
        call prepare(other)
        do k = 1, 3
            call rows(neargrid_neighbors_half, most(k))
            call rows(neargrid_neighbors_full, most(k))
            call rows(neargrid_neighbors_queries, most(k))
            call pairs(most(k))
        end do
    end do
    call ends()
    call search%destroy()
    call other%destroy()
    call finish("chunks", 200)

contains

    subroutine prepare(handle)
        type(neargrid_search), intent(inout) :: handle
        real(real64) :: x(dim, n), q(dim, nqueries)

        x = cloud_f64(dim, n, 3 + dim)
        q = cloud_f64(dim, nqueries, 30 + dim)
        call handle%create()
        call handle%set_cutoff(cutoffs(dim))
        if (dim == 2) then
            call handle%set_points(real(x, real32))
            call handle%set_queries(real(q, real32))
        else
            call handle%set_points(x)
            call handle%set_queries(q)
        end if
    end subroutine prepare

    subroutine rows(kind, max_entries)
        integer(c_int), intent(in) :: kind
        integer(int64), intent(in) :: max_entries
        integer(int64), pointer :: want_offsets(:), offsets(:)
        integer(c_int), pointer :: want(:), ids(:)
        integer(int64) :: total, first_row, nrows, row, at

        call other%neighbors(want_offsets, want, kind=kind)
        call search%chunks_begin(max_entries, total, kind=kind)
        call check(total == size(want, kind=int64), "entries of all chunks")
        row = 1
        at = 0
        do
            call search%chunks_next(first_row, nrows, offsets, ids)
            if (nrows == 0) exit
            call check(first_row == row .and. size(offsets, kind=int64) == nrows + 1, "rows")
            call check(all(offsets - 1 == want_offsets(row:row + nrows) - want_offsets(row)), &
                       "offsets")
            call check(size(ids, kind=int64) <= max_entries, "size of a chunk")
            call check(same(ids, want(at + 1:at + size(ids))), "ids")
            row = row + nrows
            at = at + size(ids)
        end do
        call check(at == total .and. row == size(want_offsets, kind=int64), "all rows")
        call check(.not. associated(offsets) .and. .not. associated(ids), "nothing behind the last")
    end subroutine rows

    subroutine pairs(max_entries)
        integer(int64), intent(in) :: max_entries
        integer(c_int), pointer :: want_i(:), want_j(:), pair_i(:), pair_j(:)
        integer(int64) :: total, npairs, at

        call other%pairs(want_i, want_j)
        call search%chunks_begin(max_entries, total, kind=neargrid_neighbors_half)
        at = 0
        do
            call search%chunks_next_pairs(npairs, pair_i, pair_j)
            if (npairs == 0) exit
            call check(same(pair_i, want_i(at + 1:at + npairs)), "pair_i")
            call check(same(pair_j, want_j(at + 1:at + npairs)), "pair_j")
            at = at + npairs
        end do
        call check(at == total .and. total == size(want_i, kind=int64), "all pairs")
    end subroutine pairs

    subroutine ends()
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:), pair_i(:), pair_j(:)
        integer(int64) :: total, first_row, nrows
        integer(c_int) :: stat
        character(len=200) :: errmsg

        call search%chunks_begin(100_int64, total)
        call search%set_cutoff(0.1_real64)
        call search%chunks_next(first_row, nrows, offsets, ids, stat, errmsg)
        call check(stat == neargrid_status_bad_state .and. index(errmsg, "chunks_begin") > 0, "ended")
        call search%chunks_next_pairs(nrows, pair_i, pair_j, stat, errmsg)
        call check(stat == neargrid_status_bad_state, "ended, as pairs")
        call search%chunks_begin(2_int64, total, stat=stat, errmsg=errmsg)
        call check(stat == neargrid_status_capacity .and. &
                   index(errmsg, "max_entries = 2") > 0, "a long row")
        call search%chunks_begin(2_int64, total, kind=7_c_int, stat=stat, errmsg=errmsg)
        call check(stat == neargrid_status_bad_value .and. index(errmsg, "kind = 7") > 0, "kind")
        call search%set_memory_limit(20000_int64)
        call search%pairs(pair_i, pair_j, stat, errmsg)
        call check(stat == neargrid_status_memory_limit .and. index(errmsg, "20000") > 0, &
                   "memory limit")
    end subroutine ends

end program chunks
