!> The frame of the program that programs.py makes of fortran.txt: outputs of all kinds, arrays, and the searches that are prepared.
program refusals
    use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use cellList_m, only: cellList, cellList_compact
    use neargrid
    use neargrid_c, only: neargrid_celllist_release
    use support, only: check, check_failure, cloud_f64, finish, guard, untouched
    implicit none (type, external)
    integer, parameter :: n = 60
    real(real64), parameter :: cutoff = 0.3_real64
    logical, parameter :: yes(1, 1) = .true., flags(3, 1) = .false.
    integer(int64), parameter :: wide(3) = [1, 2, 3], ends(2) = [1, n + 1]
    real(real64) :: x(3, n), nan, inf
    integer(int64) :: wanted
    integer :: pair_k
    ! Outputs, which are the same after a failure.
    integer(int64) :: npairs, offsets(n + 1)
    integer(c_int) :: ids(n*n), pair_i(7), pair_j(8), small(1, n), few, narrow(n + 1)
    real(real64) :: value, d(n), r(2, 3), d2(1, n)
    logical :: rebuilt
    integer(c_int), pointer :: view(:), more(:), view_table(:, :)
    integer(int64), pointer :: view_offsets(:)
    real(real64), pointer :: view_reals(:, :)
    integer(c_int), allocatable :: fit(:), fit_more(:), table(:, :)
    integer(int64), allocatable :: fit_offsets(:)
    real(real64), allocatable :: fit_reals(:), reals(:, :)
    real(real32), allocatable :: fit32(:), fit32_y(:), fit32_z(:), reals32(:, :)
    character(len=:), allocatable :: text
    type(neargrid_list) :: list, lists(2)
    integer(c_int) :: stat
    character(len=400) :: errmsg

    nan = ieee_value(nan, ieee_quiet_nan)
    inf = ieee_value(inf, ieee_positive_inf)
    x = cloud_f64(3, n, 77)
    call begin()
    call texts()
@CALLS@
    call finish("refusals", @CHECKS@)

contains

    subroutine begin()
        npairs = guard
        offsets = guard
        ids = guard
        pair_i = guard
        pair_j = guard
        small = guard
        few = guard
        narrow = guard
        value = guard
        d = guard
        r = guard
        d2 = guard
        rebuilt = .true.
        nullify (view, more, view_table, view_offsets, view_reals)
        stat = guard
        errmsg = ""
    end subroutine begin

    !> A status without a text, a text cut to fit, and arrays that keep their bounds.
    subroutine texts()
        type(neargrid_search) :: search
        character(len=5) :: short

        call search%count_pairs(npairs, stat)
        call check(stat == neargrid_status_null_pointer, "stat without errmsg")
        call search%count_pairs(npairs, stat, errmsg)
        call search%count_pairs(npairs, stat, short)
        call check(short == errmsg(1:5) .and. len_trim(short) > 0, "a text cut to a short errmsg")
        allocate (fit(-2:4), fit_more(3), source=guard)
        call cellList(3, n, x, -cutoff, fit, fit_more, stat=stat)
        call check(stat == neargrid_status_bad_cutoff .and. size(fit) == 7 .and. lbound(fit, 1) == -2 .and. &
                   untouched(fit) .and. size(fit_more) == 3, "allocatables after a failure")
        deallocate (fit, fit_more)
        call begin()
    end subroutine texts

    !> The failure just seen; the outputs are as they were, but for the need where room is missing.
    subroutine refused(status, words, line)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: words
        integer, intent(in) :: line
        character(len=24) :: what

        write (what, "(a, i0)") "line ", line
        call check_failure(stat, status, errmsg, words, trim(what))
        if (stat /= neargrid_status_capacity) call check(npairs == guard .and. few == guard, trim(what) // ": a number was written")
        call check(all(offsets == guard) .and. untouched(ids) .and. untouched(pair_i) .and. untouched(pair_j) .and. &
                   all(small == guard) .and. untouched(narrow), trim(what) // ": integers were written")
        call check(abs(value - guard) <= 0 .and. all(abs(d - guard) <= 0) .and. all(abs(r - guard) <= 0) .and. &
                   all(abs(d2 - guard) <= 0) .and. rebuilt, trim(what) // ": reals were written")
        call check(.not. (associated(view) .or. associated(more) .or. associated(view_table) .or. associated(view_offsets) .or. &
                          associated(view_reals)), trim(what) // ": a pointer was associated")
        call check(.not. (allocated(fit) .or. allocated(fit_more) .or. allocated(table) .or. allocated(fit_offsets) .or. &
                          allocated(fit_reals) .or. allocated(reals) .or. allocated(reals32) .or. allocated(fit32) .or. &
                          allocated(fit32_y) .or. allocated(fit32_z) .or. allocated(text)), trim(what) // ": was allocated")
        call begin()
    end subroutine refused

    function table_of(rows, columns)
        integer, intent(in) :: rows, columns
        integer(c_int) :: table_of(rows, columns)

        table_of = 0
    end function table_of

    subroutine never(search)
        type(neargrid_search), intent(inout) :: search

        call search%destroy()
    end subroutine never

    subroutine none(search)
        type(neargrid_search), intent(inout) :: search

        call search%create()
    end subroutine none

    subroutine cloud(search)
        type(neargrid_search), intent(inout) :: search

        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_points(x)
        call search%count_pairs(wanted)
    end subroutine cloud

    !> That the search has all it had.
    subroutine cloud_ends(search)
        type(neargrid_search), intent(inout) :: search
        integer(int64) :: found

        call search%count_pairs(found)
        call check(found == wanted .and. found > 0, "pairs afterwards")
    end subroutine cloud_ends

    subroutine plane(search)
        type(neargrid_search), intent(inout) :: search

        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_points(x(:2, :))
        call search%set_queries(x(:2, :))
    end subroutine plane

    subroutine line(search)
        type(neargrid_search), intent(inout) :: search

        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_points(reshape([0.0_real64, 1.0_real64, 3.0_real64], [1, 3]))
    end subroutine line

@SECTIONS@
end program refusals
