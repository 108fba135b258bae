!> Calls of old codes: arrays larger than the points in them, flat arrays, array elements, the
!> external symbols `celllist` and `scelllist` without the module.
program legacy
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_fortran_env, only: real32, real64
    use neargrid_c, only: neargrid_celllist_release, neargrid_status_bad_count, &
        neargrid_status_bad_cutoff, neargrid_status_bad_dim, neargrid_status_non_finite
    use support, only: check, cloud_f32, cloud_f64, finish, guard, plain_pairs, same, untouched
    implicit none (type, external)
    integer, parameter :: dim = 2, n = 120, maxn = 200, maxnpair = 4000
    real(real64), parameter :: cutoff = 0.1_real64
    real(real32), parameter :: cutoff_f32 = 0.1_real32
    real(real64) :: x(dim, maxn), flat(dim*maxn)
    real(real32) :: x_f32(dim, maxn), flat_f32(dim*maxn)
    integer :: pair_i(maxnpair), pair_j(maxnpair), npairs
    integer, allocatable :: want_i(:), want_j(:), want_i_f32(:), want_j_f32(:)

    ! A NaN in each spare element: reading one would be refused.
    x = ieee_value(cutoff, ieee_quiet_nan)
    x(:, 1:n) = cloud_f64(dim, n, 13)
    flat = reshape(x, [dim*maxn])
    x_f32 = ieee_value(cutoff_f32, ieee_quiet_nan)
    x_f32(:, 1:n) = cloud_f32(dim, n, 14)
    flat_f32 = reshape(x_f32, [dim*maxn])
    call plain_pairs(x(:, 1:n), cutoff, want_i, want_j)
    call plain_pairs(x_f32(:, 1:n), cutoff_f32, want_i_f32, want_j_f32)

    call through_the_module()
    call through_the_symbols()
    call symbols_that_fail()
    call neargrid_celllist_release()
    deallocate (want_i, want_j, want_i_f32, want_j_f32)     ! a main program frees nothing by itself
    call finish("legacy", 70)

