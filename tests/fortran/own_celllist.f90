!> A program that has a `celllist` of its own, links the static library and uses module
!> `neargrid`: the two must not meet. Its own takes part in the verdict.
program own_celllist
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_search
    use support, only: check, cloud_f64, finish, same
    implicit none (type, external)
    integer, parameter :: n = 80, maxnpair = n*n
    type(neargrid_search) :: search
    real(real64) :: x(3, n)
    integer :: own_i(maxnpair), own_j(maxnpair), own
    integer(c_int), allocatable :: pair_i(:), pair_j(:)
    external :: celllist

    x = cloud_f64(3, n, 41)
    own = -1
    call celllist(3, n, 27, x, 0.25_real64, maxnpair, own, own_i, own_j)
    call check(own > 100, "the program's own celllist ran")
    call check(own_i(maxnpair) == 4711, "and left its mark")
    call search%create()
    call search%set_cutoff(0.25_real64)
    call search%set_points(x)
    call search%pairs(pair_i, pair_j)
    call check(same(pair_i, own_i(1:own)) .and. same(pair_j, own_j(1:own)), "pairs of both")
    call search%destroy()
    call finish("own_celllist", 3)
end program own_celllist

!> The program's own: a double loop, with a mark at the end of `pair_i` that neargrid never sets.
subroutine celllist(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, pair_i, pair_j)
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none (type, external)
    integer, intent(in) :: dim, npoints, maxpercell, maxnpair
    real(real64), intent(in) :: x(dim, npoints), cutoff
    integer, intent(out) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
    integer :: i, j

    npairs = 0
    if (maxpercell < 1) return
    do i = 1, npoints - 1
        do j = i + 1, npoints
            if (sum((x(:, i) - x(:, j))**2) <= cutoff**2) then
                npairs = npairs + 1
                pair_i(npairs) = i
                pair_j(npairs) = j
            end if
        end do
    end do
    pair_i(maxnpair) = 4711
end subroutine celllist
