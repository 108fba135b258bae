! Names for a block tagged `fortran mpi`, which takes the place of the line with the mark. It must compile and is not run.
program frame_mpi
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid_mpi
    implicit none
    integer, parameter :: n = 10, steps = 1
    integer :: comm = 0, step
    type(neargrid_mpi_search) :: search
    type(neargrid_mpi_groups) :: halos
    real(real64) :: h = 1, linking_length = 1, x(3, n), mass(n), velocity(3, n), density(2*n), force(3, 2*n)
    integer(int64) :: id(n), nghosts, n_after, ngroups
    integer(c_int), pointer :: pair_i(:), pair_j(:), near(:, :), owners(:)
    integer(int64), pointer :: labels(:), ghost_ids(:)
    real(real64), pointer :: distances(:, :), pos(:, :)
    real(real64), allocatable :: fresh_x(:, :)
    integer(int64), allocatable :: fresh_id(:)
    logical :: rebuilt
    @FRAGMENT@
end program frame_mpi
