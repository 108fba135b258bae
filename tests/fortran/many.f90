!> More pairs than an integer of 4 bytes counts. Default integers of 4 bytes: a status of its own
!> and the need in the text. Of 8 bytes (-fdefault-integer-8): an ordinary capacity too small,
!> but for `endpos`, which is an integer of 4 bytes on its way.
program many
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use cellList_m, only: cellList, cellList_compact
    use neargrid, only: neargrid_search, neargrid_status_capacity
    use neargrid_c, only: neargrid_celllist_release, neargrid_status_too_many_pairs
    use support, only: check, check_failure, finish, guard
    implicit none (type, external)
    integer, parameter :: n = 66000
    integer(int64), parameter :: need = 2177967000_int64    ! n*(n - 1)/2
    logical, parameter :: is_wide = int(huge(n), int64) > need
    type(neargrid_search) :: search
    real(real32) :: x(1, n)
    integer :: npairs, pair_i(2), pair_j(2), endpos(n), stat
    integer, allocatable :: fit_i(:), fit_j(:)
    integer(c_int) :: ids_i(2), ids_j(2), outcome
    integer(int64) :: total
    character(len=200) :: errmsg

    x = 0.5     ! all points in one place
    call search%create()
    call search%set_cutoff(1.0_real32)
    call search%set_points(x)
    call search%count_pairs(total)
    call check(total == need, "count_pairs beyond 32 bits")
    ids_i = guard
    ids_j = guard
    total = guard
    call search%pairs(total, ids_i, ids_j, outcome, errmsg)
    call check_failure(outcome, neargrid_status_capacity, errmsg, "2177967000", "arrays")
    call check(total == need, "the need of arrays")
    call check(all(ids_i == guard) .and. all(ids_j == guard), "arrays are untouched")
    call search%count_neighbors(total)
    call check(total == 2*need, "count_neighbors beyond 32 bits")
    call search%destroy()

    npairs = guard
    pair_i = guard
    pair_j = guard
    endpos = guard
    call cellList(1, n, 27, x, 1.0_real32, 2, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
    call judge(is_wide, "cellList")
    call cellList_compact(1, n, real(x, real64), 1.0_real64, 2, npairs, endpos, pair_j, &
                          stat=stat, errmsg=errmsg)
    call judge(.false., "cellList_compact")
    if (.not. is_wide) then     ! a list that fits would have 35 GB
        call cellList(1, n, x, 1.0_real32, fit_i, fit_j, stat=stat, errmsg=errmsg)
        call judge(.false., "cellList to fit")
        call check(.not. (allocated(fit_i) .or. allocated(fit_j)), "to fit: unallocated")
    end if
    call neargrid_celllist_release()
    call finish("many", 12)

contains

    subroutine judge(is_countable, what)
        logical, intent(in) :: is_countable
        character(len=*), intent(in) :: what

        if (is_countable) then
            call check_failure(int(stat, c_int), neargrid_status_capacity, errmsg, &
                               "maxnpair = 2|2177967000", what)
            call check(int(npairs, int64) == need, what // ": npairs is the need")
        else
            call check_failure(int(stat, c_int), neargrid_status_too_many_pairs, errmsg, &
                               "2177967000", what)
            call check(npairs == guard, what // ": npairs")
        end if
        call check(all(pair_i == guard) .and. all(pair_j == guard) .and. all(endpos == guard), &
                   what // ": lists are untouched")
        npairs = guard
    end subroutine judge

end program many
