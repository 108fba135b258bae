!> Points and ids of module `neargrid_mpi` on their way to C. Programs use that module.
module neargrid_mpi_points
    use, intrinsic :: iso_c_binding, only: c_loc, c_null_char, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64
    use neargrid_c, only: neargrid_status_bad_dim
    use neargrid_errors, only: looks_transposed, transposed_text
    use neargrid_mpi_c, only: neargrid_mpi_search_refuse
    use neargrid_mpi_fields, only: must_fit
    implicit none (type, external)

    private
    public :: address_of_ids, must_be_columns

    integer(int64), target, save :: no_ids(1) = 0      ! ids of no points

contains

    !> Has the next collective call fail, on all ranks, if points come as `pos(n, dim)`.
    subroutine must_be_columns(handle, extent)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in) :: extent(2)

        if (.not. looks_transposed(extent)) return
        if (neargrid_mpi_search_refuse(handle, neargrid_status_bad_dim, transposed_text(extent) &
                                       // c_null_char) /= 0) return
    end subroutine must_be_columns

    !> The place of the first id; null where none are given. Too few or too many of them for `n` points fail
    !> the next call.
    function address_of_ids(handle, ids, n) result(at)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(int64), intent(in) :: n
        type(c_ptr) :: at

        at = c_null_ptr
        if (.not. present(ids)) return
        at = c_loc(no_ids)
        if (size(ids, kind=int64) > 0) at = c_loc(ids(1))
        call must_fit(handle, "ids", size(ids, kind=int64), "size(pos, 2)", n)
    end function address_of_ids

end module neargrid_mpi_points
