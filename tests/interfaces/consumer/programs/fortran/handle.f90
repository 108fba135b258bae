! The Fortran API from a foreign project: every pair must be the double loop's, in its order.
program handle
   use, intrinsic :: iso_c_binding, only: c_int
   use, intrinsic :: iso_fortran_env, only: int64, real64
   use neargrid, only: neargrid_search
   implicit none
   integer, parameter :: n = 400
   real(real64), parameter :: cutoff = 0.2_real64
   real(real64) :: pos(3, n)
   type(neargrid_search) :: search
   integer(c_int), allocatable :: pair_i(:), pair_j(:)
   integer :: i, j, k, axis
   integer(int64) :: seed

   seed = 12345
   do i = 1, n
      do axis = 1, 3
         seed = iand(seed*1664525_int64 + 1013904223_int64, 4294967295_int64)
         pos(axis, i) = real(seed/256, real64)/16777216.0_real64
      end do
   end do

   call search%create()
   call search%set_cutoff(cutoff)
   call search%set_points(pos)
   call search%pairs(pair_i, pair_j)
   call search%destroy()

   k = 0
   do i = 1, n
      do j = i + 1, n
         if (sum((pos(:, i) - pos(:, j))**2) > cutoff**2) cycle
         k = k + 1
         if (k > size(pair_i)) error stop "a pair of the double loop is missing"
         if (pair_i(k) /= i .or. pair_j(k) /= j) error stop "a pair differs from the double loop's"
      end do
   end do
   if (k == 0 .or. k /= size(pair_i)) error stop "another number of pairs than the double loop"
   print "(a, i0, a)", "handle.f90: ", k, " pairs agree"
end program handle
