!> The way in which the Fortran modules report failures. Every status becomes `stat`, `errmsg` or the end of the
!> program here, and arrays whose sizes do not fit are refused with these sizes.
!>
!> Programs use module `neargrid`; this module has no name that they need.
module neargrid_errors
    use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_loc, c_null_char, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: int16, int32, int64
    use neargrid_c, only: neargrid_last_error, neargrid_search_refuse, neargrid_status_bad_count, &
        neargrid_status_bad_dim, neargrid_status_bad_value, neargrid_status_capacity, &
        neargrid_status_ok, neargrid_status_out_of_memory
    implicit none (type, external)

    private
    public :: conclude, report_on, last_error, text_length
    public :: owned_by, place_of
    public :: differ, too_few, too_small, not_whole, no_memory
    public :: transposed, vectors_transposed, looks_transposed, transposed_text, has_nul

    integer, parameter :: text_length = 1024    ! of a text; those of the library are far shorter

    !> Calls that texts of the library name, and the procedures that make them where these have
    !> another name.
    character(len=16), parameter :: procedures(2, 3) = reshape([character(len=16) :: &
        "set_constant", "set", &
        "set_field", "set", &
        "groups_find", "groups"], [2, 3])

contains

    !> The one place where a status becomes `stat`, `errmsg` or the end of the program.
    subroutine conclude(status, caller, text, stat, errmsg)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller, text
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (present(stat)) call set_stat(stat, status)
        if (status == neargrid_status_ok) return
        if (present(errmsg)) errmsg = text
        if (.not. present(stat)) error stop "neargrid " // caller // ": " // trim(text)
    end subroutine conclude

    !> Sets `stat`, an integer of any size, because compiler flags change the size of default integers.
    subroutine set_stat(stat, status)
        class(*), intent(inout) :: stat
        integer(c_int), intent(in) :: status

        select type (stat)
        type is (integer(int32))
            stat = int(status, int32)
        type is (integer(int64))
            stat = int(status, int64)
        type is (integer(int16))
            stat = int(status, int16)
        class default
            error stop "neargrid: stat must be an integer of 2, 4 or 8 bytes"
        end select
    end subroutine set_stat

    !> `handle`, which was at `owner` when it was made. If it is elsewhere now, its variable was copied,
    !> and two variables with one handle would free it twice.
    function owned_by(handle, owner, type) result(same)
        type(c_ptr), intent(in) :: handle, owner
        character(len=*), intent(in) :: type
        type(c_ptr) :: same

        same = handle
        if (c_associated(handle) .and. .not. c_associated(owner, place_of(handle))) &
            error stop "neargrid: this " // type // " is a copy (allocate with source=?), and &
            &cannot be used: only the variable that was created owns it"
    end function owned_by

    !> The place of a handle.
    function place_of(handle) result(place)
        type(c_ptr), intent(in), target :: handle
        type(c_ptr) :: place

        place = c_loc(handle)
    end function place_of

    !> Reports the status of a call on `handle`. The text says if the search was never created.
    subroutine report_on(handle, status, caller, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (status /= neargrid_status_ok .and. .not. c_associated(handle)) then
            call conclude(status, caller, "this search does not exist: call create first", &
                          stat, errmsg)
        else
            call conclude(status, caller, last_error(status), stat, errmsg)
        end if
    end subroutine report_on

    !> Reports arguments that are refused. With a handle this is in place of a collective call on it, which then
    !> fails on all ranks.
    subroutine refuse(status, caller, text, stat, errmsg, handle)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller, text
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle

        if (present(handle)) then
            call report_on(handle, neargrid_search_refuse(handle, status, text // c_null_char), caller, stat, errmsg)
        else
            call conclude(status, caller, text, stat, errmsg)
        end if
    end subroutine refuse

    !> The text of the last failure on this thread; empty for status ok.
    function last_error(status) result(text)
        integer(c_int), intent(in) :: status
        character(len=text_length) :: text
        integer(c_size_t) :: length

        text = ""
        if (status == neargrid_status_ok) return
        length = 0
        if (neargrid_last_error(text, int(text_length, c_size_t), length) &
            /= neargrid_status_ok) length = 0
        text = in_fortran(text(1:min(int(length), text_length - 1)))     ! without the final NUL
    end function last_error

    !> A text of the library with the names that its calls have in Fortran. What the library quotes
    !> stays as it is.
    pure function in_fortran(text) result(said)
        character(len=*), intent(in) :: text
        character(len=:), allocatable :: said
        integer :: call, at, next

        said = text
        do call = 1, size(procedures, 2)
            next = 1
            do
                at = index(said(next:), trim(procedures(1, call)))
                if (at == 0) exit
                at = at + next - 1
                next = at + len_trim(procedures(1, call))
                if (belongs(said, at - 1) .or. belongs(said, next)) cycle
                said = said(:at - 1) // trim(procedures(2, call)) // said(next:)
                next = at + len_trim(procedures(2, call))
            end do
        end do
    end function in_fortran

    !> Whether a character makes a name longer, or quotes it.
    pure function belongs(text, at) result(is_part)
        character(len=*), intent(in) :: text
        integer, intent(in) :: at
        logical :: is_part

        is_part = .false.
        if (at < 1 .or. at > len(text)) return
        is_part = scan(text(at:at), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'") > 0
    end function belongs

    !> Whether a text has a NUL before its end, where C would stop to read; reports it if so.
    function has_nul(name, text, caller, stat, errmsg, handle) result(is_wrong)
        character(len=*), intent(in) :: name, text, caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong
        integer :: first

        first = index(text, c_null_char)
        is_wrong = .false.
        if (first > 0) is_wrong = verify(text(first:), c_null_char // " ") > 0
        if (is_wrong) call refuse(neargrid_status_bad_value, caller, name // " has a NUL as character " &
            // decimal(int(first, int64)) // ", behind which more follows: remove it", stat, errmsg, handle)
    end function has_nul

    !> Whether the size of an array differs from the one it must have; reports it if so.
    function differ(name, found, wanted_name, wanted, caller, stat, errmsg, handle) result(is_wrong)
        character(len=*), intent(in) :: name, wanted_name, caller
        integer(int64), intent(in) :: found, wanted
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong

        is_wrong = found /= wanted
        if (is_wrong) call refuse(neargrid_status_bad_count, caller, "size(" // name // ") = " &
            // decimal(found) // " is not allowed: it must be " // wanted_name // " = " &
            // decimal(wanted), stat, errmsg, handle)
    end function differ

    !> Whether an array is smaller than it must be; reports it if so.
    function too_few(name, found, wanted_name, wanted, caller, stat, errmsg, handle) result(is_wrong)
        character(len=*), intent(in) :: name, wanted_name, caller
        integer(int64), intent(in) :: found, wanted
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong

        is_wrong = found < wanted
        if (is_wrong) call refuse(neargrid_status_bad_count, caller, "size(" // name // ") = " &
            // decimal(found) // " is not allowed: it must be at least " // wanted_name // " = " &
            // decimal(wanted), stat, errmsg, handle)
    end function too_few

    !> Whether an array has no room for a result; reports it if so, with the size that is needed.
    function too_small(name, found, needed, need, caller, stat, errmsg, handle) result(is_wrong)
        character(len=*), intent(in) :: name, caller
        integer(int64), intent(in) :: found, needed
        integer(int64), intent(inout) :: need
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong

        is_wrong = found < needed
        if (.not. is_wrong) return
        need = needed
        call refuse(neargrid_status_capacity, caller, "size(" // name // ") = " &
            // decimal(found) // " is too small: " // decimal(needed) // " are needed", &
            stat, errmsg, handle)
    end function too_small

    !> Whether the size of an array is not a multiple of a number; reports it if so.
    function not_whole(name, found, unit_name, unit, caller, stat, errmsg, handle) result(is_wrong)
        character(len=*), intent(in) :: name, unit_name, caller
        integer(int64), intent(in) :: found, unit
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong

        is_wrong = mod(found, unit) /= 0
        if (is_wrong) call refuse(neargrid_status_bad_count, caller, "size(" // name // ") = " &
            // decimal(found) // " is not allowed: it must be a multiple of " // unit_name &
            // " = " // decimal(unit), stat, errmsg, handle)
    end function not_whole

    !> Whether points come as `pos(n, dim)`; reports it if so.
    function transposed(extent, caller, stat, errmsg, handle) result(is_wrong)
        integer(int64), intent(in) :: extent(2)
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong

        is_wrong = looks_transposed(extent)
        if (is_wrong) call refuse(neargrid_status_bad_dim, caller, transposed_text(extent) &
            // ", or its columns as x, y, z", stat, errmsg, handle)
    end function transposed

    !> Whether vectors come as `values(n, dim)`; reports it if so.
    function vectors_transposed(extent, caller, stat, errmsg) result(is_wrong)
        integer(int64), intent(in) :: extent(2)
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong

        is_wrong = looks_transposed(extent)
        if (is_wrong) call conclude(neargrid_status_bad_dim, caller, &
            transposed_text(extent, "values"), stat, errmsg)
    end function vectors_transposed

    !> Whether the shape of `pos` looks like `pos(n, dim)`. The library refuses more than 3 rows in
    !> any case; for such a shape the text can say what to do.
    pure function looks_transposed(extent) result(is_likely)
        integer(int64), intent(in) :: extent(2)
        logical :: is_likely

        is_likely = extent(1) > 3 .and. extent(2) >= 1 .and. extent(2) <= 3
    end function looks_transposed

    pure function transposed_text(extent, of) result(text)
        integer(int64), intent(in) :: extent(2)
        character(len=*), intent(in), optional :: of
        character(len=:), allocatable :: text, name

        name = "pos"
        if (present(of)) name = of
        text = "size(" // name // ", 1) = " // decimal(extent(1)) // " is not allowed: it must be " &
            // "dim, 1, 2 or 3. If this is " // name // "(n, dim), pass transpose(" // name // ")"
    end function transposed_text

    !> Whether an `allocate` for `entries` entries failed; reports it if so.
    function no_memory(unallocated, entries, caller, stat, errmsg, handle) result(is_wrong)
        integer, intent(in) :: unallocated
        integer(int64), intent(in) :: entries
        character(len=*), intent(in) :: caller
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        logical :: is_wrong

        is_wrong = unallocated /= 0
        if (is_wrong) call refuse(neargrid_status_out_of_memory, caller, &
            "no memory for a list of " // decimal(entries) // " entries", stat, errmsg, handle)
    end function no_memory

    pure function decimal(number) result(text)
        integer(int64), intent(in) :: number
        character(len=:), allocatable :: text
        character(len=20) :: buffer

        write (buffer, "(i0)") number
        text = trim(buffer)
    end function decimal

end module neargrid_errors
