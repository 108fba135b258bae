! Made from neargrid_formulas.fypp: change that file, then `make fortran`.
!> Formulas, and sums over neighbors by them.
submodule (neargrid) neargrid_formulas
    use, intrinsic :: iso_c_binding, only: c_associated, c_null_char
    use neargrid_arrays, only: address_of, addresses_of, stride_of, widened
    use neargrid_errors, only: conclude, has_nul, last_error, owned_by, place_of, transposed_text, &
        vectors_transposed
    implicit none (type, external)

contains

    module procedure sum_over
        integer(c_int) :: which

        which = neargrid_neighbors_full
        if (present(kind)) which = kind
        call report_on(owned(self), neargrid_search_sum(owned(self), owned(formula), which), "sum", &
                       stat, errmsg)
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

    module procedure set_constant_f32
        call report(self, neargrid_formula_set_constant(owned(self), trim(name) // c_null_char, &
                    widened(value)), "set", stat, errmsg)
    end procedure set_constant_f32

    module procedure set_field_f32
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set", stat, errmsg)
    end procedure set_field_f32

    module procedure set_vectors_f32
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set", stat, errmsg)
    end procedure set_vectors_f32

    module procedure set_query_field_f32
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set_query", stat, errmsg)
    end procedure set_query_field_f32

    module procedure set_query_vectors_f32
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set_query", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f32(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set_query", stat, errmsg)
    end procedure set_query_vectors_f32

    module procedure get_numbers_f32
        if (misfits(self, name, 1_c_int, size(values, kind=int64), stat, errmsg)) return
        call report(self, neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, &
                    1_c_int, size(values, kind=int64), address_of(values), c_null_ptr, &
                    c_null_ptr, stride_of(values)), "get", stat, errmsg)
    end procedure get_numbers_f32

    module procedure get_vectors_f32
        type(c_ptr) :: at(3)

        if (misfits(self, name, size(values, 1, c_int), size(values, 2, int64), stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_copy_f32(owned(self), trim(name) // c_null_char, &
                    size(values, 1, c_int), size(values, 2, int64), at(1), at(2), at(3), &
                    stride_of(values)), "get", stat, errmsg)
    end procedure get_vectors_f32

    module procedure set_constant_f64
        call report(self, neargrid_formula_set_constant(owned(self), trim(name) // c_null_char, &
                    value), "set", stat, errmsg)
    end procedure set_constant_f64

    module procedure set_field_f64
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set", stat, errmsg)
    end procedure set_field_f64

    module procedure set_vectors_f64
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_points, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set", stat, errmsg)
    end procedure set_vectors_f64

    module procedure set_query_field_f64
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, 1_c_int, &
                    size(values, kind=int64), address_of(values), c_null_ptr, c_null_ptr, &
                    stride_of(values)), "set_query", stat, errmsg)
    end procedure set_query_field_f64

    module procedure set_query_vectors_f64
        type(c_ptr) :: at(3)

        if (vectors_transposed(shape(values, int64), "set_query", stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_set_field_f64(owned(self), &
                    trim(name) // c_null_char, neargrid_of_queries, size(values, 1, c_int), &
                    size(values, 2, int64), at(1), at(2), at(3), stride_of(values)), &
                    "set_query", stat, errmsg)
    end procedure set_query_vectors_f64

    module procedure get_numbers_f64
        if (misfits(self, name, 1_c_int, size(values, kind=int64), stat, errmsg)) return
        call report(self, neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, &
                    1_c_int, size(values, kind=int64), address_of(values), c_null_ptr, &
                    c_null_ptr, stride_of(values)), "get", stat, errmsg)
    end procedure get_numbers_f64

    module procedure get_vectors_f64
        type(c_ptr) :: at(3)

        if (misfits(self, name, size(values, 1, c_int), size(values, 2, int64), stat, errmsg)) return
        at = addresses_of(values)
        call report(self, neargrid_formula_copy_f64(owned(self), trim(name) // c_null_char, &
                    size(values, 1, c_int), size(values, 2, int64), at(1), at(2), at(3), &
                    stride_of(values)), "get", stat, errmsg)
    end procedure get_vectors_f64

    !> Whether an output has another shape than the array for it, or cannot be had; reports it if so.
    function misfits(self, name, components, n, stat, errmsg) result(is_wrong)
        class(neargrid_formula), intent(in) :: self
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: components
        integer(int64), intent(in) :: n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        integer(int64) :: rows
        integer(c_int) :: width, status
        character(len=100) :: text

        width = 0
        rows = 0
        status = neargrid_formula_size(owned(self), trim(name) // c_null_char, width, rows)
        if (status /= neargrid_status_ok) then
            is_wrong = .true.
            call report(self, status, "get", stat, errmsg)
            return
        end if
        is_wrong = width /= components .or. rows /= n
        if (.not. is_wrong) return
        if (width == n .and. rows == components) then
            call conclude(neargrid_status_bad_dim, "get", &
                          transposed_text([int(components, int64), n], "values"), stat, errmsg)
            return
        end if
        write (text, "('the output has ', i0, ' rows of ', i0, ', and values ', i0, ' of ', i0)") &
            rows, width, n, components
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
