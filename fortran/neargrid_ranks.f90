! Made from neargrid_ranks.fypp: change that file, then `make fortran`.
!> Searches across ranks: ghosts, fields that travel to them, and points that move to other ranks.
submodule (neargrid) neargrid_ranks
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_intptr_t, c_loc
    use neargrid_arrays, only: addresses_of, empty, stride_of
    use neargrid_errors, only: differ, no_memory, transposed
    implicit none (type, external)

    ! The ids of no points: null would mean that no rank gives ids.
    integer(int64), target, save :: no_ids(1) = 0

contains

    module procedure ghosts_f32
        type(c_ptr) :: at_ids, at_ranks, at_positions
        integer(int64) :: n, dim
        integer(c_int) :: status

        status = neargrid_ghosts_view_f32(owned(self), n, at_ids, at_ranks, at_positions)
        if (status == neargrid_status_ok) &
            status = neargrid_search_counter(owned(self), neargrid_counter_dim, dim)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(empty)
                at_ranks = c_loc(empty)
                at_positions = c_loc(empty)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_positions, positions, [dim, n])
        end if
        call report_on(owned(self), status, "ghosts", stat, errmsg)
    end procedure ghosts_f32

    module procedure migration_plan_f32
        type(c_ptr) :: at(3), at_ids
        integer(int64) :: n, after
        integer(c_int) :: status

        n = size(pos, 2, int64)
        at = addresses_of(pos)
        at_ids = c_null_ptr
        if (transposed(shape(pos, int64), "migration_plan", stat, errmsg, owned(self))) return
        if (present(ids)) then
            if (differ("ids", size(ids, kind=int64), "size(pos, 2)", n, "migration_plan", &
                       stat, errmsg, owned(self))) return
            at_ids = c_loc(no_ids)
            if (n > 0) at_ids = c_loc(ids)
        end if
        status = neargrid_migration_plan_f32(owned(self), size(pos, 1, c_int), n, at(1), at(2), at(3), &
                                             stride_of(pos), at_ids, after)
        if (status == neargrid_status_ok) n_new = int(after, c_int)
        call report_on(owned(self), status, "migration_plan", stat, errmsg)
    end procedure migration_plan_f32

    module procedure ghosts_f64
        type(c_ptr) :: at_ids, at_ranks, at_positions
        integer(int64) :: n, dim
        integer(c_int) :: status

        status = neargrid_ghosts_view_f64(owned(self), n, at_ids, at_ranks, at_positions)
        if (status == neargrid_status_ok) &
            status = neargrid_search_counter(owned(self), neargrid_counter_dim, dim)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(empty)
                at_ranks = c_loc(empty)
                at_positions = c_loc(empty)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_positions, positions, [dim, n])
        end if
        call report_on(owned(self), status, "ghosts", stat, errmsg)
    end procedure ghosts_f64

    module procedure migration_plan_f64
        type(c_ptr) :: at(3), at_ids
        integer(int64) :: n, after
        integer(c_int) :: status

        n = size(pos, 2, int64)
        at = addresses_of(pos)
        at_ids = c_null_ptr
        if (transposed(shape(pos, int64), "migration_plan", stat, errmsg, owned(self))) return
        if (present(ids)) then
            if (differ("ids", size(ids, kind=int64), "size(pos, 2)", n, "migration_plan", &
                       stat, errmsg, owned(self))) return
            at_ids = c_loc(no_ids)
            if (n > 0) at_ids = c_loc(ids)
        end if
        status = neargrid_migration_plan_f64(owned(self), size(pos, 1, c_int), n, at(1), at(2), at(3), &
                                             stride_of(pos), at_ids, after)
        if (status == neargrid_status_ok) n_new = int(after, c_int)
        call report_on(owned(self), status, "migration_plan", stat, errmsg)
    end procedure migration_plan_f64

    module procedure halo_exchange_numbers_f32
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 1, int64), at, stat, errmsg)
    end procedure halo_exchange_numbers_f32

    module procedure migration_move_numbers_f32
        real(real32), allocatable, target :: fresh(:)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 1, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_numbers_f32

    module procedure halo_exchange_vectors_f32
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 2, int64), at, stat, errmsg)
    end procedure halo_exchange_vectors_f32

    module procedure migration_move_vectors_f32
        real(real32), allocatable, target :: fresh(:, :)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(size(values, 1), n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 2, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_vectors_f32

    module procedure halo_exchange_numbers_f64
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 1, int64), at, stat, errmsg)
    end procedure halo_exchange_numbers_f64

    module procedure migration_move_numbers_f64
        real(real64), allocatable, target :: fresh(:)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 1, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_numbers_f64

    module procedure halo_exchange_vectors_f64
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 2, int64), at, stat, errmsg)
    end procedure halo_exchange_vectors_f64

    module procedure migration_move_vectors_f64
        real(real64), allocatable, target :: fresh(:, :)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(size(values, 1), n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 2, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_vectors_f64

    module procedure halo_exchange_numbers_i32
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 1, int64), at, stat, errmsg)
    end procedure halo_exchange_numbers_i32

    module procedure migration_move_numbers_i32
        integer(int32), allocatable, target :: fresh(:)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 1, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_numbers_i32

    module procedure halo_exchange_vectors_i32
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 2, int64), at, stat, errmsg)
    end procedure halo_exchange_vectors_i32

    module procedure migration_move_vectors_i32
        integer(int32), allocatable, target :: fresh(:, :)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(size(values, 1), n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 2, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_vectors_i32

    module procedure halo_exchange_numbers_i64
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 1, int64), at, stat, errmsg)
    end procedure halo_exchange_numbers_i64

    module procedure migration_move_numbers_i64
        integer(int64), allocatable, target :: fresh(:)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 1, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_numbers_i64

    module procedure halo_exchange_vectors_i64
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(values, kind=int64) > 0) at = c_loc(values)
        call send_to_ghosts(owned(self), bytes_of(storage_size(values), shape(values, int64)), &
                            size(values, 2, int64), at, stat, errmsg)
    end procedure halo_exchange_vectors_i64

    module procedure migration_move_vectors_i64
        integer(int64), allocatable, target :: fresh(:, :)
        type(c_ptr) :: from, to
        integer(c_int) :: status
        integer :: unallocated

        allocate (fresh(size(values, 1), n_new), stat=unallocated)
        if (no_memory(unallocated, int(n_new, int64), "migration_move", stat, errmsg, owned(self))) return
        from = c_null_ptr
        if (size(values, kind=int64) > 0) from = c_loc(values)
        to = c_null_ptr
        if (size(fresh, kind=int64) > 0) to = c_loc(fresh)
        status = neargrid_migration_move(owned(self), &
                    bytes_of(storage_size(values), shape(values, int64)), &
                    size(values, 2, int64), from, int(n_new, int64), to)
        if (status == neargrid_status_ok) call move_alloc(fresh, values)
        call report_on(owned(self), status, "migration_move", stat, errmsg)
    end procedure migration_move_vectors_i64

    ! A field of `n` elements, of points and then of ghosts.
    subroutine send_to_ghosts(handle, bytes, n, at, stat, errmsg)
        type(c_ptr), intent(in) :: handle, at
        integer(int64), intent(in) :: bytes, n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: behind
        integer(int64) :: points
        integer(c_int) :: status

        points = 0
        status = neargrid_search_counter(handle, neargrid_counter_points, points)
        behind = transfer(transfer(at, 0_c_intptr_t) + int(bytes*points, c_intptr_t), behind)
        if (status == neargrid_status_ok) &
            status = neargrid_halo_exchange(handle, bytes, points, at, n - points, behind)
        call report_on(handle, status, "halo_exchange", stat, errmsg)
    end subroutine send_to_ghosts

    ! Bytes of a number or of a vector of a field of that shape.
    pure function bytes_of(bits, extent) result(bytes)
        integer, intent(in) :: bits
        integer(int64), intent(in) :: extent(:)
        integer(int64) :: bytes

        bytes = bits/8
        if (size(extent) == 2) bytes = bytes*extent(1)
    end function bytes_of

end submodule neargrid_ranks
