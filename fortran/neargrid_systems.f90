! Made from neargrid_systems.fypp: change that file, then `make fortran`.
!> Rows of many systems of points, in one call, of both real kinds.
submodule (neargrid) neargrid_systems
    use, intrinsic :: iso_c_binding, only: c_f_pointer
    use neargrid_arrays, only: address_of, addresses_of, stride_of, view_ids
    use neargrid_errors, only: differ, no_memory, transposed
    implicit none (type, external)

    !> Boxes as C takes them, one after the other; nothing where space is open.
    type :: boxes
        real(real64), allocatable :: lo(:), length(:)
        integer(int32), allocatable :: periodic(:)
    end type boxes

contains

    module procedure systems_f32
        type(boxes), target :: given
        type(c_ptr) :: at(3), at_offsets, at_ids
        integer(int64) :: total, nsystems
        integer(c_int) :: dim, status

        if (present(by_keyword)) continue
        if (transposed(shape(pos, int64), "systems", stat, errmsg)) return
        nsystems = size(cutoffs, kind=int64)
        if (differ("firsts", size(firsts, kind=int64), "size(cutoffs) + 1", nsystems + 1, &
                   "systems", stat, errmsg)) return
        if (misfit([size(pos, 1, int64), nsystems], given, lo, length, periodic, stat, errmsg)) return
        dim = int(min(size(pos, 1, int64), int(huge(dim), int64)), c_int)   ! C refuses dim > 3
        at = addresses_of(pos)
        status = neargrid_systems_view_f32( &
                 owned(self), rows_of(kind), dim, nsystems, address_of(firsts), at(1), at(2), at(3), &
                 stride_of(pos), address_of(cutoffs), address_of(given%lo), &
                 address_of(given%length), address_of(given%periodic), total, at_offsets, at_ids)
        if (status == neargrid_status_ok) then
            call c_f_pointer(at_offsets, offsets, [size(pos, 2, int64) + 1])
            call view_ids(at_ids, total, ids)
        end if
        call report_on(owned(self), status, "systems", stat, errmsg)
    end procedure systems_f32

    module procedure systems_f64
        type(boxes), target :: given
        type(c_ptr) :: at(3), at_offsets, at_ids
        integer(int64) :: total, nsystems
        integer(c_int) :: dim, status

        if (present(by_keyword)) continue
        if (transposed(shape(pos, int64), "systems", stat, errmsg)) return
        nsystems = size(cutoffs, kind=int64)
        if (differ("firsts", size(firsts, kind=int64), "size(cutoffs) + 1", nsystems + 1, &
                   "systems", stat, errmsg)) return
        if (misfit([size(pos, 1, int64), nsystems], given, lo, length, periodic, stat, errmsg)) return
        dim = int(min(size(pos, 1, int64), int(huge(dim), int64)), c_int)   ! C refuses dim > 3
        at = addresses_of(pos)
        status = neargrid_systems_view_f64( &
                 owned(self), rows_of(kind), dim, nsystems, address_of(firsts), at(1), at(2), at(3), &
                 stride_of(pos), address_of(cutoffs), address_of(given%lo), &
                 address_of(given%length), address_of(given%periodic), total, at_offsets, at_ids)
        if (status == neargrid_status_ok) then
            call c_f_pointer(at_offsets, offsets, [size(pos, 2, int64) + 1])
            call view_ids(at_ids, total, ids)
        end if
        call report_on(owned(self), status, "systems", stat, errmsg)
    end procedure systems_f64

    ! Whether an array of boxes is not one column a system, which is a failure; the boxes in one row
    ! if space is periodic at all.
    function misfit(extent, given, lo, length, periodic, stat, errmsg) result(is_wrong)
        integer(int64), intent(in) :: extent(2)
        type(boxes), intent(out) :: given
        real(real64), intent(in), optional :: lo(:, :), length(:, :)
        logical, intent(in), optional :: periodic(:, :)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        integer(int64) :: n
        integer :: unallocated

        n = 0
        if (present(periodic)) n = extent(1)*extent(2)
        allocate (given%lo(n), given%length(n), given%periodic(n), stat=unallocated)
        is_wrong = no_memory(unallocated, n, "systems", stat, errmsg)
        if (is_wrong .or. .not. present(periodic)) return
        is_wrong = unlike("periodic", shape(periodic, int64))
        if (is_wrong) return
        given%periodic = reshape(merge(1_int32, 0_int32, periodic), [n])
        given%lo = 0
        given%length = 0
        if (present(lo)) then
            is_wrong = unlike("lo", shape(lo, int64))
            if (is_wrong) return
            given%lo = reshape(lo, [n])
        end if
        if (present(length)) then
            is_wrong = unlike("length", shape(length, int64))
            if (is_wrong) return
            given%length = reshape(length, [n])
        end if

    contains

        function unlike(name, held) result(is_other)
            character(len=*), intent(in) :: name
            integer(int64), intent(in) :: held(2)
            logical :: is_other

            is_other = differ(name//", 1", held(1), "size(pos, 1)", extent(1), "systems", stat, errmsg)
            if (is_other) return
            is_other = differ(name//", 2", held(2), "size(cutoffs)", extent(2), "systems", stat, errmsg)
        end function unlike

    end function misfit

end submodule neargrid_systems
