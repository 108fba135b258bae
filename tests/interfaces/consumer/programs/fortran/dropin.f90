! A code that called cellList before: its call is unchanged, the module is neargrid's now.
program dropin
   use cellList_m, only: cellList, f => cellList_real
   implicit none
   integer, parameter :: dim = 2, side = 20, npoints = side*side, maxpercell = 20, maxnpair = 16*npoints
   real(f), parameter :: cutoff = 2 ! many pairs of this lattice lie exactly on it
   real(f) :: x(dim, npoints)
   integer :: npairs, pair_i(maxnpair), pair_j(maxnpair)
   integer :: i, j, k

   do i = 1, npoints
      x(:, i) = [real(mod(i - 1, side), f), real((i - 1)/side, f)]
   end do
   call cellList(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, pair_i, pair_j)

   k = 0
   do i = 1, npoints
      do j = i + 1, npoints
         if (sum((x(:, i) - x(:, j))**2) > cutoff**2) cycle
         k = k + 1
         if (k > npairs) error stop "a pair of the double loop is missing"
         if (pair_i(k) /= i .or. pair_j(k) /= j) error stop "a pair differs from the double loop's"
      end do
   end do
   if (k == 0 .or. k /= npairs) error stop "another number of pairs than the double loop"
   print "(a, i0, a)", "dropin.f90: ", k, " pairs agree"
end program dropin
