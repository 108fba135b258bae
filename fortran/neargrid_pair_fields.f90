! Made from neargrid_pair_fields.fypp: change that file, then `make fortran`.
!> Pair fields: values of pairs, which live from one run to the next.
submodule (neargrid) neargrid_pair_fields
    use, intrinsic :: iso_c_binding, only: c_null_char
    use neargrid_errors, only: no_memory, too_few
    implicit none (type, external)

contains

    module procedure set_pair_numbers_f32
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_pair_field_f32(owned(self), &
                    trim(name) // c_null_char, 1_c_int, max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_numbers_f32

    module procedure pair_numbers_f32
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        real(real32), allocatable :: new_values(:)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_f32(owned(self), trim(name) // c_null_char, &
                    1_c_int, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_numbers_f32

    module procedure set_pair_vectors_f32
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_pair_field_f32(owned(self), &
                    trim(name) // c_null_char, size(values, 1, c_int), max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_vectors_f32

    module procedure pair_vectors_f32
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        real(real32), allocatable :: new_values(:, :)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(width, n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_f32(owned(self), trim(name) // c_null_char, &
                    width, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_vectors_f32

    module procedure set_pair_numbers_f64
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_pair_field_f64(owned(self), &
                    trim(name) // c_null_char, 1_c_int, max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_numbers_f64

    module procedure pair_numbers_f64
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        real(real64), allocatable :: new_values(:)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_f64(owned(self), trim(name) // c_null_char, &
                    1_c_int, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_numbers_f64

    module procedure set_pair_vectors_f64
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_pair_field_f64(owned(self), &
                    trim(name) // c_null_char, size(values, 1, c_int), max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_vectors_f64

    module procedure pair_vectors_f64
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        real(real64), allocatable :: new_values(:, :)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(width, n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_f64(owned(self), trim(name) // c_null_char, &
                    width, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_vectors_f64

    module procedure set_pair_numbers_by_ids_f32
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg, owned(self))) return
        call report_on(owned(self), neargrid_search_set_pair_field_by_ids_f32(owned(self), &
                    trim(name) // c_null_char, 1_c_int, max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_numbers_by_ids_f32

    module procedure pair_numbers_by_ids_f32
        integer(int64), allocatable :: new_offsets(:)
        integer(int64), allocatable :: new_ids(:)
        real(real32), allocatable :: new_values(:)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_ids_f32(owned(self), trim(name) // c_null_char, &
                    1_c_int, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_numbers_by_ids_f32

    module procedure set_pair_vectors_by_ids_f32
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg, owned(self))) return
        call report_on(owned(self), neargrid_search_set_pair_field_by_ids_f32(owned(self), &
                    trim(name) // c_null_char, size(values, 1, c_int), max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_vectors_by_ids_f32

    module procedure pair_vectors_by_ids_f32
        integer(int64), allocatable :: new_offsets(:)
        integer(int64), allocatable :: new_ids(:)
        real(real32), allocatable :: new_values(:, :)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(width, n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_ids_f32(owned(self), trim(name) // c_null_char, &
                    width, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_vectors_by_ids_f32

    module procedure set_pair_numbers_by_ids_f64
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg, owned(self))) return
        call report_on(owned(self), neargrid_search_set_pair_field_by_ids_f64(owned(self), &
                    trim(name) // c_null_char, 1_c_int, max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_numbers_by_ids_f64

    module procedure pair_numbers_by_ids_f64
        integer(int64), allocatable :: new_offsets(:)
        integer(int64), allocatable :: new_ids(:)
        real(real64), allocatable :: new_values(:)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_ids_f64(owned(self), trim(name) // c_null_char, &
                    1_c_int, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_numbers_by_ids_f64

    module procedure set_pair_vectors_by_ids_f64
        if (list_misfits(offsets, size(ids, kind=int64), shape(values, int64), stat, errmsg, owned(self))) return
        call report_on(owned(self), neargrid_search_set_pair_field_by_ids_f64(owned(self), &
                    trim(name) // c_null_char, size(values, 1, c_int), max(0_int64, size(offsets, kind=int64) - 1), &
                    offsets, ids, values), "set_pair_field", stat, errmsg)
    end procedure set_pair_vectors_by_ids_f64

    module procedure pair_vectors_by_ids_f64
        integer(int64), allocatable :: new_offsets(:)
        integer(int64), allocatable :: new_ids(:)
        real(real64), allocatable :: new_values(:, :)
        integer(int64) :: rows, n
        integer(c_int) :: status, width
        integer :: unallocated

        status = neargrid_pair_field_size(owned(self), trim(name) // c_null_char, width, rows, n)
        if (status /= neargrid_status_ok) then
            call report_on(owned(self), status, "pair_field", stat, errmsg)
            return
        end if
        allocate (new_offsets(rows + 1), new_ids(n), new_values(width, n), stat=unallocated)
        if (no_memory(unallocated, rows + (width + 1)*n, "pair_field", stat, errmsg)) return
        status = neargrid_pair_field_copy_ids_f64(owned(self), trim(name) // c_null_char, &
                    width, rows, n, new_offsets, new_ids, new_values)
        if (status == neargrid_status_ok) then
            call move_alloc(new_offsets, offsets)
            call move_alloc(new_ids, ids)
            call move_alloc(new_values, values)
        end if
        call report_on(owned(self), status, "pair_field", stat, errmsg)
    end procedure pair_vectors_by_ids_f64

    ! Whether ids or values are fewer than the offsets say. `extent` is the shape of values. With a handle all ranks learn of it.
    function list_misfits(offsets, ids, extent, stat, errmsg, handle) result(is_wrong)
        integer(int64), intent(in) :: offsets(:), ids, extent(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr), intent(in), optional :: handle
        integer(int64) :: entries
        logical :: is_wrong

        entries = 0
        if (size(offsets) > 1) entries = max(0_int64, offsets(size(offsets)) - 1)
        is_wrong = too_few("ids", ids, "the last of offsets - 1", entries, "set_pair_field", stat, errmsg, handle)
        if (.not. is_wrong) is_wrong = too_few(trim(merge("values, 2", "values   ", size(extent) == 2)), &
            extent(size(extent)), "the last of offsets - 1", entries, "set_pair_field", stat, errmsg, handle)
    end function list_misfits

end submodule neargrid_pair_fields
