! Made from neargrid_formulas.fypp: change that file, then `make fortran`.
!> Formulas, and sums over neighbors by them.
submodule (neargrid) neargrid_formulas
    use, intrinsic :: iso_c_binding, only: c_associated, c_null_char
    use neargrid_arrays, only: address_of, addresses_of, stride_of, widened
    use neargrid_errors, only: conclude, differ, has_nul, last_error, no_memory, owned_by, place_of, &
        too_small, vectors_transposed
    implicit none (type, external)

contains

    module procedure sum_over
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_search_sum(owned(self), owned(formula), rows_of(kind)), &
                       "sum", stat, errmsg)
    end procedure sum_over

    module procedure formula_create
        type(c_ptr) :: fresh
        integer(c_int) :: status

        if (has_nul("text", text, "create", stat, errmsg)) return
        fresh = c_null_ptr
        status = neargrid_formula_create(text // c_null_char, fresh)
        if (status == neargrid_status_ok) then
            call self%destroy()
            self%handle = fresh
            self%owner = place_of(self%handle)
        end if
        call conclude(status, "create", last_error(status), stat, errmsg)
    end procedure formula_create

    module procedure formula_destroy
        call neargrid_formula_destroy(owned(self))
        self%handle = c_null_ptr
    end procedure formula_destroy

    module procedure owned_formula
        handle = owned_by(self%handle, self%owner, "neargrid_formula")
    end procedure owned_formula

    module procedure formula_finalize
        call self%destroy()
    end procedure formula_finalize

    module procedure formula_refuse_copy
        if (c_associated(self%handle) .or. c_associated(other%handle)) &
            error stop "neargrid: a neargrid_formula cannot be copied by assignment"
    end procedure formula_refuse_copy

    module procedure formula_set_precision
        call report(self, neargrid_formula_set_precision(owned(self), precision), "set_precision", &
                    stat, errmsg)
    end procedure formula_set_precision

    module procedure formula_set_include_self
        call report(self, neargrid_formula_set_include_self(owned(self), &
                    merge(1_c_int, 0_c_int, include)), "set_include_self", stat, errmsg)
    end procedure formula_set_include_self

    module procedure formula_set_table
        call report(self, neargrid_formula_set_table(owned(self), trim(name) // c_null_char, of, &
                    first, last, size(values, kind=int64), values), "set_table", stat, errmsg)
    end procedure formula_set_table

    module procedure formula_set_cubic_table
        call report(self, neargrid_formula_set_cubic_table(owned(self), trim(name) // c_null_char, &
                    of, first, last, size(values, kind=int64), values), "set_cubic_table", stat, &
                    errmsg)
    end procedure formula_set_cubic_table

    module procedure set_constant_f32
        call report(self, neargrid_formula_set_constant(owned(self), trim(name) // c_null_char, &
                    widened(value)), "set", stat, errmsg)
    end procedure set_constant_f32

    module procedure set_numbers_f32
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set", stat, errmsg)
    end procedure set_numbers_f32

    module procedure set_vectors_f32
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f32(owned(self), &
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
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, width, n, at(1), at(2), at(3), &
                    strides(1)), "set", stat, errmsg)
    end procedure set_axes_f32

    module procedure set_query_numbers_f32
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set_query", stat, errmsg)
    end procedure set_query_numbers_f32

    module procedure set_query_vectors_f32
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set_query", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f32(owned(self), &
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
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, width, n, at(1), at(2), at(3), &
                    strides(1)), "set_query", stat, errmsg)
    end procedure set_query_axes_f32

    module procedure fit_numbers_f32
        real(real32), allocatable, target :: fresh(:)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, n, stat, errmsg)) return
        if (misfits(width, 1_c_int, n, stat, errmsg)) return
        if (allocated(values)) then
            if (size(values, kind=int64) == n) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(n), stat=unallocated)
        if (no_memory(unallocated, n, "get", stat, errmsg)) return
        status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, 1_c_int, n, &
                                           address_of(fresh), c_null_ptr, c_null_ptr, &
                                           stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report(self, status, "get", stat, errmsg)
    end procedure fit_numbers_f32

    module procedure fit_vectors_f32
        type(c_ptr) :: at(3)
        real(real32), allocatable, target :: fresh(:, :)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, n, stat, errmsg)) return
        if (allocated(values)) then
            if (all(shape(values, int64) == [int(width, int64), n])) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(width, n), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at = addresses_of(fresh)
        status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, width, n, &
                                           at(1), at(2), at(3), stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report(self, status, "get", stat, errmsg)
    end procedure fit_vectors_f32

    module procedure fit_axes_f32
        real(real32), allocatable, target :: new_x(:), new_y(:), new_z(:)
        type(c_ptr) :: at_z
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, n, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), n, stat, errmsg)) return
        allocate (new_x(n), new_y(n), new_z(merge(n, 0_int64, present(z))), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at_z = address_of(new_z)        ! null without z
        status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, width, n, &
                                           address_of(new_x), address_of(new_y), at_z, &
                                           stride_of(new_x))
        if (status == neargrid_status_ok) then
            call replace_f32(x, new_x)
            call replace_f32(y, new_y)
            if (present(z)) call replace_f32(z, new_z)
        end if
        call report(self, status, "get", stat, errmsg)
    end procedure fit_axes_f32

    module procedure fill_numbers_f32
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, width, rows, stat, errmsg)) return
        if (misfits(width, 1_c_int, rows, stat, errmsg)) return
        if (too_small("values", size(values, kind=int64), rows, n, "get", stat, errmsg)) return
        status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, 1_c_int, &
                                           rows, address_of(values), c_null_ptr, c_null_ptr, &
                                           stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report(self, status, "get", stat, errmsg)
    end procedure fill_numbers_f32

    module procedure fill_vectors_f32
        type(c_ptr) :: at(3)
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, width, rows, stat, errmsg)) return
        if (width /= size(values, 1)) then
            if (vectors_transposed(shape(values, int64), "get", stat, errmsg)) return
        end if
        if (misfits(width, size(values, 1, c_int), rows, stat, errmsg)) return
        if (too_small("values, 2", size(values, 2, int64), rows, n, "get", stat, errmsg)) return
        at = addresses_of(values)
        status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, width, rows, &
                                           at(1), at(2), at(3), stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report(self, status, "get", stat, errmsg)
    end procedure fill_vectors_f32

    module procedure fill_axes_f32
        real(real32), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: rows, strides(3)
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, rows, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), rows, stat, errmsg)) return
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
            status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, width, &
                                               rows, at(1), at(2), at(3), strides(1))
        else                                        ! C takes one stride
            allocate (copy(rows, width), stat=unallocated)
            if (no_memory(unallocated, width*rows, "get", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            status = neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, width, &
                                               rows, at(1), at(2), at(3), strides(1))
            if (status == neargrid_status_ok) then
                x(1:rows) = copy(:, 1)
                y(1:rows) = copy(:, 2)
                if (present(z)) z(1:rows) = copy(:, 3)
            end if
        end if
        if (status == neargrid_status_ok) n = rows
        call report(self, status, "get", stat, errmsg)
    end procedure fill_axes_f32

    !> Gives `x` the values of `fresh`: where it is if it has as many elements.
    subroutine replace_f32(x, fresh)
        real(real32), allocatable, intent(inout) :: x(:), fresh(:)
        logical :: fits

        fits = .false.
        if (allocated(x)) fits = size(x, kind=int64) == size(fresh, kind=int64)
        if (fits) x(:) = fresh
        if (.not. fits) call move_alloc(fresh, x)
    end subroutine replace_f32

    module procedure set_constant_f64
        call report(self, neargrid_formula_set_constant(owned(self), trim(name) // c_null_char, &
                    value), "set", stat, errmsg)
    end procedure set_constant_f64

    module procedure set_numbers_f64
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set", stat, errmsg)
    end procedure set_numbers_f64

    module procedure set_vectors_f64
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f64(owned(self), &
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
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, width, n, at(1), at(2), at(3), &
                    strides(1)), "set", stat, errmsg)
    end procedure set_axes_f64

    module procedure set_query_numbers_f64
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set_query", stat, errmsg)
    end procedure set_query_numbers_f64

    module procedure set_query_vectors_f64
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set_query", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f64(owned(self), &
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
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, width, n, at(1), at(2), at(3), &
                    strides(1)), "set_query", stat, errmsg)
    end procedure set_query_axes_f64

    module procedure fit_numbers_f64
        real(real64), allocatable, target :: fresh(:)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, n, stat, errmsg)) return
        if (misfits(width, 1_c_int, n, stat, errmsg)) return
        if (allocated(values)) then
            if (size(values, kind=int64) == n) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(n), stat=unallocated)
        if (no_memory(unallocated, n, "get", stat, errmsg)) return
        status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, 1_c_int, n, &
                                           address_of(fresh), c_null_ptr, c_null_ptr, &
                                           stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report(self, status, "get", stat, errmsg)
    end procedure fit_numbers_f64

    module procedure fit_vectors_f64
        type(c_ptr) :: at(3)
        real(real64), allocatable, target :: fresh(:, :)
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, n, stat, errmsg)) return
        if (allocated(values)) then
            if (all(shape(values, int64) == [int(width, int64), n])) then
                call self%get(name, n, values, stat, errmsg)
                return
            end if
        end if
        allocate (fresh(width, n), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at = addresses_of(fresh)
        status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, width, n, &
                                           at(1), at(2), at(3), stride_of(fresh))
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report(self, status, "get", stat, errmsg)
    end procedure fit_vectors_f64

    module procedure fit_axes_f64
        real(real64), allocatable, target :: new_x(:), new_y(:), new_z(:)
        type(c_ptr) :: at_z
        integer(int64) :: n
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, n, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), n, stat, errmsg)) return
        allocate (new_x(n), new_y(n), new_z(merge(n, 0_int64, present(z))), stat=unallocated)
        if (no_memory(unallocated, width*n, "get", stat, errmsg)) return
        at_z = address_of(new_z)        ! null without z
        status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, width, n, &
                                           address_of(new_x), address_of(new_y), at_z, &
                                           stride_of(new_x))
        if (status == neargrid_status_ok) then
            call replace_f64(x, new_x)
            call replace_f64(y, new_y)
            if (present(z)) call replace_f64(z, new_z)
        end if
        call report(self, status, "get", stat, errmsg)
    end procedure fit_axes_f64

    module procedure fill_numbers_f64
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, width, rows, stat, errmsg)) return
        if (misfits(width, 1_c_int, rows, stat, errmsg)) return
        if (too_small("values", size(values, kind=int64), rows, n, "get", stat, errmsg)) return
        status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, 1_c_int, &
                                           rows, address_of(values), c_null_ptr, c_null_ptr, &
                                           stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report(self, status, "get", stat, errmsg)
    end procedure fill_numbers_f64

    module procedure fill_vectors_f64
        type(c_ptr) :: at(3)
        integer(int64) :: rows
        integer(c_int) :: status, width

        if (unknown(self, name, width, rows, stat, errmsg)) return
        if (width /= size(values, 1)) then
            if (vectors_transposed(shape(values, int64), "get", stat, errmsg)) return
        end if
        if (misfits(width, size(values, 1, c_int), rows, stat, errmsg)) return
        if (too_small("values, 2", size(values, 2, int64), rows, n, "get", stat, errmsg)) return
        at = addresses_of(values)
        status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, width, rows, &
                                           at(1), at(2), at(3), stride_of(values))
        if (status == neargrid_status_ok) n = rows
        call report(self, status, "get", stat, errmsg)
    end procedure fill_vectors_f64

    module procedure fill_axes_f64
        real(real64), allocatable, target :: copy(:, :)
        type(c_ptr) :: at(3)
        integer(int64) :: rows, strides(3)
        integer(c_int) :: status, width
        integer :: unallocated

        if (unknown(self, name, width, rows, stat, errmsg)) return
        if (misfits(width, merge(3_c_int, 2_c_int, present(z)), rows, stat, errmsg)) return
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
            status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, width, &
                                               rows, at(1), at(2), at(3), strides(1))
        else                                        ! C takes one stride
            allocate (copy(rows, width), stat=unallocated)
            if (no_memory(unallocated, width*rows, "get", stat, errmsg)) return
            at = [address_of(copy(:, 1)), address_of(copy(:, 2)), c_null_ptr]
            if (present(z)) at(3) = address_of(copy(:, 3))
            strides = stride_of(copy(:, 1))
            status = neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, width, &
                                               rows, at(1), at(2), at(3), strides(1))
            if (status == neargrid_status_ok) then
                x(1:rows) = copy(:, 1)
                y(1:rows) = copy(:, 2)
                if (present(z)) z(1:rows) = copy(:, 3)
            end if
        end if
        if (status == neargrid_status_ok) n = rows
        call report(self, status, "get", stat, errmsg)
    end procedure fill_axes_f64

    !> Gives `x` the values of `fresh`: where it is if it has as many elements.
    subroutine replace_f64(x, fresh)
        real(real64), allocatable, intent(inout) :: x(:), fresh(:)
        logical :: fits

        fits = .false.
        if (allocated(x)) fits = size(x, kind=int64) == size(fresh, kind=int64)
        if (fits) x(:) = fresh
        if (.not. fits) call move_alloc(fresh, x)
    end subroutine replace_f64

    !> The shape of an output: `n` rows of `width` numbers. Reports it if there is none.
    function unknown(self, name, width, n, stat, errmsg) result(is_wrong)
        class(neargrid_formula), intent(in) :: self
        character(len=*), intent(in) :: name
        integer(c_int), intent(out) :: width
        integer(int64), intent(out) :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        integer(c_int) :: status

        width = 0
        n = 0
        status = neargrid_formula_size(owned(self), trim(name) // c_null_char, width, n)
        is_wrong = status /= neargrid_status_ok
        if (is_wrong) call report(self, status, "get", stat, errmsg)
    end function unknown

    !> Whether an output has other rows than the arrays for it; reports it if so.
    function misfits(width, wanted, n, stat, errmsg) result(is_wrong)
        integer(c_int), intent(in) :: width, wanted
        integer(int64), intent(in) :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        character(len=100) :: text

        is_wrong = width /= wanted
        if (.not. is_wrong) return
        write (text, "('the output has ', i0, ' rows of ', i0, ', and the arrays have rows of ', i0)") &
            n, width, wanted
        call conclude(neargrid_status_bad_count, "get", text, stat, errmsg)
    end function misfits

    !> Reports the status of a call on a formula. The text says if it was never created.
    subroutine report(self, status, caller, stat, errmsg)
        class(neargrid_formula), intent(in) :: self
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (status /= neargrid_status_ok .and. .not. c_associated(self%handle)) then
            call conclude(status, caller, "this formula does not exist: call create first", &
                          stat, errmsg)
        else
            call conclude(status, caller, last_error(status), stat, errmsg)
        end if
    end subroutine report

end submodule neargrid_formulas
