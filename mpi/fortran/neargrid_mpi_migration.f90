!> Fields of module `neargrid_mpi` that migrate. Programs use that module.
module neargrid_mpi_migration
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64
    use neargrid_mpi_c
    use neargrid_mpi_fields
    implicit none (type, external)

    private
    public :: move

contains

    !> Moves a field, `bytes` a number, from `before` to `after`, of these numbers and points.
    subroutine move(handle, bytes, before, before_extent, after, after_extent, stat, errmsg)
        type(c_ptr), intent(in) :: handle, before, after
        integer, intent(in) :: bytes
        integer(int64), intent(in) :: before_extent(2), after_extent(2)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call must_fit(handle, "before, last", before_extent(2), "the points planned for", &
                      known(handle, neargrid_mpi_counter_migration_before))
        call must_fit(handle, "after, last", after_extent(2), "the points afterwards", &
                      known(handle, neargrid_mpi_counter_migration_after))
        call must_fit(handle, "after, but last", after_extent(1), "that of before", &
                      before_extent(1))
        call report(handle, neargrid_mpi_migrate(handle, bytes*before_extent(1), before, after), &
                    "migrate", stat, errmsg)
    end subroutine move

end module neargrid_mpi_migration
