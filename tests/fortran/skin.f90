!> Random walks with a skin, open and periodic, in every form of `update`: at each step the pairs
!> and rows are those of a fresh search.
program skin
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, cloud_f64, finish, same
    implicit none (type, external)
    integer, parameter :: n = 400, nsteps = 12
    type(neargrid_search) :: kept, fresh
    logical :: rebuilt
    integer :: dim

    do dim = 1, 3
        call walk(dim, .true., .false.)
        call walk(dim, .false., .true.)
    end do
    call refusals()
    call kept%destroy()
    call fresh%destroy()
    call finish("skin", 6*nsteps*4)

contains

    subroutine walk(dim, periodic, single)
        integer, intent(in) :: dim
        logical, intent(in) :: periodic, single
        real(real64) :: x(dim, n), cutoff, reach, share
        real(real32) :: single_x(dim, n)
        integer :: step, rebuilds
        integer(int64) :: lists

        x = cloud_f64(dim, n, 7 + dim)
        cutoff = 1.5_real64*real(n, real64)**(-1.0_real64/dim)
        reach = 0.2_real64*cutoff
        call begin(kept, cutoff, dim, periodic)
        call begin(fresh, cutoff, dim, periodic)
        if (single) call kept%set_skin(real(reach, real32))
        if (.not. single) call kept%set_skin(reach)
        rebuilds = 0
        do step = 1, nsteps
            single_x = real(x, real32)
            if (single) call update_f32(single_x)
            if (.not. single) call update_f64(x)
            if (rebuilt) rebuilds = rebuilds + 1
            if (single) call fresh%set_points(single_x)
            if (.not. single) call fresh%set_points(x)
            call compare()
            call kept%skin_used(share)
            call check(share >= 0 .and. (share <= 1 .or. rebuilt), "share of the skin")
            x = x + 0.08_real64*reach*(cloud_f64(dim, n, 1000*step + dim) - 0.5_real64)
        end do
        call kept%counter(neargrid_counter_skin_lists, lists)
        call check(rebuilds < nsteps/2 .and. lists >= rebuilds, &
                   "how often the list was made")
    end subroutine walk

    subroutine begin(search, cutoff, dim, periodic)
        type(neargrid_search), intent(inout) :: search
        real(real64), intent(in) :: cutoff
        integer, intent(in) :: dim
        logical, intent(in) :: periodic

        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_box(spread(0.0_real64, 1, dim), spread(1.0_real64, 1, dim), &
                            spread(periodic, 1, dim))
    end subroutine begin

    !> The forms of `update`, in turn.
    subroutine update_f64(x)
        real(real64), intent(in) :: x(:, :)
        integer, save :: calls = 0

        calls = calls + 1
        if (mod(calls, 2) == 0) then
            call kept%update(x, rebuilt)
        else if (size(x, 1) == 1) then
            call kept%update(x(1, :), rebuilt, dim=1_c_int)
        else if (size(x, 1) == 2) then
            call kept%update(x(1, :), x(2, :), rebuilt=rebuilt)
        else
            call kept%update(x(1, :), x(2, :), x(3, :), rebuilt, n=int(n, c_int))
        end if
    end subroutine update_f64

    subroutine update_f32(x)
        real(real32), intent(in) :: x(:, :)
        integer, save :: calls = 0

        calls = calls + 1
        if (mod(calls, 2) == 0) then
            call kept%update(x, rebuilt)
        else if (size(x, 1) == 1) then
            call kept%update(x(1, :), rebuilt, dim=1_c_int)
        else if (size(x, 1) == 2) then
            call kept%update(x(1, :), x(2, :), rebuilt=rebuilt)
        else
            call kept%update(x(1, :), x(2, :), x(3, :), rebuilt, n=int(n, c_int))
        end if
    end subroutine update_f32

    subroutine compare()
        integer(c_int), pointer :: pair_i(:), pair_j(:), want_i(:), want_j(:)
        integer(c_int), allocatable :: ids(:), want(:)
        integer(int64), allocatable :: offsets(:), want_offsets(:)
        integer(int64), pointer :: verlet(:)
        integer(c_int), pointer :: in_reach(:)
        logical :: other

        call kept%pairs(pair_i, pair_j)
        call fresh%pairs(want_i, want_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "pairs")
        call kept%neighbors(offsets, ids, kind=neargrid_neighbors_half)
        call fresh%neighbors(want_offsets, want, kind=neargrid_neighbors_half)
        call check(all(offsets == want_offsets), "offsets")
        call check(same(ids, want), "ids")
        call kept%verlet_list(verlet, in_reach, kind=neargrid_neighbors_half, rebuilt=other)
        call check(size(verlet) == n + 1 .and. size(in_reach) >= size(want) .and. (other .eqv. rebuilt), "the Verlet list")
    end subroutine compare

    subroutine refusals()
        type(neargrid_search) :: search
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(c_int) :: stat
        character(len=200) :: errmsg

        call search%create()
        call search%set_cutoff(1.0_real64)
        call search%set_points([0.0_real64, 1.0_real64, 2.2_real64], dim=1_c_int)
        call search%verlet_list(offsets, ids, kind=neargrid_neighbors_half, stat=stat, errmsg=errmsg)
        call check(stat == neargrid_status_bad_state .and. index(errmsg, "set_skin") > 0, "no skin")
        call search%set_skin(0.25_real64)
        call search%verlet_list(offsets, ids)
        call check(all(ids == [2, 1, 3, 2]) .and. all(offsets == [1, 2, 4, 5]), "full rows")
        call search%destroy()
    end subroutine refusals

end program skin
