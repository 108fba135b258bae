!> The means that `neargrid_mpi` is made with: how failures are reported, and
!> fields on their way. Programs use module `neargrid_mpi`.
module neargrid_mpi_fields
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_intptr_t, c_null_char, &
        c_null_ptr, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: int64
    use neargrid_c, only: neargrid_status_bad_count
    use neargrid_errors, only: conclude, text_length
    use neargrid_mpi_c
    implicit none (type, external)

    private
    public :: report, must_fit, travel, extent, known
    public :: exchange, begin, finish, sum_f32, sum_f64, sum_i32, sum_i64

    !> Things that happen to a field.
    enum, bind(c)
        enumerator :: exchange, begin, finish, sum_f32, sum_f64, sum_i32, sum_i64
    end enum

contains

    !> A status becomes `stat`, `errmsg` or the end of the program; `handle` is null where none
    !> was made.
    subroutine report(handle, status, caller, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=text_length) :: text
        integer(c_size_t) :: length

        text = ""
        length = 0
        if (status /= 0) then
            if (caller /= "create" .and. .not. c_associated(handle)) then
                text = "this search does not exist: call create first"
            else if (neargrid_mpi_last_error(text, int(text_length, c_size_t), length) == 0) then
                text = text(1:min(int(length), text_length - 1))     ! without the final NUL
            end if
        end if
        call conclude(status, caller, text, stat, errmsg)
    end subroutine report

    !> Has the next collective call fail, on all ranks, if an array has not the size it must have.
    subroutine must_fit(handle, name, found, wanted_name, wanted)
        type(c_ptr), intent(in) :: handle
        character(len=*), intent(in) :: name, wanted_name
        integer(int64), intent(in) :: found, wanted
        character(len=200) :: text

        if (found == wanted) return
        write (text, "(3a, i0, 3a, i0)") "size(", name, ") = ", found, &
            " is not allowed: it must be ", wanted_name, " = ", wanted
        if (neargrid_mpi_search_refuse(handle, neargrid_status_bad_count, &
                                       trim(text) // c_null_char) /= 0) return
    end subroutine must_fit

    !> Numbers of a point, and how many points.
    pure function extent(sizes) result(found)
        integer(int64), intent(in) :: sizes(:)
        integer(int64) :: found(2)

        found = [product(sizes(:size(sizes) - 1)), 1_int64]
        if (size(sizes) > 0) found(2) = sizes(size(sizes))
    end function extent

    !> A counter of a search that exists.
    function known(handle, which) result(value)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: which
        integer(int64) :: value

        value = 0
        if (neargrid_mpi_search_counter(handle, which, value) /= 0) value = 0
    end function known

    !> Halo exchanges and sums: a field at `at`, of `extent` numbers and points, each number of so
    !> many bytes.
    subroutine travel(handle, way, at, bytes, extent, stat, errmsg)
        type(c_ptr), intent(in) :: handle, at
        integer(c_int), intent(in) :: way
        integer, intent(in) :: bytes
        integer(int64), intent(in) :: extent(2)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: owned, ghosts, element
        integer(c_int) :: status
        type(c_ptr) :: behind

        owned = known(handle, neargrid_mpi_counter_owned)
        ghosts = known(handle, neargrid_mpi_counter_ghosts)
        element = bytes*extent(1)
        call must_fit(handle, "field, last", extent(2), "points and ghosts", owned + ghosts)
        behind = c_null_ptr
        if (c_associated(at)) &
            behind = transfer(transfer(at, 0_c_intptr_t) + int(owned*element, c_intptr_t), behind)
        select case (way)
        case (exchange)
            status = neargrid_mpi_halo_exchange(handle, element, at, behind)
        case (begin)
            status = neargrid_mpi_halo_begin(handle, element, at)
        case (finish)
            status = neargrid_mpi_halo_finish(handle, behind)
        case (sum_f32)
            status = neargrid_mpi_halo_sum_f32(handle, extent(1), behind, at)
        case (sum_f64)
            status = neargrid_mpi_halo_sum_f64(handle, extent(1), behind, at)
        case (sum_i32)
            status = neargrid_mpi_halo_sum_i32(handle, extent(1), behind, at)
        case default
            status = neargrid_mpi_halo_sum_i64(handle, extent(1), behind, at)
        end select
        call report(handle, status, "halo", stat, errmsg)
    end subroutine travel

end module neargrid_mpi_fields
