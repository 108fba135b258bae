!> The drop-in module `cellList_m`: its three forms, both kinds, `x` of rank 2 and of rank 1.
program dropin
    use, intrinsic :: iso_fortran_env, only: real32, real64
    use cellList_m, only: cellList, cellList_compact, f => cellList_real
    use neargrid_c, only: neargrid_celllist_release
    use support, only: check, cloud_f32, cloud_f64, finish, guard, plain_pairs, same, untouched
    implicit none (type, external)
    real(real64), parameter :: cutoff(3) = [0.01_real64, 0.08_real64, 0.2_real64]
    integer :: dim

    call kind_of_reals()
    do dim = 1, 3
        call forms_f64(dim, 150)
        call forms_f32(dim, 150)
    end do
    call forms_f64(3, 1)
    call forms_f64(3, 0)
    call forms_f32(2, 0)
    call no_room_needed()
    call tie_rules()
    call neargrid_celllist_release()
    call finish("dropin", 100)

contains

    !> The kind that a program which uses `cellList_real` sees, and a call as the old module had it.
    subroutine kind_of_reals()
        real(f), allocatable :: x(:, :)
        integer, allocatable :: pair_i(:), pair_j(:), want_i(:), want_j(:)
        integer :: npairs

        allocate (x(3, 100), pair_i(6000), pair_j(6000))
        x = real(cloud_f64(3, 100, 4), f)
        call cellList(3, 100, 27, x, 0.4_f, 6000, npairs, pair_i, pair_j)
        call plain_pairs(x, 0.4_f, want_i, want_j)
        call check(npairs == size(want_i) .and. npairs > 0, "npairs of the old call")
        call check(same(pair_i(1:npairs), want_i), "pair_i of the old call")
        call check(same(pair_j(1:npairs), want_j), "pair_j of the old call")
    end subroutine kind_of_reals

    !> Points of a lattice, many exactly one cutoff apart, by both rules in every form and kind.
    subroutine tie_rules()
        integer, parameter :: side = 6, n = side**2, room = n**2
        real(real64) :: x(2, n)
        integer, allocatable :: pair_i(:), pair_j(:), want_i(:), want_j(:)
        integer :: endpos(n), npairs, k, stat
        logical :: exclusive

        do k = 1, side
            x(1, k::side) = k
            x(2, (k - 1)*side + 1:k*side) = k
        end do
        allocate (pair_i(room), pair_j(room))
        do k = 0, 1
            exclusive = k == 1
            call plain_pairs(x, 2.0_real64, want_i, want_j, exclusive)
            call cellList(2, n, 0, x, 2.0_real64, room, npairs, pair_i, pair_j, exclusive=exclusive)
            call check(same(pair_i(:npairs), want_i) .and. same(pair_j(:npairs), want_j), "a rule")
            call cellList(2, n, 0, real(x, real32), 2.0_real32, room, npairs, pair_i, pair_j, &
                          exclusive=exclusive, stat=stat)
            call check(stat == 0 .and. same(pair_i(:npairs), want_i) .and. &
                       same(pair_j(:npairs), want_j), "a rule, real32")
            call cellList_compact(2, n, x, 2.0_real64, room, npairs, endpos, pair_j, &
                                  exclusive=exclusive)
            call check(all(endpos == ends(n, want_i)) .and. same(pair_j(:npairs), want_j), &
                       "a rule, folded")
            call cellList_compact(2, n, reshape(real(x, real32), [2*n]), 2.0_real32, room, npairs, &
                                  endpos, pair_j, exclusive=exclusive)
            call check(all(endpos == ends(n, want_i)) .and. same(pair_j(:npairs), want_j), &
                       "a rule, folded, real32")
            call to_fit(x, exclusive, want_i, want_j)
        end do
        call plain_pairs(x, 2.0_real64, want_i, want_j)
        call cellList(2, n, 0, x, 2.0_real64, room, npairs, pair_i, pair_j)
        call check(same(pair_i(:npairs), want_i), "the rule of a call that names none")
    end subroutine tie_rules

    subroutine to_fit(x, exclusive, want_i, want_j)
        real(real64), intent(in) :: x(:, :)
        logical, intent(in) :: exclusive
        integer, intent(in) :: want_i(:), want_j(:)
        integer, allocatable :: pair_i(:), pair_j(:)
        integer :: n

        n = size(x, 2)
        call cellList(2, n, x, 2.0_real64, pair_i, pair_j, exclusive=exclusive)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "a rule, to fit")
        call cellList(2, n, reshape(real(x, real32), [2*n]), 2.0_real32, pair_i, pair_j, &
                      exclusive=exclusive)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "a rule, to fit, real32")
    end subroutine to_fit

    subroutine forms_f64(dim, n)
        integer, intent(in) :: dim, n
        real(real64) :: x(dim, n)
        integer, allocatable :: pair_i(:), pair_j(:), want_i(:), want_j(:), endpos(:), want_end(:)
        integer :: npairs, stat, maxnpair
        character(len=20) :: errmsg

        x = cloud_f64(dim, n, 31*dim)
        call plain_pairs(x, cutoff(dim), want_i, want_j)
        allocate (want_end(n), source=ends(n, want_i))
        maxnpair = size(want_i) + 5
        allocate (pair_i(-3:maxnpair + 4), pair_j(-3:maxnpair + 4))

        call clear(pair_i, pair_j)
        call cellList(dim, n, 0, x, cutoff(dim), maxnpair, npairs, pair_i(1:), pair_j(1:))
        call compare("rank 2", npairs, pair_i, pair_j, want_i, want_j)
        call clear(pair_i, pair_j)
        errmsg = "as it was"
        stat = guard
        call cellList(dim, n, -1, x, cutoff(dim), size(want_i), npairs, pair_i(1:), pair_j(1:), &
                      stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. errmsg == "as it was", "stat, errmsg on success")
        call compare("rank 2, a list that just fits", npairs, pair_i, pair_j, want_i, want_j)
        call clear(pair_i, pair_j)
        call cellList(dim, n, 27, reshape(x, [dim*n]), cutoff(dim), maxnpair, npairs, &
                      pair_i(1:), pair_j(1:), errmsg=errmsg, stat=stat)
        call compare("rank 1", npairs, pair_i, pair_j, want_i, want_j)

        deallocate (pair_i, pair_j)
        call cellList(dim, n, x, cutoff(dim), pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "allocatables, rank 2")
        call cellList(dim, n, reshape(x, [dim*n]), cutoff(dim), pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. errmsg == "as it was", "stat, errmsg of allocatables")
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "allocatables, rank 1")

        endpos = spread(guard, 1, n + 2)
        pair_j = spread(guard, 1, maxnpair + 4)
        call cellList_compact(dim, n, x, cutoff(dim), maxnpair, npairs, endpos, pair_j)
        call compare_compact("rank 2", npairs, endpos, pair_j, want_end, want_j)
        endpos = guard
        pair_j = guard
        call cellList_compact(dim, n, reshape(x, [dim*n]), cutoff(dim), size(want_i), npairs, &
                              endpos, pair_j, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. errmsg == "as it was", "stat, errmsg of the folded list")
        call compare_compact("rank 1", npairs, endpos, pair_j, want_end, want_j)
    end subroutine forms_f64

    subroutine forms_f32(dim, n)
        integer, intent(in) :: dim, n
        real(real32) :: x(dim, n), c
        integer, allocatable :: pair_i(:), pair_j(:), want_i(:), want_j(:), endpos(:), want_end(:)
        integer :: npairs, stat, maxnpair

        c = real(cutoff(dim), real32)
        x = cloud_f32(dim, n, 37*dim)
        call plain_pairs(x, c, want_i, want_j)
        allocate (want_end(n), source=ends(n, want_i))
        maxnpair = size(want_i) + 5
        allocate (pair_i(-3:maxnpair + 4), pair_j(-3:maxnpair + 4))

        call clear(pair_i, pair_j)
        call cellList(dim, n, 0, x, c, maxnpair, npairs, pair_i(1:), pair_j(1:))
        call compare("real32, rank 2", npairs, pair_i, pair_j, want_i, want_j)
        call clear(pair_i, pair_j)
        call cellList(dim, n, 0, reshape(x, [dim*n]), c, maxnpair, npairs, pair_i(1:), &
                      pair_j(1:), stat=stat)
        call check(stat == 0, "real32 stat")
        call compare("real32, rank 1", npairs, pair_i, pair_j, want_i, want_j)

        deallocate (pair_i, pair_j)
        call cellList(dim, n, x, c, pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "real32 allocatables, rank 2")
        call cellList(dim, n, reshape(x, [dim*n]), c, pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "real32 allocatables, rank 1")

        endpos = spread(guard, 1, n + 2)
        pair_j = spread(guard, 1, maxnpair + 4)
        call cellList_compact(dim, n, x, c, maxnpair, npairs, endpos, pair_j)
        call compare_compact("real32, rank 2", npairs, endpos, pair_j, want_end, want_j)
        endpos = guard
        pair_j = guard
        call cellList_compact(dim, n, reshape(x, [dim*n]), c, maxnpair, npairs, endpos, pair_j)
        call compare_compact("real32, rank 1", npairs, endpos, pair_j, want_end, want_j)
    end subroutine forms_f32

    !> Points with no pair at all, into arrays without room.
    subroutine no_room_needed()
        real(real64) :: x(2, 4)
        integer :: npairs, none(0), endpos(4)
        integer, allocatable :: pair_i(:), pair_j(:)

        x = reshape([0, 0, 9, 0, 0, 9, 9, 9], [2, 4])
        npairs = guard
        call cellList(2, 4, 1, x, 1.0_real64, 0, npairs, none, none)
        call check(npairs == 0, "npairs without a pair")
        npairs = guard
        endpos = guard
        call cellList_compact(2, 4, x, 1.0_real64, 0, npairs, endpos, none)
        call check(npairs == 0 .and. all(endpos == 0), "endpos without a pair")
        call cellList(2, 4, x, 1.0_real64, pair_i, pair_j)
        call check(size(pair_i) == 0 .and. size(pair_j) == 0, "allocatables without a pair")
    end subroutine no_room_needed

    subroutine clear(pair_i, pair_j)
        integer, intent(out) :: pair_i(:), pair_j(:)

        pair_i = guard
        pair_j = guard
    end subroutine clear

    !> The list lies from element 1 on; all around it and beyond it must be as it was.
    subroutine compare(what, npairs, pair_i, pair_j, want_i, want_j)
        character(len=*), intent(in) :: what
        integer, intent(in) :: npairs, pair_i(-3:), pair_j(-3:), want_i(:), want_j(:)

        call check(npairs == size(want_i), what // ": npairs")
        call check(same(pair_i(1:size(want_i)), want_i), what // ": pair_i")
        call check(same(pair_j(1:size(want_j)), want_j), what // ": pair_j")
        call check(untouched(pair_i(:0)) .and. untouched(pair_j(:0)), what // ": before the list")
        call check(untouched(pair_i(size(want_i) + 1:)) .and. &
                   untouched(pair_j(size(want_i) + 1:)), what // ": beyond the list")
    end subroutine compare

    subroutine compare_compact(what, npairs, endpos, pair_j, want_end, want_j)
        character(len=*), intent(in) :: what
        integer, intent(in) :: npairs, endpos(:), pair_j(:), want_end(:), want_j(:)

        call check(npairs == size(want_j), what // ", folded: npairs")
        call check(same(endpos(1:size(want_end)), want_end), what // ", folded: endpos")
        call check(untouched(endpos(size(want_end) + 1:)), what // ", folded: beyond endpos")
        call check(same(pair_j(1:size(want_j)), want_j), what // ", folded: pair_j")
        call check(untouched(pair_j(size(want_j) + 1:)), what // ", folded: beyond pair_j")
    end subroutine compare_compact

    function ends(n, pair_i) result(endpos)
        integer, intent(in) :: n, pair_i(:)
        integer :: endpos(n), i

        endpos = [(count(pair_i <= i), i=1, n)]
    end function ends

end program dropin
