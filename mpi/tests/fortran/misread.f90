!> Calls that could be misread. The compiler must refuse the lines marked `refused` and no other:
!> where an integer could be another argument as well as `stat`, it is given by keyword. Never run.
program misread
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid_mpi, only: neargrid_mpi_sides_both, neargrid_mpi_search
    implicit none (type, external)
    type(neargrid_mpi_search) :: search
    real(real64) :: pos(3, 10)
    integer(int64) :: ids(10), ngroups
    integer(int64), pointer :: labels(:)
    integer(c_int), pointer :: pair_i(:), pair_j(:)
    integer(c_int), pointer :: near(:, :)
    integer(int64), pointer :: offsets(:)
    real(real64), pointer :: distances(:, :)
    integer(c_int) :: ierr

    call search%set_points(pos, ierr)                        ! refused
    call search%update(pos, ierr)                            ! refused
    call search%update(pos, ids, ierr)                       ! refused
    call search%pairs(pair_i, pair_j, ierr)                  ! refused
    call search%pairs(pair_i, pair_j, neargrid_mpi_sides_both)     ! refused
    call search%neighbors(offsets, pair_i, ierr)             ! refused
    call search%knn(3_c_int, near, distances, ierr)          ! refused
    call search%fof(labels, ierr)                            ! refused
    call search%fof(labels, ngroups)                         ! refused

    call search%set_points(pos, ids, ierr)
    call search%pairs(pair_i, pair_j, sides=neargrid_mpi_sides_both, stat=ierr)
    call search%neighbors(offsets, pair_i, stat=ierr)
    call search%knn(3_c_int, near, distances, counts=pair_i, stat=ierr)
    call search%fof(labels, ngroups=ngroups, stat=ierr)
end program misread
