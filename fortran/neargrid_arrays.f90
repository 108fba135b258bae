! Made from neargrid_arrays.fypp: change that file, then `make fortran`.
!> Arrays between Fortran and C: where their elements are and how far apart, and views of memory of
!> the library.
!>
!> Programs use module `neargrid`; this module has no name that they need.
module neargrid_arrays
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_intptr_t, c_loc, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    implicit none (type, external)

    private
    public :: address_of, addresses_of, stride_of, view_ids, widened, empty

    !> `address_of(x)`: where the first element of `x(:)` is; null where there is none.
    interface address_of
        procedure :: address_f32, address_f64, address_i32, address_i64
    end interface address_of

    !> `addresses_of(pos)`, `addresses_of(x)`: where the coordinates of the first point of
    !> `pos(dim, n)` or `x(dim*n)` are; null where there is no such axis or no point.
    interface addresses_of
        procedure :: columns_f32, columns_f64, flat_f32, flat_f64
    end interface addresses_of

    !> `stride_of(x)`, `stride_of(pos)`: bytes from one element of `x(:)`, or from one column of
    !> `pos(:, :)`, to the next; negative where they stand backwards.
    interface stride_of
        procedure :: stride_f32, stride_f64, column_stride_f32, column_stride_f64, stride_i32, stride_i64
    end interface stride_of

    !> The target of views of no elements: they are associated all the same.
    integer(c_int), target, save :: empty(1) = 0

contains

    function address_f32(x) result(address)
        real(real32), intent(in), target :: x(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (size(x, kind=int64) > 0) address = c_loc(x(1))
    end function address_f32

    function stride_f32(x) result(stride)
        real(real32), intent(in), target :: x(:)
        integer(int64) :: stride

        stride = 4_int64
        if (size(x, kind=int64) > 1) stride = between(c_loc(x(1)), c_loc(x(2)))
    end function stride_f32

    function address_f64(x) result(address)
        real(real64), intent(in), target :: x(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (size(x, kind=int64) > 0) address = c_loc(x(1))
    end function address_f64

    function stride_f64(x) result(stride)
        real(real64), intent(in), target :: x(:)
        integer(int64) :: stride

        stride = 8_int64
        if (size(x, kind=int64) > 1) stride = between(c_loc(x(1)), c_loc(x(2)))
    end function stride_f64

    function address_i32(x) result(address)
        integer(int32), intent(in), target :: x(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (size(x, kind=int64) > 0) address = c_loc(x(1))
    end function address_i32

    function stride_i32(x) result(stride)
        integer(int32), intent(in), target :: x(:)
        integer(int64) :: stride

        stride = 4_int64
        if (size(x, kind=int64) > 1) stride = between(c_loc(x(1)), c_loc(x(2)))
    end function stride_i32

    function address_i64(x) result(address)
        integer(int64), intent(in), target :: x(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (size(x, kind=int64) > 0) address = c_loc(x(1))
    end function address_i64

    function stride_i64(x) result(stride)
        integer(int64), intent(in), target :: x(:)
        integer(int64) :: stride

        stride = 8_int64
        if (size(x, kind=int64) > 1) stride = between(c_loc(x(1)), c_loc(x(2)))
    end function stride_i64

    function columns_f32(pos) result(address)
        real(real32), intent(in), target :: pos(:, :)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        if (size(pos, kind=int64) == 0) return
        do axis = 1, min(3, size(pos, 1))
            address(axis) = c_loc(pos(axis, 1))
        end do
    end function columns_f32

    function flat_f32(x) result(address)
        real(real32), intent(in), target :: x(:)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        do axis = 1, int(min(3_int64, size(x, kind=int64)))
            address(axis) = c_loc(x(axis))
        end do
    end function flat_f32

    function column_stride_f32(pos) result(stride)
        real(real32), intent(in), target :: pos(:, :)
        integer(int64) :: stride

        stride = 4_int64*size(pos, 1, int64)
        if (size(pos, 1) > 0 .and. size(pos, 2, int64) > 1) &
            stride = between(c_loc(pos(1, 1)), c_loc(pos(1, 2)))
    end function column_stride_f32

    function columns_f64(pos) result(address)
        real(real64), intent(in), target :: pos(:, :)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        if (size(pos, kind=int64) == 0) return
        do axis = 1, min(3, size(pos, 1))
            address(axis) = c_loc(pos(axis, 1))
        end do
    end function columns_f64

    function flat_f64(x) result(address)
        real(real64), intent(in), target :: x(:)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        do axis = 1, int(min(3_int64, size(x, kind=int64)))
            address(axis) = c_loc(x(axis))
        end do
    end function flat_f64

    function column_stride_f64(pos) result(stride)
        real(real64), intent(in), target :: pos(:, :)
        integer(int64) :: stride

        stride = 8_int64*size(pos, 1, int64)
        if (size(pos, 1) > 0 .and. size(pos, 2, int64) > 1) &
            stride = between(c_loc(pos(1, 1)), c_loc(pos(1, 2)))
    end function column_stride_f64

    pure function between(from, to) result(bytes)
        type(c_ptr), intent(in) :: from, to
        integer(int64) :: bytes

        bytes = transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)
    end function between

    !> A number in real64, also where the program flushes subnormal ones to zero (-Ofast): these are
    !> multiples of the smallest.
    elemental function widened(x) result(wide)
        real(real32), intent(in) :: x
        real(real64) :: wide
        integer(int32) :: bits, fraction

        bits = transfer(x, bits)
        fraction = ibits(bits, 0, 23)
        if (ibits(bits, 23, 8) > 0) then
            wide = real(x, real64)
        else
            wide = sign(fraction*2.0_real64**(-149), real(1 - 2*ibits(bits, 31, 1), real64))
        end if
    end function widened

    !> A view of `length` ids at `address`, which may be null where there are none.
    subroutine view_ids(address, length, ids)
        type(c_ptr), intent(in) :: address
        integer(int64), intent(in) :: length
        integer(c_int), pointer, intent(inout) :: ids(:)

        if (length > 0) then
            call c_f_pointer(address, ids, [length])
        else
            ids => empty(1:0)
        end if
    end subroutine view_ids

end module neargrid_arrays
