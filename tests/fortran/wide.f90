!> A code compiled with -fdefault-integer-8 as a whole, the modules included: default integers
!> have 8 bytes, the library's ids 4.
program wide
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int16, int64, real32, real64
    use cellList_m, only: cellList, cellList_compact
    use neargrid, only: neargrid_reorder, neargrid_search
    use neargrid_c, only: neargrid_celllist_release, neargrid_status_bad_count, neargrid_status_bad_cutoff, &
        neargrid_status_bad_dim, neargrid_status_bad_value, neargrid_status_capacity
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish, plain_pairs, same
    implicit none (type, external)
    integer, parameter :: n = 140, mark = -7000000000_int64
    real(real64), parameter :: cutoff = 0.2_real64
    real(real64) :: x(3, n)
    integer(c_int), allocatable :: want_i(:), want_j(:)
    integer :: length

    call check(kind(length) == int64, "compiled with -fdefault-integer-8")
    x = cloud_f64(3, n, 19)
    call plain_pairs(x, cutoff, want_i, want_j)
    length = size(want_i)
    call check(length > 100, "a cloud with pairs")
    call into_arrays()
    call to_fit()
    call folded()
    call failures()
    call handle()
    call neargrid_celllist_release()
    call finish("wide", 44)

contains

    logical function alike(found, wanted)
        integer, intent(in) :: found(:)
        integer(c_int), intent(in) :: wanted(:)

        alike = size(found) == size(wanted)
        if (alike) alike = all(found == wanted)
    end function alike

    subroutine into_arrays()
        integer :: npairs, pair_i(0:length + 9), pair_j(0:length + 9), stat
        integer(c_int), allocatable :: found_i(:), found_j(:)

        pair_i = mark
        pair_j = mark
        npairs = mark
        call cellList(3, n, 27, x, cutoff, length + 3, npairs, pair_i(1:), pair_j(1:))
        call check(npairs == length, "npairs")
        call check(alike(pair_i(1:length), want_i), "pair_i")
        call check(alike(pair_j(1:length), want_j), "pair_j")
        call check(pair_i(0) == mark .and. pair_j(0) == mark, "before the list")
        call check(all(pair_i(length + 1:) == mark) .and. all(pair_j(length + 1:) == mark), &
                   "beyond the list")
        pair_i = mark
        call cellList(3, n, 27, reshape(x, [3*n]), cutoff, length, npairs, pair_i(1:), &
                      pair_j(1:), stat=stat)
        call check(stat == 0 .and. npairs == length, "rank 1, a list that just fits")
        call check(alike(pair_i(1:length), want_i), "rank 1: pair_i")
        call check(all(pair_i(length + 1:) == mark), "rank 1: beyond the list")
        call plain_pairs(cloud_f32(2, n, 23), 0.08_real32, found_i, found_j)
        call check(size(found_i) <= length, "room for this test")
        call cellList(2, n, 27, cloud_f32(2, n, 23), 0.08_real32, length, npairs, pair_i(1:), &
                      pair_j(1:))
        call check(npairs == size(found_i), "real32 npairs")
        call check(alike(pair_i(1:npairs), found_i), "real32 pair_i")
    end subroutine into_arrays

    subroutine to_fit()
        integer, allocatable :: pair_i(:), pair_j(:)

        call cellList(3, n, x, cutoff, pair_i, pair_j)
        call check(alike(pair_i, want_i) .and. alike(pair_j, want_j), "allocatables")
        call cellList(3, 0, x, cutoff, pair_i, pair_j)
        call check(size(pair_i) == 0 .and. size(pair_j) == 0, "allocatables, no points")
    end subroutine to_fit

    subroutine folded()
        integer :: npairs, endpos(n + 2), pair_j(length + 2), i

        endpos = mark
        pair_j = mark
        call cellList_compact(3, n, x, cutoff, length + 2, npairs, endpos, pair_j)
        call check(npairs == length, "folded: npairs")
        call check(all(endpos(1:n) == [(count(want_i <= i), i=1, n)]), "folded: endpos")
        call check(all(endpos(n + 1:) == mark), "folded: beyond endpos")
        call check(alike(pair_j(1:length), want_j), "folded: pair_j")
        call check(all(pair_j(length + 1:) == mark), "folded: beyond pair_j")
    end subroutine folded

    subroutine failures()
        integer :: npairs, pair_i(length), pair_j(length), endpos(n), stat
        character(len=200) :: errmsg

        pair_i = mark
        pair_j = mark
        endpos = mark
        call cellList(3, n, 27, x, cutoff, length - 1, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(int(stat, c_int), neargrid_status_capacity, errmsg, "maxnpair", "need")
        call check(npairs == length, "the need")
        npairs = mark
        call cellList_compact(3, n, x, cutoff, 1, npairs, endpos, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(int(stat, c_int), neargrid_status_capacity, errmsg, "maxnpair", "fold")
        call check(npairs == length, "the need of a folded list")
        npairs = mark
        ! Values whose low 32 bits alone would be fine: 3 and 140.
        call cellList(3 + 2**32, n, 27, x, cutoff, length, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(int(stat, c_int), neargrid_status_bad_dim, errmsg, "dim", "dim")
        call cellList(3, n + 2**32, 27, x, cutoff, length, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(int(stat, c_int), neargrid_status_bad_count, errmsg, &
                           "npoints|4294967436", "npoints beyond 32 bits")
        call cellList(3, -n, 27, x, cutoff, length, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(int(stat, c_int), neargrid_status_bad_count, errmsg, &
                           "npoints|-140", "negative npoints")
        call cellList(3, n, 27, x, cutoff, -length, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(int(stat, c_int), neargrid_status_bad_count, errmsg, &
                           "maxnpair", "negative maxnpair")
        call check(npairs == mark .and. all(pair_i == mark) .and. all(pair_j == mark) .and. &
                   all(endpos == mark), "outputs of failures")
    end subroutine failures

    !> The handle's integers are c_int and int64 whatever the flags.
    subroutine handle()
        type(neargrid_search) :: search
        integer(c_int), allocatable :: ids_i(:), ids_j(:), ids(:)
        integer(c_int), pointer :: view_i(:), view_j(:)
        integer(c_int) :: stat
        integer(int64), allocatable :: offsets(:)
        integer :: npairs, wide_stat
        integer(int16) :: short_stat
        integer(c_int) :: two(2)
        character(len=200) :: errmsg

        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_points(x, n=int(n, c_int), stat=stat)
        call check(stat == 0, "stat")
        wide_stat = mark
        call search%set_points(x, n=int(n, c_int), stat=wide_stat)
        call check(wide_stat == 0, "a default integer as stat")
        wide_stat = mark
        call search%set_cutoff(-cutoff, stat=wide_stat, errmsg=errmsg)
        call check_failure(int(wide_stat, c_int), neargrid_status_bad_cutoff, errmsg, "cutoff", "a default integer as stat")
        call search%set_cutoff(-cutoff, stat=short_stat)
        call check(short_stat == neargrid_status_bad_cutoff, "stat of 2 bytes")
        two = [1_c_int, 2_c_int]
        call neargrid_reorder([2_c_int, 2_c_int], two, stat=wide_stat)
        call check(wide_stat == neargrid_status_bad_value, "stat of a procedure")
        call search%count_pairs(npairs)
        call check(npairs == length, "count_pairs into a default integer of 8 bytes")
        call search%pairs(ids_i, ids_j)
        call check(same(ids_i, want_i) .and. same(ids_j, want_j), "pairs")
        call search%pairs(view_i, view_j)
        call check(same(view_i, want_i) .and. same(view_j, want_j), "view of pairs")
        call search%neighbors(offsets, ids)
        call check(size(ids) == 2*length .and. size(offsets) == n + 1, "full rows")
        call search%destroy()
    end subroutine handle

end program wide
