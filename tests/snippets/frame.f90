! Names for a block tagged `fortran fragment`, which takes the place of the line with the mark. It must compile and is not run.
program frame
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid
    implicit none
    integer, parameter :: dim = 3, maxnpair = 100
    integer(c_int), parameter :: n = 10, n_active = 8, k_max = 8
    type :: point
        real(real64) :: x, y, z, mass
    end type point
    type(point) :: parts(n)
    type(neargrid_search) :: search
    type(neargrid_list) :: list, lists(2), older
    type(neargrid_groups) :: found
    type(neargrid_formula) :: formula
    real(real64) :: cutoff = 1, h = 1, mean_spacing = 1
    real(real64) :: pos(dim, n), rows(n, dim), flat(dim*n), x(n), y(n), z(n), q(dim, n)
    real(real64) :: lo(dim), length(dim), mass(n), masses(n), velocities(dim, n), radii(n), d(n), r(dim, n)
    integer(c_int) :: types(n), roles(n), classes(maxnpair), stat, k, min_size = 1
    integer(int64) :: global_ids(n), npairs, nrows, total, ngroups
    integer(c_int), pointer :: pair_i(:), pair_j(:), ids(:), near(:, :), labels(:), counts(:), shifts(:, :)
    integer(int64), pointer :: offsets(:)
    integer(int64) :: firsts(3) = [1, 6, 11]
    real(real64) :: cutoffs(2) = 1
    real(real64), allocatable :: lengths(:)
    integer(c_int), allocatable :: outcomes(:)
    real(real64), pointer :: distances(:, :)
    integer(c_int), allocatable :: fit_i(:), fit_j(:), fit_ids(:), members(:), perm(:)
    integer(int64), allocatable :: fit_offsets(:)
    integer(c_int) :: counts_of_rows(n), my_offsets_32(n + 1), total_32
    integer(int64) :: bins(2)
    integer(c_int) :: my_i(maxnpair), my_j(maxnpair), my_ids(maxnpair), my_near(k_max, n)
    integer(int64) :: my_offsets(n + 1)
    real(real64) :: my_distances(k_max, n)
    character(len=200) :: errmsg
    logical :: rebuilt, is_active(n)
    integer :: i, j, g = 1, step, maxpercell = 27, npoints = n
    @FRAGMENT@
end program frame
