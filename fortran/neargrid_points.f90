!> Points on their way from Fortran arrays to C: their addresses and strides, of every real kind and
!> shape, for `set_points`, `add_points`, `set_queries` and `update`.
!>
!> Programs use module `neargrid`; this one carries no name they need.
module neargrid_points
    use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid_c
    use neargrid_errors, only: differ, not_whole, report_on, too_few, transposed
    implicit none (type, external)

    private
    public :: addresses_of, element_f32, element_f64, send_axes, send_columns, send_flat
    public :: to_points, to_more, to_queries, to_update

    !> `addresses_of(pos)`, `addresses_of(x)` of `pos(dim, n)`, `x(dim*n)`: where the coordinates of
    !> the first point are; null where there is no such axis or no point.
    interface addresses_of
        procedure :: columns_f32, columns_f64, flat_f32, flat_f64
    end interface addresses_of

    !> What points are for; apart by more than the bytes of a real.
    integer, parameter :: to_points = 0, to_more = 300, to_queries = 100, to_update = 200

contains

    function columns_f64(pos) result(address)
        real(real64), intent(in), target, contiguous :: pos(:, :)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        if (size(pos, kind=int64) == 0) return
        do axis = 1, min(3, size(pos, 1))
            address(axis) = c_loc(pos(axis, 1))
        end do
    end function columns_f64

    function columns_f32(pos) result(address)
        real(real32), intent(in), target, contiguous :: pos(:, :)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        if (size(pos, kind=int64) == 0) return
        do axis = 1, min(3, size(pos, 1))
            address(axis) = c_loc(pos(axis, 1))
        end do
    end function columns_f32

    function flat_f64(x) result(address)
        real(real64), intent(in), target, contiguous :: x(:)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        do axis = 1, int(min(3_int64, size(x, kind=int64)))
            address(axis) = c_loc(x(axis))
        end do
    end function flat_f64

    function flat_f32(x) result(address)
        real(real32), intent(in), target, contiguous :: x(:)
        type(c_ptr) :: address(3)
        integer :: axis

        address = c_null_ptr
        do axis = 1, int(min(3_int64, size(x, kind=int64)))
            address(axis) = c_loc(x(axis))
        end do
    end function flat_f32

    function element_f64(x) result(address)
        real(real64), intent(in), target, contiguous :: x(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (size(x, kind=int64) > 0) address = c_loc(x(1))
    end function element_f64

    function element_f32(x) result(address)
        real(real32), intent(in), target, contiguous :: x(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (size(x, kind=int64) > 0) address = c_loc(x(1))
    end function element_f32

    ! `pos(dim, held)` with `bytes` per coordinate; `address` of its first column's coordinates.
    subroutine send_columns(handle, what, bytes, extent, address, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        integer(c_int), intent(in) :: bytes
        integer(int64), intent(in) :: extent(2)
        type(c_ptr), intent(in) :: address(3)
        integer(c_int), intent(in), optional :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(c_int) :: dim

        if (transposed(extent, caller(what), stat, errmsg)) return
        if (present(n)) then
            if (too_few("pos, 2", extent(2), "n", int(n, int64), caller(what), stat, errmsg)) return
        end if
        dim = int(min(extent(1), int(huge(dim), int64)), c_int)     ! the library refuses dim > 3
        call send(handle, what, bytes, dim, extent(2), address, bytes*extent(1), n, stat, errmsg, &
                  rebuilt)
    end subroutine send_columns

    ! `x(dim*n)` of `held` elements, `address` of the first point's coordinates.
    subroutine send_flat(handle, what, bytes, dim, held, address, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        integer(c_int), intent(in) :: bytes, dim
        integer(int64), intent(in) :: held
        type(c_ptr), intent(in) :: address(3)
        integer(c_int), intent(in), optional :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(int64) :: axes

        axes = max(1_c_int, dim)      ! the library refuses dim < 1
        if (present(n)) then
            if (too_few("x", held, "dim*n", axes*n, caller(what), stat, errmsg)) return
        else
            if (not_whole("x", held, "dim", axes, caller(what), stat, errmsg)) return
        end if
        call send(handle, what, bytes, dim, held/axes, address, bytes*axes, n, stat, errmsg, rebuilt)
    end subroutine send_flat

    ! x, y, z of `extent` elements each, as many as there are dimensions.
    subroutine send_axes(handle, what, bytes, extent, address, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        integer(c_int), intent(in) :: bytes
        integer(int64), intent(in) :: extent(:)
        type(c_ptr), intent(in) :: address(:)
        integer(c_int), intent(in), optional :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        character(len=*), parameter :: name = "xyz"
        type(c_ptr) :: base(3)
        integer :: axis, dim

        dim = size(extent)
        base = c_null_ptr
        base(1:dim) = address
        do axis = 1, dim
            if (present(n)) then
                if (too_few(name(axis:axis), extent(axis), "n", int(n, int64), caller(what), &
                            stat, errmsg)) return
            else
                if (differ(name(axis:axis), extent(axis), "size(x)", extent(1), caller(what), &
                           stat, errmsg)) return
            end if
        end do
        call send(handle, what, bytes, int(dim, c_int), extent(1), base, int(bytes, int64), n, &
                  stat, errmsg, rebuilt)
    end subroutine send_axes

    subroutine send(handle, what, bytes, dim, held, base, stride, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        integer(c_int), intent(in) :: bytes, dim
        integer(int64), intent(in) :: held, stride
        type(c_ptr), intent(in) :: base(3)
        integer(c_int), intent(in), optional :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(int64) :: count
        integer(c_int) :: status, flag

        count = held
        if (present(n)) count = n
        flag = 0
        select case (what + bytes)
        case (to_points + 4)
            status = neargrid_search_set_points_f32(handle, dim, count, base(1), base(2), &
                                                    base(3), stride)
        case (to_points + 8)
            status = neargrid_search_set_points_f64(handle, dim, count, base(1), base(2), &
                                                    base(3), stride)
        case (to_more + 4)
            status = neargrid_search_add_points_f32(handle, dim, count, base(1), base(2), &
                                                    base(3), stride)
        case (to_more + 8)
            status = neargrid_search_add_points_f64(handle, dim, count, base(1), base(2), &
                                                    base(3), stride)
        case (to_queries + 4)
            status = neargrid_search_set_queries_f32(handle, dim, count, base(1), base(2), &
                                                     base(3), stride)
        case (to_queries + 8)
            status = neargrid_search_set_queries_f64(handle, dim, count, base(1), base(2), &
                                                     base(3), stride)
        case (to_update + 4)
            status = neargrid_search_update_f32(handle, dim, count, base(1), base(2), base(3), &
                                                stride, flag)
        case default
            status = neargrid_search_update_f64(handle, dim, count, base(1), base(2), base(3), &
                                                stride, flag)
        end select
        if (present(rebuilt) .and. status == neargrid_status_ok) rebuilt = flag /= 0
        call report_on(handle, status, caller(what), stat, errmsg)
    end subroutine send

    ! The procedure that points are given to.
    pure function caller(what) result(name)
        integer, intent(in) :: what
        character(len=:), allocatable :: name

        select case (what)
        case (to_points)
            name = "set_points"
        case (to_more)
            name = "add_points"
        case (to_queries)
            name = "set_queries"
        case default
            name = "update"
        end select
    end function caller

end module neargrid_points
