! Made from neargrid_carry.fypp: change that file, then `make fortran`.
!> Values of contacts, from one list to the next.
submodule (neargrid) neargrid_carry
    use neargrid_errors, only: differ, no_memory, too_few
    implicit none (type, external)

contains

    module procedure carry_f32
        integer(int64), allocatable :: found(:)
        integer(c_int) :: status

        if (present(by_keyword)) continue
        if (misfit(old_offsets, old_ids, shape(old_values, int64), offsets, ids, shape(values, int64), &
                   signs, stat, errmsg)) return
        if (present(lost)) then
            call find_lost(owned(self), old_offsets, old_ids, offsets, ids, old_global_ids, global_ids, &
                           old_first_row, first_row, found, stat, errmsg)
            if (.not. allocated(found)) return
        end if
        status = neargrid_carry_f32(owned(self), row_or_1(old_first_row), rows_in(old_offsets), old_offsets, &
                                    old_ids, points_of(old_global_ids), old_global_ids, row_or_1(first_row), &
                                    rows_in(offsets), offsets, ids, points_of(global_ids), global_ids, &
                                    1_int64, signs, old_values, values)
        if (status == neargrid_status_ok .and. present(lost)) call move_alloc(found, lost)
        call report_on(owned(self), status, "carry", stat, errmsg)
    end procedure carry_f32

    module procedure carry_columns_f32
        integer(int64), allocatable :: found(:)
        integer(c_int) :: status

        if (present(by_keyword)) continue
        if (misfit(old_offsets, old_ids, shape(old_values, int64), offsets, ids, shape(values, int64), &
                   signs, stat, errmsg)) return
        if (present(lost)) then
            call find_lost(owned(self), old_offsets, old_ids, offsets, ids, old_global_ids, global_ids, &
                           old_first_row, first_row, found, stat, errmsg)
            if (.not. allocated(found)) return
        end if
        status = neargrid_carry_f32(owned(self), row_or_1(old_first_row), rows_in(old_offsets), old_offsets, &
                                    old_ids, points_of(old_global_ids), old_global_ids, row_or_1(first_row), &
                                    rows_in(offsets), offsets, ids, points_of(global_ids), global_ids, &
                                    size(values, 1, int64), signs, old_values, values)
        if (status == neargrid_status_ok .and. present(lost)) call move_alloc(found, lost)
        call report_on(owned(self), status, "carry", stat, errmsg)
    end procedure carry_columns_f32

    module procedure carry_f64
        integer(int64), allocatable :: found(:)
        integer(c_int) :: status

        if (present(by_keyword)) continue
        if (misfit(old_offsets, old_ids, shape(old_values, int64), offsets, ids, shape(values, int64), &
                   signs, stat, errmsg)) return
        if (present(lost)) then
            call find_lost(owned(self), old_offsets, old_ids, offsets, ids, old_global_ids, global_ids, &
                           old_first_row, first_row, found, stat, errmsg)
            if (.not. allocated(found)) return
        end if
        status = neargrid_carry_f64(owned(self), row_or_1(old_first_row), rows_in(old_offsets), old_offsets, &
                                    old_ids, points_of(old_global_ids), old_global_ids, row_or_1(first_row), &
                                    rows_in(offsets), offsets, ids, points_of(global_ids), global_ids, &
                                    1_int64, signs, old_values, values)
        if (status == neargrid_status_ok .and. present(lost)) call move_alloc(found, lost)
        call report_on(owned(self), status, "carry", stat, errmsg)
    end procedure carry_f64

    module procedure carry_columns_f64
        integer(int64), allocatable :: found(:)
        integer(c_int) :: status

        if (present(by_keyword)) continue
        if (misfit(old_offsets, old_ids, shape(old_values, int64), offsets, ids, shape(values, int64), &
                   signs, stat, errmsg)) return
        if (present(lost)) then
            call find_lost(owned(self), old_offsets, old_ids, offsets, ids, old_global_ids, global_ids, &
                           old_first_row, first_row, found, stat, errmsg)
            if (.not. allocated(found)) return
        end if
        status = neargrid_carry_f64(owned(self), row_or_1(old_first_row), rows_in(old_offsets), old_offsets, &
                                    old_ids, points_of(old_global_ids), old_global_ids, row_or_1(first_row), &
                                    rows_in(offsets), offsets, ids, points_of(global_ids), global_ids, &
                                    size(values, 1, int64), signs, old_values, values)
        if (status == neargrid_status_ok .and. present(lost)) call move_alloc(found, lost)
        call report_on(owned(self), status, "carry", stat, errmsg)
    end procedure carry_columns_f64

    ! The positions of lost entries. `found` stays unallocated after a failure, which is reported.
    subroutine find_lost(handle, old_offsets, old_ids, offsets, ids, old_global_ids, global_ids, &
                         old_first_row, first_row, found, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in), contiguous :: old_offsets(:), offsets(:)
        integer(c_int), intent(in), contiguous :: old_ids(:), ids(:)
        integer(int64), intent(in), contiguous, optional :: old_global_ids(:), global_ids(:)
        integer(int64), intent(in), optional :: old_first_row, first_row
        integer(int64), allocatable, intent(out) :: found(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: room(:)
        integer(int64) :: nlost
        integer(c_int) :: status
        integer :: unallocated

        allocate (room(entries_in(old_offsets)), stat=unallocated)
        if (no_memory(unallocated, entries_in(old_offsets), "carry", stat, errmsg)) return
        status = neargrid_carry_f64(handle, row_or_1(old_first_row), rows_in(old_offsets), old_offsets, &
                                    old_ids, points_of(old_global_ids), old_global_ids, row_or_1(first_row), &
                                    rows_in(offsets), offsets, ids, points_of(global_ids), global_ids, &
                                    0_int64, nlost=nlost, lost=room)
        if (status /= neargrid_status_ok) then
            call report_on(handle, status, "carry", stat, errmsg)
            return
        end if
        allocate (found(nlost), stat=unallocated)
        if (no_memory(unallocated, nlost, "carry", stat, errmsg)) return
        found(:) = room(:nlost)
    end subroutine find_lost

    ! Whether arrays of ids, values or signs do not fit the offsets or each other. Extents are shapes of
    ! values, `values(:)` or `values(:, :)`.
    function misfit(old_offsets, old_ids, old_extent, offsets, ids, extent, signs, stat, errmsg) result(is_wrong)
        integer(int64), intent(in) :: old_offsets(:), old_extent(:), offsets(:), extent(:)
        integer(c_int), intent(in) :: old_ids(:), ids(:)
        integer(c_int), intent(in), optional :: signs(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: columns
        logical :: is_wrong

        columns = 1
        if (size(extent) == 2) columns = extent(1)
        is_wrong = list_misfits("old_", old_offsets, size(old_ids, kind=int64), old_extent, stat, errmsg)
        if (.not. is_wrong) is_wrong = list_misfits("", offsets, size(ids, kind=int64), extent, stat, errmsg)
        if (.not. is_wrong .and. size(extent) == 2) is_wrong = &
            differ("old_values, 1", old_extent(1), "size(values, 1)", columns, "carry", stat, errmsg)
        if (.not. is_wrong .and. present(signs)) is_wrong = &
            differ("signs", size(signs, kind=int64), "columns", columns, "carry", stat, errmsg)
    end function misfit

    ! The same for one list, with the front of its names.
    function list_misfits(front, offsets, ids, extent, stat, errmsg) result(is_wrong)
        character(len=*), intent(in) :: front
        integer(int64), intent(in) :: offsets(:), ids, extent(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: values
        logical :: is_wrong

        is_wrong = too_few(front // "ids", ids, "the last of " // front // "offsets - 1", entries_in(offsets), "carry", &
                           stat, errmsg)
        values = front // "values"
        if (size(extent) == 2) values = values // ", 2"
        if (.not. is_wrong) is_wrong = too_few(values, extent(size(extent)), "the last of " // front // "offsets - 1", &
                                               entries_in(offsets), "carry", stat, errmsg)
    end function list_misfits

    pure function rows_in(offsets) result(rows)
        integer(int64), intent(in) :: offsets(:)
        integer(int64) :: rows

        rows = max(0_int64, size(offsets, kind=int64) - 1)
    end function rows_in

    pure function entries_in(offsets) result(entries)
        integer(int64), intent(in) :: offsets(:)
        integer(int64) :: entries

        entries = 0
        if (rows_in(offsets) > 0) entries = max(0_int64, offsets(size(offsets)) - 1)
    end function entries_in

    ! The number of points that have global ids.
    pure function points_of(global_ids) result(points)
        integer(int64), intent(in), optional :: global_ids(:)
        integer(int64) :: points

        points = 0
        if (present(global_ids)) points = size(global_ids, kind=int64)
    end function points_of

    pure function row_or_1(first_row) result(row)
        integer(int64), intent(in), optional :: first_row
        integer(int64) :: row

        row = 1
        if (present(first_row)) row = first_row
    end function row_or_1

end submodule neargrid_carry
