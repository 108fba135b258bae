!> All pairs of nearby points in a random cloud, through the drop-in module `cellList_m`.
!>
!>     gfortran find_pairs.f90 $(pkg-config --cflags --libs neargrid-fortran) -o find_pairs
!>     ./find_pairs
program find_pairs
    use cellList_m, only: cellList, f => cellList_real
    implicit none (type, external)
    integer, parameter :: dim = 3, n = 100
    ! Room for as many pairs as there can be. A larger code guesses, and on a status of 8 takes
    ! `npairs` as the size it needs; or passes allocatable lists, which are sized to fit.
    integer, parameter :: maxnpair = n*(n - 1)/2
    real(f) :: x(dim, n), cutoff
    integer :: pair_i(maxnpair), pair_j(maxnpair), npairs, k

    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)
    cutoff = 2*real(n, f)**(-1.0_f/dim)     ! twice the spacing of as many points on a lattice

    call cellList(dim, n, 27, x, cutoff, maxnpair, npairs, pair_i, pair_j)

    print "(i0, a, i0, a, f6.4, a)", npairs, " pairs among ", n, " points are closer than ", &
        cutoff, "; the first and the last five:"
    print "(3a6)", "pair", "i", "j"
    do k = 1, npairs
        if (k == 6 .and. npairs > 10) print "(a6)", "..."
        if (k > 5 .and. k <= npairs - 5) cycle
        print "(3i6)", k, pair_i(k), pair_j(k)
    end do
end program find_pairs
