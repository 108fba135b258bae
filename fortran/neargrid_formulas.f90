! Made from neargrid_formulas.fypp: change that file, then `make fortran`.
!> Formulas, and runs of them.
submodule (neargrid) neargrid_formulas
    use, intrinsic :: iso_c_binding, only: c_associated, c_null_char
    use neargrid_arrays, only: widened
    use neargrid_errors, only: conclude, has_nul, last_error, owned_by, place_of
    implicit none (type, external)

contains

    module procedure run_once
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_search_run(owned(self), owned(formula), &
                       rows_of(kind), 1_int64), "run", stat, errmsg)
    end procedure run_once

    module procedure run_i32
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_search_run(owned(self), owned(formula), &
                       rows_of(kind), int(times, int64)), "run", stat, errmsg)
    end procedure run_i32

    module procedure run_i64
        if (present(by_keyword)) continue
        call report_on(owned(self), neargrid_search_run(owned(self), owned(formula), &
                       rows_of(kind), times), "run", stat, errmsg)
    end procedure run_i64

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

    module procedure get_number_f32
        real(real64) :: wide
        integer(c_int) :: status

        wide = 0
        status = neargrid_formula_number(owned(self), trim(name) // c_null_char, wide)
        if (status == neargrid_status_ok) value = real(wide, real32)
        call report(self, status, "get", stat, errmsg)
    end procedure get_number_f32

    module procedure set_constant_f64
        call report(self, neargrid_formula_set_constant(owned(self), trim(name) // c_null_char, &
                    value), "set", stat, errmsg)
    end procedure set_constant_f64

    module procedure get_number_f64
        integer(c_int) :: status

        status = neargrid_formula_number(owned(self), trim(name) // c_null_char, value)
        call report(self, status, "get", stat, errmsg)
    end procedure get_number_f64

    !> Reports the status of a call on a formula. The text says if it was never created.
    subroutine report(self, status, caller, stat, errmsg)
        class(neargrid_formula), intent(in) :: self
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (status /= neargrid_status_ok .and. .not. c_associated(self%handle)) then
            call conclude(status, caller, "this formula does not exist: call create first", &
                          stat, errmsg)
        else
            call conclude(status, caller, last_error(status), stat, errmsg)
        end if
    end subroutine report

end submodule neargrid_formulas
