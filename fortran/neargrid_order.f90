! Made from neargrid_order.fypp: change that file, then `make fortran`.
!> Moves arrays by a permutation such as `search%order(perm)` makes, in place:
!>
!>     call neargrid_reorder(perm, array)      ! the k-th element becomes what was the perm(k)-th
!>     call neargrid_restore(perm, array)      ! undoes that
!>
!> `perm(n)`, `integer(c_int)`, has each number from 1 to n once (`neargrid_status_bad_value`).
!> `array` is real32, real64, int32, int64 or a default logical; it has n elements, or n columns, as
!> `pos(dim, n)` has (`neargrid_status_bad_count`). After a failure it is as it was. The call copies
!> the array for the time it takes; the compiler makes another copy of an array that is not
!> contiguous. `stat` and `errmsg` are optional, as everywhere.
!>
!> Programs use module `neargrid`, which has both names.
module neargrid_order
    use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid_c, c_reorder => neargrid_reorder
    use neargrid_errors, only: conclude, differ, last_error
    implicit none (type, external)

    private
    public :: neargrid_reorder, neargrid_restore

    interface neargrid_reorder
        procedure :: reorder_f64, reorder_f64_columns
        procedure :: reorder_f32, reorder_f32_columns
        procedure :: reorder_i32, reorder_i32_columns
        procedure :: reorder_i64, reorder_i64_columns
        procedure :: reorder_logical, reorder_logical_columns
    end interface neargrid_reorder

    interface neargrid_restore
        procedure :: restore_f64, restore_f64_columns
        procedure :: restore_f32, restore_f32_columns
        procedure :: restore_i32, restore_i32_columns
        procedure :: restore_i64, restore_i64_columns
        procedure :: restore_logical, restore_logical_columns
    end interface neargrid_restore

contains

    subroutine reorder_f64(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real64), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_f64

    subroutine reorder_f64_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real64), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_f64_columns

    subroutine reorder_f32(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real32), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_f32

    subroutine reorder_f32_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real32), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_f32_columns

    subroutine reorder_i32(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int32), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_i32

    subroutine reorder_i32_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int32), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_i32_columns

    subroutine reorder_i64(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int64), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_i64

    subroutine reorder_i64_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int64), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_i64_columns

    subroutine reorder_logical(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        logical, intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = address_of(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_logical

    subroutine reorder_logical_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        logical, intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = address_of(array)
        call reorder_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine reorder_logical_columns

    subroutine restore_f64(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real64), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_f64

    subroutine restore_f64_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real64), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_f64_columns

    subroutine restore_f32(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real32), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_f32

    subroutine restore_f32_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        real(real32), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_f32_columns

    subroutine restore_i32(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int32), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_i32

    subroutine restore_i32_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int32), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_i32_columns

    subroutine restore_i64(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int64), intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_i64

    subroutine restore_i64_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        integer(int64), intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = c_loc(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_i64_columns

    subroutine restore_logical(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        logical, intent(inout), target, contiguous :: array(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = address_of(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_logical

    subroutine restore_logical_columns(perm, array, stat, errmsg)
        integer(c_int), intent(in), contiguous :: perm(:)
        logical, intent(inout), target, contiguous :: array(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: start

        start = c_null_ptr
        if (size(array, kind=int64) > 0) start = address_of(array)
        call restore_at(start, storage_size(array), shape(array, int64), perm, stat, errmsg)
    end subroutine restore_logical_columns

    ! The start of an array that has no type of C. Flang refuses a plain c_loc of such an array.
    function address_of(array) result(address)
        type(*), intent(in), target :: array(*)
        type(c_ptr) :: address

        address = c_loc(array)
    end function address_of

    ! The array at `start`, of `bits` an element and that shape.
    subroutine reorder_at(start, bits, extent, perm, stat, errmsg)
        type(c_ptr), intent(in) :: start
        integer, intent(in) :: bits
        integer(int64), intent(in) :: extent(:)
        integer(c_int), intent(in), contiguous :: perm(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        if (misfit(extent, perm, "reorder", stat, errmsg)) return
        status = c_reorder(neargrid_direction_reorder, size(perm, kind=int64), perm, 1_c_int, bytes_of(bits, extent), start, &
                           start)
        call conclude(status, "reorder", last_error(status), stat, errmsg)
    end subroutine reorder_at

    ! The array at `start`, of `bits` an element and that shape.
    subroutine restore_at(start, bits, extent, perm, stat, errmsg)
        type(c_ptr), intent(in) :: start
        integer, intent(in) :: bits
        integer(int64), intent(in) :: extent(:)
        integer(c_int), intent(in), contiguous :: perm(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        if (misfit(extent, perm, "restore", stat, errmsg)) return
        status = c_reorder(neargrid_direction_restore, size(perm, kind=int64), perm, 1_c_int, bytes_of(bits, extent), start, &
                           start)
        call conclude(status, "restore", last_error(status), stat, errmsg)
    end subroutine restore_at

    ! Whether there is nothing to move: the sizes differ, which is a failure, or columns are empty.
    function misfit(extent, perm, caller, stat, errmsg) result(is_done)
        integer(int64), intent(in) :: extent(:)
        integer(c_int), intent(in) :: perm(:)
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_done

        if (size(extent) == 1) then
            is_done = differ("array", extent(1), "size(perm)", size(perm, kind=int64), caller, &
                             stat, errmsg)
        else
            is_done = differ("array, 2", extent(2), "size(perm)", size(perm, kind=int64), caller, &
                             stat, errmsg)
            if (is_done .or. extent(1) > 0) return
            is_done = .true.
            call conclude(neargrid_status_ok, caller, "", stat, errmsg)
        end if
    end function misfit

    ! Bytes of an element, or of a column.
    pure function bytes_of(bits, extent) result(bytes)
        integer, intent(in) :: bits
        integer(int64), intent(in) :: extent(:)
        integer(int64) :: bytes

        bytes = bits/8
        if (size(extent) == 2) bytes = bytes*extent(1)
    end function bytes_of

end module neargrid_order