contains

    subroutine clear()
        npairs = guard
        pair_i = guard
        pair_j = guard
    end subroutine clear

    subroutine compare(what, wanted_i, wanted_j)
        character(len=*), intent(in) :: what
        integer, intent(in) :: wanted_i(:), wanted_j(:)

        call check(npairs == size(wanted_i) .and. npairs > 100, what // ": npairs")
        call check(same(pair_i(1:size(wanted_i)), wanted_i), what // ": pair_i")
        call check(same(pair_j(1:size(wanted_j)), wanted_j), what // ": pair_j")
        call check(untouched(pair_i(size(wanted_i) + 1:)), what // ": beyond pair_i")
        call check(untouched(pair_j(size(wanted_j) + 1:)), what // ": beyond pair_j")
        call clear()
    end subroutine compare

    subroutine through_the_module()
        use cellList_m, only: cellList
        real(real64) :: wide(dim + 1, n)

        call clear()
        call cellList(dim, n, 27, x, cutoff, maxnpair, npairs, pair_i, pair_j)
        call compare("x(dim, maxn), n < maxn", want_i, want_j)
        call cellList(dim, n, 27, flat, cutoff, maxnpair, npairs, pair_i, pair_j)
        call compare("x(dim*maxn)", want_i, want_j)
        call cellList(dim, n, 27, x_f32, cutoff_f32, maxnpair, npairs, pair_i, pair_j)
        call compare("real32 x(dim, maxn), n < maxn", want_i_f32, want_j_f32)
        call cellList(dim, n, 27, flat_f32, cutoff_f32, maxnpair, npairs, pair_i, pair_j)
        call compare("real32 x(dim*maxn)", want_i_f32, want_j_f32)
        wide(1:dim, :) = x(:, 1:n)
        wide(dim + 1, :) = 5
        call cellList(dim, n, 27, wide(1:dim, :), cutoff, maxnpair, npairs, pair_i, pair_j)
        call compare("x(1:dim, :), packed by the compiler", want_i, want_j)
    end subroutine through_the_module

    !> With an interface block; without one: legacy77.f.
    subroutine through_the_symbols()
        interface
            subroutine celllist(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                                pair_i, pair_j)
                import :: real64
                integer, intent(in) :: dim, npoints, maxpercell, maxnpair
                real(real64), intent(in) :: x(*), cutoff
                integer, intent(inout) :: npairs, pair_i(*), pair_j(*)
            end subroutine celllist
            subroutine scelllist(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                                 pair_i, pair_j)
                import :: real32
                integer, intent(in) :: dim, npoints, maxpercell, maxnpair
                real(real32), intent(in) :: x(*), cutoff
                integer, intent(inout) :: npairs, pair_i(*), pair_j(*)
            end subroutine scelllist
        end interface
        integer :: just

        call clear()
        call celllist(dim, n, 27, x(1, 1), cutoff, maxnpair, npairs, pair_i(1), pair_j(1))
        call compare("celllist, x(1,1)", want_i, want_j)
        call celllist(dim, n, 27, x, cutoff, maxnpair, npairs, pair_i, pair_j)
        call compare("celllist, x", want_i, want_j)
        call scelllist(dim, n, 27, x_f32(1, 1), cutoff_f32, maxnpair, npairs, pair_i, pair_j)
        call compare("scelllist, x(1,1)", want_i_f32, want_j_f32)
        call scelllist(dim, n, 27, flat_f32(1), cutoff_f32, maxnpair, npairs, pair_i, pair_j)
        call compare("scelllist, x(1)", want_i_f32, want_j_f32)
        just = size(want_i)
        call celllist(dim, n, 27, x(1, 1), cutoff, just, npairs, pair_i, pair_j)
        call compare("celllist, a list that just fits", want_i, want_j)
        call celllist(dim, 0, 27, x(1, 1), cutoff, maxnpair, npairs, pair_i, pair_j)
        call check(npairs == 0 .and. untouched(pair_i), "celllist without points")
        call celllist(dim, n, 27, x(1, 1), cutoff, just - 1, npairs, pair_i, pair_j)
        call check(npairs == just, "celllist, capacity: npairs is the need")
        call check(untouched(pair_i) .and. untouched(pair_j), "celllist, capacity: untouched")
        call celllist(dim, n, 27, x(1, 1), cutoff, npairs + 0, npairs, pair_i, pair_j)
        call compare("celllist, after a capacity too small", want_i, want_j)
    end subroutine through_the_symbols

    !> On a failure npairs is minus the status.
    subroutine symbols_that_fail()
        external :: celllist, scelllist
        real(real64) :: one_nan(dim, n)

        one_nan = x(:, 1:n)
        one_nan(2, n) = x(1, maxn)
        call clear()
        call celllist(4, n, 27, x, cutoff, maxnpair, npairs, pair_i, pair_j)
        call check(npairs == -neargrid_status_bad_dim, "celllist: bad dim")
        call celllist(dim, -1, 27, x, cutoff, maxnpair, npairs, pair_i, pair_j)
        call check(npairs == -neargrid_status_bad_count, "celllist: bad npoints")
        call celllist(dim, n, 27, x, cutoff, -1, npairs, pair_i, pair_j)
        call check(npairs == -neargrid_status_bad_count, "celllist: bad maxnpair")
        call celllist(dim, n, 27, x, -cutoff, maxnpair, npairs, pair_i, pair_j)
        call check(npairs == -neargrid_status_bad_cutoff, "celllist: bad cutoff")
        call celllist(dim, n, 27, one_nan, cutoff, maxnpair, npairs, pair_i, pair_j)
        call check(npairs == -neargrid_status_non_finite, "celllist: a NaN")
        call scelllist(dim, n, 27, x_f32, -cutoff_f32, maxnpair, npairs, pair_i, pair_j)
        call check(npairs == -neargrid_status_bad_cutoff, "scelllist: bad cutoff")
        call check(untouched(pair_i) .and. untouched(pair_j), "celllist: lists of failures")
        call celllist(dim, n, 27, x, cutoff, maxnpair, npairs, pair_i, pair_j)
        call compare("celllist after failures", want_i, want_j)
    end subroutine symbols_that_fail

end program legacy
