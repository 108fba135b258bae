! Made from neargrid_fields.fypp: change that file, then `make fortran`.
!> Fields: values of the points or of the queries, by name.
submodule (neargrid) neargrid_fields
    use, intrinsic :: iso_c_binding, only: c_null_char
    use neargrid_arrays, only: address_of, addresses_of, stride_of
    use neargrid_errors, only: conclude, differ, no_memory, too_small, vectors_transposed
    implicit none (type, external)

contains

    module procedure set_numbers_f32
        call report_on(owned(self), neargrid_search_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set", stat, errmsg)
    end procedure set_numbers_f32

    module procedure set_vectors_f32
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set", stat, errmsg)) return
        at = addresses_of(values)
        call report_on(owned(self), neargrid_search_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set", stat, errmsg)
    end procedure set_vectors_f32

    module procedure set_axes_f32
        real(real32), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: n, strides(3)
        integer(c_int) :: width
        integer :: unallocated

        n = size(x, kind=int64)
        if (differ("y", size(y, kind=int64), "size(x)", n, "set", stat, errmsg)) return
        if (present(z)) then
            if (differ("z", size(z, kind=int64), "size(x)", n, "set", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (any(strides /= strides(1))) then        ! C takes one stride
            allocate (copy(n, width), stat=unallocated)
            if (no_memory(unallocated, width*n, "set", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            copy(:, 1) = x
            copy(:, 2) = y
            if (present(z)) copy(:, 3) = z
        end if
        call report_on(owned(self), neargrid_search_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, width, n, at(1), at(2), at(3), &
                    strides(1)), "set", stat, errmsg)
    end procedure set_axes_f32

    module procedure set_query_numbers_f32
        call report_on(owned(self), neargrid_search_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set_query", stat, errmsg)
    end procedure set_query_numbers_f32

    module procedure set_query_vectors_f32
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set_query", stat, errmsg)) return
        at = addresses_of(values)
        call report_on(owned(self), neargrid_search_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set_query", stat, errmsg)
    end procedure set_query_vectors_f32

    module procedure set_query_axes_f32
        real(real32), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: n, strides(3)
        integer(c_int) :: width
        integer :: unallocated

        n = size(x, kind=int64)
        if (differ("y", size(y, kind=int64), "size(x)", n, "set_query", stat, errmsg)) return
        if (present(z)) then
            if (differ("z", size(z, kind=int64), "size(x)", n, "set_query", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (any(strides /= strides(1))) then        ! C takes one stride
            allocate (copy(n, width), stat=unallocated)
            if (no_memory(unallocated, width*n, "set_query", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            copy(:, 1) = x
            copy(:, 2) = y
            if (present(z)) copy(:, 3) = z
        end if
        call report_on(owned(self), neargrid_search_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, width, n, at(1), at(2), at(3), &
                    strides(1)), "set_query", stat, errmsg)
    end procedure set_query_axes_f32


    module procedure fit_numbers_f32
        real(real32), allocatable, target :: fresh(:)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, n, stat, errmsg)) return
        if (misfits(width, 1_c_int, n, "get", stat, errmsg)) return
        if (allocated(values)) then
            if (size(values, kind=int64) == n) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(n), stat=unallocated)
        if (no_memory(unallocated, n, "get", stat, errmsg)) return
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, 1_c_int, n, &
                                           address_of(fresh), c_null_ptr, c_null_ptr, &
                                           stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fit_numbers_f32

    module procedure fit_vectors_f32
        type(c_ptr) :: at(3)
        real(real32), allocatable, target :: fresh(:, :)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, n, stat, errmsg)) return
        if (allocated(values)) then
            if (all(shape(values, int64) == [int(width, int64), n])) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(width, n), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at = addresses_of(fresh)
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, width, n, &
                                           at(1), at(2), at(3), stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fit_vectors_f32

    module procedure fit_axes_f32
        real(real32), allocatable, target :: new_x(:), new_y(:), new_z(:)
        type(c_ptr) :: at_z
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, n, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), n, "get", stat, errmsg)) return
        allocate (new_x(n), new_y(n), new_z(merge(n, 0_int64, present(z))), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at_z = address_of(new_z)        ! null without z
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, width, n, &
                                           address_of(new_x), address_of(new_y), at_z, &
                                           stride_of(new_x))
        if (status == neargrid_status_ok) then
            call replace_f32(x, new_x)
            call replace_f32(y, new_y)
            if (present(z)) call replace_f32(z, new_z)
        end if
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fit_axes_f32

    module procedure fill_numbers_f32
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_points, width, rows, stat, errmsg)) return
        if (misfits(width, 1_c_int, rows, "get", stat, errmsg)) return
        if (too_small("values", size(values, kind=int64), rows, n, "get", stat, errmsg)) return
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                                           rows, address_of(values), c_null_ptr, c_null_ptr, &
                                           stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fill_numbers_f32

    module procedure fill_vectors_f32
        type(c_ptr) :: at(3)
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_points, width, rows, stat, errmsg)) return
        if (width /= size(values, 1)) then
            if (vectors_transposed(shape(values, int64), "get", stat, errmsg)) return
        end if
        if (misfits(width, size(values, 1, c_int), rows, "get", stat, errmsg)) return
        if (too_small("values, 2", size(values, 2, int64), rows, n, "get", stat, errmsg)) return
        at = addresses_of(values)
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, width, rows, &
                                           at(1), at(2), at(3), stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fill_vectors_f32

    module procedure fill_axes_f32
        real(real32), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: rows, strides(3)
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, rows, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), rows, "get", stat, errmsg)) return
        if (too_small("x", size(x, kind=int64), rows, n, "get", stat, errmsg)) return
        if (too_small("y", size(y, kind=int64), rows, n, "get", stat, errmsg)) return
        if (present(z)) then
            if (too_small("z", size(z, kind=int64), rows, n, "get", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (all(strides == strides(1))) then
            status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, width, &
                                               rows, at(1), at(2), at(3), strides(1))
        else                                        ! C takes one stride
            allocate (copy(rows, width), stat=unallocated)
            if (no_memory(unallocated, width*rows, "get", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_points, width, &
                                               rows, at(1), at(2), at(3), strides(1))
            if (status == neargrid_status_ok) then
                x(1:rows) = copy(:, 1)
                y(1:rows) = copy(:, 2)
                if (present(z)) z(1:rows) = copy(:, 3)
            end if
        end if
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fill_axes_f32

    module procedure fit_query_numbers_f32
        real(real32), allocatable, target :: fresh(:)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, n, stat, errmsg)) return
        if (misfits(width, 1_c_int, n, "get_query", stat, errmsg)) return
        if (allocated(values)) then
            if (size(values, kind=int64) == n) then
                call self%get_query(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(n), stat=unallocated)
        if (no_memory(unallocated, n, "get_query", stat, errmsg)) return
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, 1_c_int, n, &
                                           address_of(fresh), c_null_ptr, c_null_ptr, &
                                           stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fit_query_numbers_f32

    module procedure fit_query_vectors_f32
        type(c_ptr) :: at(3)
        real(real32), allocatable, target :: fresh(:, :)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, n, stat, errmsg)) return
        if (allocated(values)) then
            if (all(shape(values, int64) == [int(width, int64), n])) then
                call self%get_query(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(width, n), stat=unallocated)
        if (no_memory(unallocated, width*n, "get_query", stat, errmsg)) return
        at = addresses_of(fresh)
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, n, &
                                           at(1), at(2), at(3), stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fit_query_vectors_f32

    module procedure fit_query_axes_f32
        real(real32), allocatable, target :: new_x(:), new_y(:), new_z(:)
        type(c_ptr) :: at_z
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, n, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), n, "get_query", stat, errmsg)) return
        allocate (new_x(n), new_y(n), new_z(merge(n, 0_int64, present(z))), stat=unallocated)
        if (no_memory(unallocated, width*n, "get_query", stat, errmsg)) return
        at_z = address_of(new_z)        ! null without z
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, n, &
                                           address_of(new_x), address_of(new_y), at_z, &
                                           stride_of(new_x))
        if (status == neargrid_status_ok) then
            call replace_f32(x, new_x)
            call replace_f32(y, new_y)
            if (present(z)) call replace_f32(z, new_z)
        end if
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fit_query_axes_f32

    module procedure fill_query_numbers_f32
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_queries, width, rows, stat, errmsg)) return
        if (misfits(width, 1_c_int, rows, "get_query", stat, errmsg)) return
        if (too_small("values", size(values, kind=int64), rows, n, "get_query", stat, errmsg)) return
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                                           rows, address_of(values), c_null_ptr, c_null_ptr, &
                                           stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fill_query_numbers_f32

    module procedure fill_query_vectors_f32
        type(c_ptr) :: at(3)
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_queries, width, rows, stat, errmsg)) return
        if (width /= size(values, 1)) then
            if (vectors_transposed(shape(values, int64), "get_query", stat, errmsg)) return
        end if
        if (misfits(width, size(values, 1, c_int), rows, "get_query", stat, errmsg)) return
        if (too_small("values, 2", size(values, 2, int64), rows, n, "get_query", stat, errmsg)) return
        at = addresses_of(values)
        status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, rows, &
                                           at(1), at(2), at(3), stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fill_query_vectors_f32

    module procedure fill_query_axes_f32
        real(real32), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: rows, strides(3)
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, rows, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), rows, "get_query", stat, errmsg)) return
        if (too_small("x", size(x, kind=int64), rows, n, "get_query", stat, errmsg)) return
        if (too_small("y", size(y, kind=int64), rows, n, "get_query", stat, errmsg)) return
        if (present(z)) then
            if (too_small("z", size(z, kind=int64), rows, n, "get_query", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (all(strides == strides(1))) then
            status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, &
                                               rows, at(1), at(2), at(3), strides(1))
        else                                        ! C takes one stride
            allocate (copy(rows, width), stat=unallocated)
            if (no_memory(unallocated, width*rows, "get_query", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            status = neargrid_field_copy_f32(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, &
                                               rows, at(1), at(2), at(3), strides(1))
            if (status == neargrid_status_ok) then
                x(1:rows) = copy(:, 1)
                y(1:rows) = copy(:, 2)
                if (present(z)) z(1:rows) = copy(:, 3)
            end if
        end if
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fill_query_axes_f32

    !> Gives `x` the values of `fresh`: where it is if it has as many elements.
    subroutine replace_f32(x, fresh)
        real(real32), allocatable, intent(inout) :: x(:), fresh(:)
        logical :: fits

        fits = .false.
        if (allocated(x)) fits = size(x, kind=int64) == size(fresh, kind=int64)
        if (fits) x(:) = fresh
        if (.not. fits) call move_alloc(fresh, x)
    end subroutine replace_f32

    module procedure set_numbers_f64
        call report_on(owned(self), neargrid_search_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set", stat, errmsg)
    end procedure set_numbers_f64

    module procedure set_vectors_f64
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set", stat, errmsg)) return
        at = addresses_of(values)
        call report_on(owned(self), neargrid_search_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set", stat, errmsg)
    end procedure set_vectors_f64

    module procedure set_axes_f64
        real(real64), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: n, strides(3)
        integer(c_int) :: width
        integer :: unallocated

        n = size(x, kind=int64)
        if (differ("y", size(y, kind=int64), "size(x)", n, "set", stat, errmsg)) return
        if (present(z)) then
            if (differ("z", size(z, kind=int64), "size(x)", n, "set", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (any(strides /= strides(1))) then        ! C takes one stride
            allocate (copy(n, width), stat=unallocated)
            if (no_memory(unallocated, width*n, "set", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            copy(:, 1) = x
            copy(:, 2) = y
            if (present(z)) copy(:, 3) = z
        end if
        call report_on(owned(self), neargrid_search_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, width, n, at(1), at(2), at(3), &
                    strides(1)), "set", stat, errmsg)
    end procedure set_axes_f64

    module procedure set_query_numbers_f64
        call report_on(owned(self), neargrid_search_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set_query", stat, errmsg)
    end procedure set_query_numbers_f64

    module procedure set_query_vectors_f64
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set_query", stat, errmsg)) return
        at = addresses_of(values)
        call report_on(owned(self), neargrid_search_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set_query", stat, errmsg)
    end procedure set_query_vectors_f64

    module procedure set_query_axes_f64
        real(real64), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: n, strides(3)
        integer(c_int) :: width
        integer :: unallocated

        n = size(x, kind=int64)
        if (differ("y", size(y, kind=int64), "size(x)", n, "set_query", stat, errmsg)) return
        if (present(z)) then
            if (differ("z", size(z, kind=int64), "size(x)", n, "set_query", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (any(strides /= strides(1))) then        ! C takes one stride
            allocate (copy(n, width), stat=unallocated)
            if (no_memory(unallocated, width*n, "set_query", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            copy(:, 1) = x
            copy(:, 2) = y
            if (present(z)) copy(:, 3) = z
        end if
        call report_on(owned(self), neargrid_search_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, width, n, at(1), at(2), at(3), &
                    strides(1)), "set_query", stat, errmsg)
    end procedure set_query_axes_f64


    module procedure fit_numbers_f64
        real(real64), allocatable, target :: fresh(:)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, n, stat, errmsg)) return
        if (misfits(width, 1_c_int, n, "get", stat, errmsg)) return
        if (allocated(values)) then
            if (size(values, kind=int64) == n) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(n), stat=unallocated)
        if (no_memory(unallocated, n, "get", stat, errmsg)) return
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, 1_c_int, n, &
                                           address_of(fresh), c_null_ptr, c_null_ptr, &
                                           stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fit_numbers_f64

    module procedure fit_vectors_f64
        type(c_ptr) :: at(3)
        real(real64), allocatable, target :: fresh(:, :)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, n, stat, errmsg)) return
        if (allocated(values)) then
            if (all(shape(values, int64) == [int(width, int64), n])) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(width, n), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at = addresses_of(fresh)
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, width, n, &
                                           at(1), at(2), at(3), stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fit_vectors_f64

    module procedure fit_axes_f64
        real(real64), allocatable, target :: new_x(:), new_y(:), new_z(:)
        type(c_ptr) :: at_z
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, n, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), n, "get", stat, errmsg)) return
        allocate (new_x(n), new_y(n), new_z(merge(n, 0_int64, present(z))), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at_z = address_of(new_z)        ! null without z
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, width, n, &
                                           address_of(new_x), address_of(new_y), at_z, &
                                           stride_of(new_x))
        if (status == neargrid_status_ok) then
            call replace_f64(x, new_x)
            call replace_f64(y, new_y)
            if (present(z)) call replace_f64(z, new_z)
        end if
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fit_axes_f64

    module procedure fill_numbers_f64
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_points, width, rows, stat, errmsg)) return
        if (misfits(width, 1_c_int, rows, "get", stat, errmsg)) return
        if (too_small("values", size(values, kind=int64), rows, n, "get", stat, errmsg)) return
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                                           rows, address_of(values), c_null_ptr, c_null_ptr, &
                                           stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fill_numbers_f64

    module procedure fill_vectors_f64
        type(c_ptr) :: at(3)
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_points, width, rows, stat, errmsg)) return
        if (width /= size(values, 1)) then
            if (vectors_transposed(shape(values, int64), "get", stat, errmsg)) return
        end if
        if (misfits(width, size(values, 1, c_int), rows, "get", stat, errmsg)) return
        if (too_small("values, 2", size(values, 2, int64), rows, n, "get", stat, errmsg)) return
        at = addresses_of(values)
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, width, rows, &
                                           at(1), at(2), at(3), stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fill_vectors_f64

    module procedure fill_axes_f64
        real(real64), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: rows, strides(3)
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_points, width, rows, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), rows, "get", stat, errmsg)) return
        if (too_small("x", size(x, kind=int64), rows, n, "get", stat, errmsg)) return
        if (too_small("y", size(y, kind=int64), rows, n, "get", stat, errmsg)) return
        if (present(z)) then
            if (too_small("z", size(z, kind=int64), rows, n, "get", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (all(strides == strides(1))) then
            status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, width, &
                                               rows, at(1), at(2), at(3), strides(1))
        else                                        ! C takes one stride
            allocate (copy(rows, width), stat=unallocated)
            if (no_memory(unallocated, width*rows, "get", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_points, width, &
                                               rows, at(1), at(2), at(3), strides(1))
            if (status == neargrid_status_ok) then
                x(1:rows) = copy(:, 1)
                y(1:rows) = copy(:, 2)
                if (present(z)) z(1:rows) = copy(:, 3)
            end if
        end if
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get", stat, errmsg)
    end procedure fill_axes_f64

    module procedure fit_query_numbers_f64
        real(real64), allocatable, target :: fresh(:)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, n, stat, errmsg)) return
        if (misfits(width, 1_c_int, n, "get_query", stat, errmsg)) return
        if (allocated(values)) then
            if (size(values, kind=int64) == n) then
                call self%get_query(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(n), stat=unallocated)
        if (no_memory(unallocated, n, "get_query", stat, errmsg)) return
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, 1_c_int, n, &
                                           address_of(fresh), c_null_ptr, c_null_ptr, &
                                           stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fit_query_numbers_f64

    module procedure fit_query_vectors_f64
        type(c_ptr) :: at(3)
        real(real64), allocatable, target :: fresh(:, :)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, n, stat, errmsg)) return
        if (allocated(values)) then
            if (all(shape(values, int64) == [int(width, int64), n])) then
                call self%get_query(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(width, n), stat=unallocated)
        if (no_memory(unallocated, width*n, "get_query", stat, errmsg)) return
        at = addresses_of(fresh)
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, n, &
                                           at(1), at(2), at(3), stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fit_query_vectors_f64

    module procedure fit_query_axes_f64
        real(real64), allocatable, target :: new_x(:), new_y(:), new_z(:)
        type(c_ptr) :: at_z
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, n, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), n, "get_query", stat, errmsg)) return
        allocate (new_x(n), new_y(n), new_z(merge(n, 0_int64, present(z))), stat=unallocated)
        if (no_memory(unallocated, width*n, "get_query", stat, errmsg)) return
        at_z = address_of(new_z)        ! null without z
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, n, &
                                           address_of(new_x), address_of(new_y), at_z, &
                                           stride_of(new_x))
        if (status == neargrid_status_ok) then
            call replace_f64(x, new_x)
            call replace_f64(y, new_y)
            if (present(z)) call replace_f64(z, new_z)
        end if
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fit_query_axes_f64

    module procedure fill_query_numbers_f64
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_queries, width, rows, stat, errmsg)) return
        if (misfits(width, 1_c_int, rows, "get_query", stat, errmsg)) return
        if (too_small("values", size(values, kind=int64), rows, n, "get_query", stat, errmsg)) return
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                                           rows, address_of(values), c_null_ptr, c_null_ptr, &
                                           stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fill_query_numbers_f64

    module procedure fill_query_vectors_f64
        type(c_ptr) :: at(3)
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, neargrid_of_queries, width, rows, stat, errmsg)) return
        if (width /= size(values, 1)) then
            if (vectors_transposed(shape(values, int64), "get_query", stat, errmsg)) return
        end if
        if (misfits(width, size(values, 1, c_int), rows, "get_query", stat, errmsg)) return
        if (too_small("values, 2", size(values, 2, int64), rows, n, "get_query", stat, errmsg)) return
        at = addresses_of(values)
        status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, rows, &
                                           at(1), at(2), at(3), stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fill_query_vectors_f64

    module procedure fill_query_axes_f64
        real(real64), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: rows, strides(3)
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, neargrid_of_queries, width, rows, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), rows, "get_query", stat, errmsg)) return
        if (too_small("x", size(x, kind=int64), rows, n, "get_query", stat, errmsg)) return
        if (too_small("y", size(y, kind=int64), rows, n, "get_query", stat, errmsg)) return
        if (present(z)) then
            if (too_small("z", size(z, kind=int64), rows, n, "get_query", stat, errmsg)) return
        end if
        width = 2
        at = [address_of(x), address_of(y), c_null_ptr]
        strides = [stride_of(x), stride_of(y), stride_of(x)]
        if (present(z)) then
            width = 3
            at(3) = address_of(z)
            strides(3) = stride_of(z)
        end if
        if (all(strides == strides(1))) then
            status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, &
                                               rows, at(1), at(2), at(3), strides(1))
        else                                        ! C takes one stride
            allocate (copy(rows, width), stat=unallocated)
            if (no_memory(unallocated, width*rows, "get_query", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            status = neargrid_field_copy_f64(owned(self), trim(name) // c_null_char, neargrid_of_queries, width, &
                                               rows, at(1), at(2), at(3), strides(1))
            if (status == neargrid_status_ok) then
                x(1:rows) = copy(:, 1)
                y(1:rows) = copy(:, 2)
                if (present(z)) z(1:rows) = copy(:, 3)
            end if
        end if
        if (status == neargrid_status_ok) n = rows
        call report_on(owned(self), status, "get_query", stat, errmsg)
    end procedure fill_query_axes_f64

    !> Gives `x` the values of `fresh`: where it is if it has as many elements.
    subroutine replace_f64(x, fresh)
        real(real64), allocatable, intent(inout) :: x(:), fresh(:)
        logical :: fits

        fits = .false.
        if (allocated(x)) fits = size(x, kind=int64) == size(fresh, kind=int64)
        if (fits) x(:) = fresh
        if (.not. fits) call move_alloc(fresh, x)
    end subroutine replace_f64

    !> The shape of a field: `n` points or queries of `width` numbers. Reports it if there is none.
    function unknown(self, name, of, width, n, stat, errmsg) result(is_wrong)
        class(neargrid_search), intent(in) :: self
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: of
        integer(c_int), intent(out) :: width
        integer(int64), intent(out) :: n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        integer(c_int) :: status

        width = 0
        n = 0
        status = neargrid_field_size(owned(self), trim(name) // c_null_char, of, width, n)
        is_wrong = status /= neargrid_status_ok
        if (is_wrong) call report_on(owned(self), status, &
                                     merge("get_query", "get      ", of == neargrid_of_queries), stat, errmsg)
    end function unknown

    !> Whether a field has vectors of another length than the arrays for it; reports it if so.
    function misfits(width, wanted, n, caller, stat, errmsg) result(is_wrong)
        integer(c_int), intent(in) :: width, wanted
        integer(int64), intent(in) :: n
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        character(len=100) :: text

        is_wrong = width /= wanted
        if (.not. is_wrong) return
        write (text, "('the field has ', i0, ' rows of ', i0, ', and the arrays have rows of ', i0)") &
            n, width, wanted
        call conclude(neargrid_status_bad_count, caller, text, stat, errmsg)
    end function misfits

end submodule neargrid_fields
