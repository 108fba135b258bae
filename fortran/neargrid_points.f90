! Made from neargrid_points.fypp: change that file, then `make fortran`.
!> Points on their way to C, of both real kinds and in every form: `set_points`, `add_points`,
!> `set_queries`, `update`. Each form becomes addresses of the first point's coordinates and a
!> stride.
submodule (neargrid) neargrid_points
    use, intrinsic :: iso_c_binding, only: c_loc
    use neargrid_arrays, only: address_of, addresses_of, stride_of
    use neargrid_errors, only: differ, no_memory, not_whole, too_few, transposed
    implicit none (type, external)

    ! The purposes of points, and the procedures that take them.
    integer, parameter :: to_points = 1, to_more = 2, to_queries = 3, to_update = 4
    character(len=*), parameter :: callers(4) = &
        ["set_points ", "add_points ", "set_queries", "update     "]
    character(len=*), parameter :: axis_names = "xyz"

contains

    module procedure set_points_columns_f32
        if (present(by_keyword)) continue
        call send_columns_f32(owned(self), to_points, pos, n, stat, errmsg)
    end procedure set_points_columns_f32

    module procedure set_points_flat_f32
        if (present(by_keyword)) continue
        call send_flat_f32(owned(self), to_points, x, dim, n, stat, errmsg)
    end procedure set_points_flat_f32

    module procedure set_points_axes_f32
        if (present(by_keyword)) continue
        call send_axes_f32(owned(self), to_points, x, y, z, n, stat, errmsg)
    end procedure set_points_axes_f32

    module procedure set_points_first_f32
        if (present(by_keyword)) continue
        call send_first_f32(owned(self), to_points, x, y, z, n, stride, stat, errmsg)
    end procedure set_points_first_f32

    module procedure set_points_columns_f64
        if (present(by_keyword)) continue
        call send_columns_f64(owned(self), to_points, pos, n, stat, errmsg)
    end procedure set_points_columns_f64

    module procedure set_points_flat_f64
        if (present(by_keyword)) continue
        call send_flat_f64(owned(self), to_points, x, dim, n, stat, errmsg)
    end procedure set_points_flat_f64

    module procedure set_points_axes_f64
        if (present(by_keyword)) continue
        call send_axes_f64(owned(self), to_points, x, y, z, n, stat, errmsg)
    end procedure set_points_axes_f64

    module procedure set_points_first_f64
        if (present(by_keyword)) continue
        call send_first_f64(owned(self), to_points, x, y, z, n, stride, stat, errmsg)
    end procedure set_points_first_f64

    module procedure add_points_columns_f32
        if (present(by_keyword)) continue
        call send_columns_f32(owned(self), to_more, pos, n, stat, errmsg)
    end procedure add_points_columns_f32

    module procedure add_points_flat_f32
        if (present(by_keyword)) continue
        call send_flat_f32(owned(self), to_more, x, dim, n, stat, errmsg)
    end procedure add_points_flat_f32

    module procedure add_points_axes_f32
        if (present(by_keyword)) continue
        call send_axes_f32(owned(self), to_more, x, y, z, n, stat, errmsg)
    end procedure add_points_axes_f32

    module procedure add_points_first_f32
        if (present(by_keyword)) continue
        call send_first_f32(owned(self), to_more, x, y, z, n, stride, stat, errmsg)
    end procedure add_points_first_f32

    module procedure add_points_columns_f64
        if (present(by_keyword)) continue
        call send_columns_f64(owned(self), to_more, pos, n, stat, errmsg)
    end procedure add_points_columns_f64

    module procedure add_points_flat_f64
        if (present(by_keyword)) continue
        call send_flat_f64(owned(self), to_more, x, dim, n, stat, errmsg)
    end procedure add_points_flat_f64

    module procedure add_points_axes_f64
        if (present(by_keyword)) continue
        call send_axes_f64(owned(self), to_more, x, y, z, n, stat, errmsg)
    end procedure add_points_axes_f64

    module procedure add_points_first_f64
        if (present(by_keyword)) continue
        call send_first_f64(owned(self), to_more, x, y, z, n, stride, stat, errmsg)
    end procedure add_points_first_f64

    module procedure set_queries_columns_f32
        if (present(by_keyword)) continue
        call send_columns_f32(owned(self), to_queries, pos, n, stat, errmsg)
    end procedure set_queries_columns_f32

    module procedure set_queries_flat_f32
        if (present(by_keyword)) continue
        call send_flat_f32(owned(self), to_queries, x, dim, n, stat, errmsg)
    end procedure set_queries_flat_f32

    module procedure set_queries_axes_f32
        if (present(by_keyword)) continue
        call send_axes_f32(owned(self), to_queries, x, y, z, n, stat, errmsg)
    end procedure set_queries_axes_f32

    module procedure set_queries_first_f32
        if (present(by_keyword)) continue
        call send_first_f32(owned(self), to_queries, x, y, z, n, stride, stat, errmsg)
    end procedure set_queries_first_f32

    module procedure set_queries_columns_f64
        if (present(by_keyword)) continue
        call send_columns_f64(owned(self), to_queries, pos, n, stat, errmsg)
    end procedure set_queries_columns_f64

    module procedure set_queries_flat_f64
        if (present(by_keyword)) continue
        call send_flat_f64(owned(self), to_queries, x, dim, n, stat, errmsg)
    end procedure set_queries_flat_f64

    module procedure set_queries_axes_f64
        if (present(by_keyword)) continue
        call send_axes_f64(owned(self), to_queries, x, y, z, n, stat, errmsg)
    end procedure set_queries_axes_f64

    module procedure set_queries_first_f64
        if (present(by_keyword)) continue
        call send_first_f64(owned(self), to_queries, x, y, z, n, stride, stat, errmsg)
    end procedure set_queries_first_f64

    module procedure update_columns_f32
        if (present(by_keyword)) continue
        call send_columns_f32(owned(self), to_update, pos, n, stat, errmsg, rebuilt)
    end procedure update_columns_f32

    module procedure update_flat_f32
        if (present(by_keyword)) continue
        call send_flat_f32(owned(self), to_update, x, dim, n, stat, errmsg, rebuilt)
    end procedure update_flat_f32

    module procedure update_axes_f32
        if (present(by_keyword)) continue
        call send_axes_f32(owned(self), to_update, x, y, z, n, stat, errmsg, rebuilt)
    end procedure update_axes_f32

    module procedure update_first_f32
        if (present(by_keyword)) continue
        call send_first_f32(owned(self), to_update, x, y, z, n, stride, stat, errmsg, rebuilt)
    end procedure update_first_f32

    module procedure update_columns_f64
        if (present(by_keyword)) continue
        call send_columns_f64(owned(self), to_update, pos, n, stat, errmsg, rebuilt)
    end procedure update_columns_f64

    module procedure update_flat_f64
        if (present(by_keyword)) continue
        call send_flat_f64(owned(self), to_update, x, dim, n, stat, errmsg, rebuilt)
    end procedure update_flat_f64

    module procedure update_axes_f64
        if (present(by_keyword)) continue
        call send_axes_f64(owned(self), to_update, x, y, z, n, stat, errmsg, rebuilt)
    end procedure update_axes_f64

    module procedure update_first_f64
        if (present(by_keyword)) continue
        call send_first_f64(owned(self), to_update, x, y, z, n, stride, stat, errmsg, rebuilt)
    end procedure update_first_f64

    module procedure skin_used
        call report_on(owned(self), neargrid_search_skin_used(owned(self), share), "skin_used", &
                       stat, errmsg)
    end procedure skin_used

    subroutine send_columns_f32(handle, what, pos, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real32), intent(in), target :: pos(:, :)
        integer(c_int), intent(in), optional :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(int64) :: held
        integer(c_int) :: dim

        if (transposed(shape(pos, int64), trim(callers(what)), stat, errmsg, handle)) return
        held = size(pos, 2, int64)
        if (present(n)) then
            if (too_few("pos, 2", held, "n", int(n, int64), trim(callers(what)), &
                        stat, errmsg, handle)) return
            held = n
        end if
        dim = int(min(size(pos, 1, int64), int(huge(dim), int64)), c_int)   ! C refuses dim > 3
        call send_f32(handle, what, dim, held, addresses_of(pos), stride_of(pos), &
                      stat, errmsg, rebuilt)
    end subroutine send_columns_f32

    subroutine send_flat_f32(handle, what, x, dim, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real32), intent(in), target :: x(:)
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(int64) :: axes, held

        axes = max(1_c_int, dim)      ! C refuses dim < 1
        held = size(x, kind=int64)
        if (present(n)) then
            if (too_few("x", held, "dim*n", axes*n, trim(callers(what)), stat, errmsg, handle)) return
            held = n
        else
            if (not_whole("x", held, "dim", axes, trim(callers(what)), stat, errmsg, handle)) return
            held = held/axes
        end if
        call send_f32(handle, what, dim, held, addresses_of(x), axes*stride_of(x), &
                      stat, errmsg, rebuilt)
    end subroutine send_flat_f32

    ! C takes one stride: axes of different strides are copied.
    subroutine send_axes_f32(handle, what, x, y, z, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real32), intent(in), target :: x(:), y(:)
        real(real32), intent(in), target, optional :: z(:)
        integer(c_int), intent(in), optional :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        real(real32), allocatable, target :: copy(:, :)
        type(c_ptr) :: base(3)
        integer(int64) :: held(3), stride(3)
        integer(c_int) :: dim
        integer :: unallocated

        dim = 2
        held = [size(x, kind=int64), size(y, kind=int64), 0_int64]
        stride = [stride_of(x), stride_of(y), 0_int64]
        base = [address_of(x), address_of(y), c_null_ptr]
        if (present(z)) then
            dim = 3
            held(3) = size(z, kind=int64)
            stride(3) = stride_of(z)
            base(3) = address_of(z)
        end if
        if (misfit(held(1:dim), n, trim(callers(what)), stat, errmsg, handle)) return
        if (present(n)) held = n
        if (held(1) < 2) stride = 4_int64       ! the stride of one point counts for nothing
        if (all(stride(1:dim) == stride(1))) then
            call send_f32(handle, what, dim, held(1), base, stride(1), stat, errmsg, rebuilt)
            return
        end if
        allocate (copy(held(1), dim), stat=unallocated)
        if (no_memory(unallocated, dim*held(1), trim(callers(what)), stat, errmsg, handle)) return
        copy(:, 1) = x(1:held(1))
        copy(:, 2) = y(1:held(1))
        if (present(z)) copy(:, 3) = z(1:held(1))
        base = [c_loc(copy(1, 1)), c_loc(copy(1, 2)), c_loc(copy(1, dim))]
        call send_f32(handle, what, dim, held(1), base, 4_int64, stat, errmsg, rebuilt)
    end subroutine send_axes_f32

    subroutine send_first_f32(handle, what, x, y, z, n, stride, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real32), intent(in), target :: x
        real(real32), intent(in), target, optional :: y, z
        integer(c_int), intent(in) :: n, stride
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        type(c_ptr) :: base(3)
        integer(c_int) :: dim

        dim = 1
        base = [c_loc(x), c_null_ptr, c_null_ptr]
        if (present(y)) then
            dim = 2
            base(2) = c_loc(y)
        end if
        if (present(z)) then
            dim = dim + 1_c_int
            base(dim) = c_loc(z)
        end if
        call send_f32(handle, what, dim, int(n, int64), base, int(stride, int64), &
                      stat, errmsg, rebuilt)
    end subroutine send_first_f32

    subroutine send_f32(handle, what, dim, n, base, stride, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        integer(c_int), intent(in) :: dim
        integer(int64), intent(in) :: n, stride
        type(c_ptr), intent(in) :: base(3)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(c_int) :: status, flag

        flag = 0
        select case (what)
        case (to_points)
            status = neargrid_search_set_points_f32(handle, dim, n, base(1), base(2), base(3), &
                                                    stride)
        case (to_more)
            status = neargrid_search_add_points_f32(handle, dim, n, base(1), base(2), base(3), &
                                                    stride)
        case (to_queries)
            status = neargrid_search_set_queries_f32(handle, dim, n, base(1), base(2), base(3), &
                                                     stride)
        case default
            status = neargrid_search_update_f32(handle, dim, n, base(1), base(2), base(3), &
                                                stride, flag)
        end select
        if (present(rebuilt) .and. status == neargrid_status_ok) rebuilt = flag /= 0
        call report_on(handle, status, trim(callers(what)), stat, errmsg)
    end subroutine send_f32

    subroutine send_columns_f64(handle, what, pos, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real64), intent(in), target :: pos(:, :)
        integer(c_int), intent(in), optional :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(int64) :: held
        integer(c_int) :: dim

        if (transposed(shape(pos, int64), trim(callers(what)), stat, errmsg, handle)) return
        held = size(pos, 2, int64)
        if (present(n)) then
            if (too_few("pos, 2", held, "n", int(n, int64), trim(callers(what)), &
                        stat, errmsg, handle)) return
            held = n
        end if
        dim = int(min(size(pos, 1, int64), int(huge(dim), int64)), c_int)   ! C refuses dim > 3
        call send_f64(handle, what, dim, held, addresses_of(pos), stride_of(pos), &
                      stat, errmsg, rebuilt)
    end subroutine send_columns_f64

    subroutine send_flat_f64(handle, what, x, dim, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real64), intent(in), target :: x(:)
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(int64) :: axes, held

        axes = max(1_c_int, dim)      ! C refuses dim < 1
        held = size(x, kind=int64)
        if (present(n)) then
            if (too_few("x", held, "dim*n", axes*n, trim(callers(what)), stat, errmsg, handle)) return
            held = n
        else
            if (not_whole("x", held, "dim", axes, trim(callers(what)), stat, errmsg, handle)) return
            held = held/axes
        end if
        call send_f64(handle, what, dim, held, addresses_of(x), axes*stride_of(x), &
                      stat, errmsg, rebuilt)
    end subroutine send_flat_f64

    ! C takes one stride: axes of different strides are copied.
    subroutine send_axes_f64(handle, what, x, y, z, n, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real64), intent(in), target :: x(:), y(:)
        real(real64), intent(in), target, optional :: z(:)
        integer(c_int), intent(in), optional :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        real(real64), allocatable, target :: copy(:, :)
        type(c_ptr) :: base(3)
        integer(int64) :: held(3), stride(3)
        integer(c_int) :: dim
        integer :: unallocated

        dim = 2
        held = [size(x, kind=int64), size(y, kind=int64), 0_int64]
        stride = [stride_of(x), stride_of(y), 0_int64]
        base = [address_of(x), address_of(y), c_null_ptr]
        if (present(z)) then
            dim = 3
            held(3) = size(z, kind=int64)
            stride(3) = stride_of(z)
            base(3) = address_of(z)
        end if
        if (misfit(held(1:dim), n, trim(callers(what)), stat, errmsg, handle)) return
        if (present(n)) held = n
        if (held(1) < 2) stride = 8_int64       ! the stride of one point counts for nothing
        if (all(stride(1:dim) == stride(1))) then
            call send_f64(handle, what, dim, held(1), base, stride(1), stat, errmsg, rebuilt)
            return
        end if
        allocate (copy(held(1), dim), stat=unallocated)
        if (no_memory(unallocated, dim*held(1), trim(callers(what)), stat, errmsg, handle)) return
        copy(:, 1) = x(1:held(1))
        copy(:, 2) = y(1:held(1))
        if (present(z)) copy(:, 3) = z(1:held(1))
        base = [c_loc(copy(1, 1)), c_loc(copy(1, 2)), c_loc(copy(1, dim))]
        call send_f64(handle, what, dim, held(1), base, 8_int64, stat, errmsg, rebuilt)
    end subroutine send_axes_f64

    subroutine send_first_f64(handle, what, x, y, z, n, stride, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        real(real64), intent(in), target :: x
        real(real64), intent(in), target, optional :: y, z
        integer(c_int), intent(in) :: n, stride
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        type(c_ptr) :: base(3)
        integer(c_int) :: dim

        dim = 1
        base = [c_loc(x), c_null_ptr, c_null_ptr]
        if (present(y)) then
            dim = 2
            base(2) = c_loc(y)
        end if
        if (present(z)) then
            dim = dim + 1_c_int
            base(dim) = c_loc(z)
        end if
        call send_f64(handle, what, dim, int(n, int64), base, int(stride, int64), &
                      stat, errmsg, rebuilt)
    end subroutine send_first_f64

    subroutine send_f64(handle, what, dim, n, base, stride, stat, errmsg, rebuilt)
        type(c_ptr), intent(in) :: handle
        integer, intent(in) :: what
        integer(c_int), intent(in) :: dim
        integer(int64), intent(in) :: n, stride
        type(c_ptr), intent(in) :: base(3)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical, intent(inout), optional :: rebuilt
        integer(c_int) :: status, flag

        flag = 0
        select case (what)
        case (to_points)
            status = neargrid_search_set_points_f64(handle, dim, n, base(1), base(2), base(3), &
                                                    stride)
        case (to_more)
            status = neargrid_search_add_points_f64(handle, dim, n, base(1), base(2), base(3), &
                                                    stride)
        case (to_queries)
            status = neargrid_search_set_queries_f64(handle, dim, n, base(1), base(2), base(3), &
                                                     stride)
        case default
            status = neargrid_search_update_f64(handle, dim, n, base(1), base(2), base(3), &
                                                stride, flag)
        end select
        if (present(rebuilt) .and. status == neargrid_status_ok) rebuilt = flag /= 0
        call report_on(handle, status, trim(callers(what)), stat, errmsg)
    end subroutine send_f64

    ! Whether x, y, z of `held` elements each are too few for `n` points, or are not of one size.
    function misfit(held, n, caller, stat, errmsg, handle) result(is_wrong)
        integer(int64), intent(in) :: held(:)
        integer(c_int), intent(in), optional :: n
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in) :: handle
        logical :: is_wrong
        integer :: axis

        is_wrong = .false.
        do axis = 1, size(held)
            if (present(n)) then
                is_wrong = too_few(axis_names(axis:axis), held(axis), "n", int(n, int64), caller, &
                                   stat, errmsg, handle)
            else
                is_wrong = differ(axis_names(axis:axis), held(axis), "size(x)", held(1), caller, &
                                  stat, errmsg, handle)
            end if
            if (is_wrong) return
        end do
    end function misfit

end submodule neargrid_points
