! Names for a block tagged `fortran mpi`, which takes the place of the line with the mark. It must compile and is not run.
program frame_mpi
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid_mpi
    implicit none
    integer, parameter :: steps = 1
    integer :: comm = 0, n = 10, step
    integer(c_int) :: n_new
    type(neargrid_mpi_search) :: search
    type(neargrid_groups) :: halos
    real(real64) :: h = 1, linking_length = 1, mass(10), velocity(3, 10), density(20)
    real(real64), allocatable :: x(:, :)
    integer(int64), allocatable :: id(:), labels(:)
    integer(int64) :: ngroups
    integer(c_int), pointer :: pair_i(:), pair_j(:), near(:, :), owners(:), ids(:)
    integer(int64), pointer :: ghost_ids(:), offsets(:)
    real(real64), pointer :: distances(:, :), pos(:, :)
    @FRAGMENT@
end program frame_mpi
