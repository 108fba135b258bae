! Made from neargrid_settings.fypp: change that file, then `make fortran`.
!> The life of a search, and its settings.
submodule (neargrid) neargrid_settings
    use, intrinsic :: iso_c_binding, only: c_associated, c_loc
    use neargrid_arrays, only: address_of, empty, stride_of, widened
    use neargrid_errors, only: conclude, differ, last_error, no_memory, owned_by, place_of, too_few
    implicit none (type, external)

contains

    module procedure create_alone
        type(c_ptr) :: fresh
        integer(c_int) :: status

        if (present(by_keyword)) continue
        fresh = c_null_ptr
        status = neargrid_search_create(neargrid_abi, fresh)
        if (status == neargrid_status_ok) status = neargrid_search_set_index_base(fresh, 1_c_int)
        if (status == neargrid_status_ok) then
            call self%destroy()
            self%handle = fresh
            self%owner = place_of(self%handle)
        end if
        call conclude(status, "create", last_error(status), stat, errmsg)
        if (status /= neargrid_status_ok) call neargrid_search_destroy(fresh)
    end procedure create_alone

    module procedure create_across
        type(c_ptr) :: fresh
        integer(c_int) :: status

        fresh = c_null_ptr
        status = neargrid_search_create_across(neargrid_abi, comm, fresh)
        if (status == neargrid_status_ok) status = neargrid_search_set_index_base(fresh, 1_c_int)
        if (status == neargrid_status_ok) then
            call self%destroy()
            self%handle = fresh
            self%owner = place_of(self%handle)
        end if
        call conclude(status, "create", last_error(status), stat, errmsg)
        if (status /= neargrid_status_ok) call neargrid_search_destroy(fresh)
    end procedure create_across

    module procedure destroy
        call neargrid_search_destroy(owned(self))
        self%handle = c_null_ptr
    end procedure destroy

    module procedure owned_search
        handle = owned_by(self%handle, self%owner, "neargrid_search")
    end procedure owned_search

    module procedure finalize
        call self%destroy()
    end procedure finalize

    ! Two variables with one handle would free it twice. Two empty ones share nothing.
    module procedure refuse_copy
        if (c_associated(self%handle) .or. c_associated(other%handle)) &
            error stop "neargrid: a neargrid_search cannot be copied by assignment"
    end procedure refuse_copy

    module procedure set_tie_rule
        call report_on(owned(self), neargrid_search_set_tie_rule(owned(self), rule), &
                       "set_tie_rule", stat, errmsg)
    end procedure set_tie_rule

    module procedure set_threads
        call report_on(owned(self), neargrid_search_set_threads(owned(self), threads), &
                       "set_threads", stat, errmsg)
    end procedure set_threads

    module procedure set_backend
        call report_on(owned(self), neargrid_search_set_backend(owned(self), backend), &
                       "set_backend", stat, errmsg)
    end procedure set_backend

    module procedure set_memory_limit
        call report_on(owned(self), neargrid_search_set_memory_limit(owned(self), bytes), &
                       "set_memory_limit", stat, errmsg)
    end procedure set_memory_limit

    module procedure set_ghost_pairs
        call report_on(owned(self), neargrid_search_set_ghost_pairs(owned(self), which), &
                       "set_ghost_pairs", stat, errmsg)
    end procedure set_ghost_pairs

    module procedure set_ghost_rows
        call report_on(owned(self), neargrid_search_set_ghost_rows(owned(self), which), &
                       "set_ghost_rows", stat, errmsg)
    end procedure set_ghost_rows

    module procedure set_device
        integer(c_int) :: choice

        choice = merge(neargrid_device_best, neargrid_device_index, device == neargrid_device_auto)
        call report_on(owned(self), neargrid_search_set_device(owned(self), choice, device), &
                       "set_device", stat, errmsg)
    end procedure set_device

    module procedure set_device_turn
        call report_on(owned(self), neargrid_search_set_device(owned(self), &
                       neargrid_device_turn, turn), "set_device_turn", stat, errmsg)
    end procedure set_device_turn

    module procedure set_active_first
        call report_on(owned(self), neargrid_search_set_active(owned(self), int(n_active, int64)), &
                       "set_active", stat, errmsg)
    end procedure set_active_first

    module procedure set_active_flags
        integer(c_int), allocatable :: roles(:)
        integer :: unallocated

        allocate (roles(size(flags)), stat=unallocated)
        if (no_memory(unallocated, size(flags, kind=int64), "set_active", stat, errmsg)) return
        roles(:) = merge(neargrid_role_active, neargrid_role_ghost, flags)
        call report_on(owned(self), neargrid_search_set_roles(owned(self), size(roles, kind=int64), &
                       address_of(roles), stride_of(roles)), "set_active", stat, errmsg)
    end procedure set_active_flags

    module procedure set_roles
        call report_on(owned(self), neargrid_search_set_roles(owned(self), size(roles, kind=int64), &
                       address_of(roles), stride_of(roles)), "set_roles", stat, errmsg)
    end procedure set_roles

    module procedure set_types
        if (differ("mask, 2", size(mask, 2, int64), "size(mask, 1)", size(mask, 1, int64), &
                   "set_types", stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_types(owned(self), &
                       size(types, kind=int64), address_of(types), stride_of(types), size(mask, 1, kind=c_int), &
                       merge(1_c_int, 0_c_int, mask)), "set_types", stat, errmsg)
    end procedure set_types

    module procedure set_type_cutoffs_f64
        if (differ("cutoffs, 2", size(cutoffs, 2, int64), "size(cutoffs, 1)", size(cutoffs, 1, int64), &
                   "set_type_cutoffs", stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_type_cutoffs(owned(self), &
                       size(cutoffs, 1, kind=c_int), cutoffs), "set_type_cutoffs", stat, errmsg)
    end procedure set_type_cutoffs_f64

    module procedure set_type_cutoffs_f32
        call self%set_type_cutoffs(widened(cutoffs), stat, errmsg)
    end procedure set_type_cutoffs_f32

    module procedure exclude_ids
        integer(int64) :: given, wanted

        if (present(by_keyword)) continue
        wanted = size(offsets, kind=int64)
        given = size(ids, kind=int64)
        if (wanted == 0) then
            call report_on(owned(self), neargrid_search_set_exclusions(owned(self), 0_int64), &
                           "set_exclusions", stat, errmsg)
            return
        end if
        if (too_few("ids", given, "the last of offsets - 1", offsets(wanted) - 1, "set_exclusions", stat, &
                    errmsg)) return
        if (present(classes)) then
            if (differ("classes", size(classes, kind=int64), "size(ids)", given, "set_exclusions", stat, &
                       errmsg)) return
        end if
        if (present(shifts)) then
            if (differ("size(shifts, 1)", size(shifts, 1, kind=int64), "3", 3_int64, "set_exclusions", stat, &
                       errmsg)) return
            if (differ("size(shifts, 2)", size(shifts, 2, kind=int64), "size(ids)", given, "set_exclusions", &
                       stat, errmsg)) return
        end if
        call report_on(owned(self), neargrid_search_set_exclusions_by_ids_shifts(owned(self), wanted - 1, &
                       offsets, ids, shifts, classes), "set_exclusions", stat, errmsg)
    end procedure exclude_ids

    module procedure exclude_numbers
        integer(int64) :: given, wanted

        if (present(by_keyword)) continue
        wanted = 0
        if (present(offsets)) wanted = size(offsets, kind=int64)
        if (wanted == 0) then
            call report_on(owned(self), neargrid_search_set_exclusions(owned(self), 0_int64), &
                           "set_exclusions", stat, errmsg)
            return
        end if
        given = 0
        if (present(ids)) given = size(ids, kind=int64)
        if (too_few("ids", given, "the last of offsets - 1", offsets(wanted) - 1, "set_exclusions", stat, &
                    errmsg)) return
        if (present(classes)) then
            if (differ("classes", size(classes, kind=int64), "size(ids)", given, "set_exclusions", stat, &
                       errmsg)) return
        end if
        if (present(shifts)) then
            if (differ("size(shifts, 1)", size(shifts, 1, kind=int64), "3", 3_int64, "set_exclusions", stat, &
                       errmsg)) return
            if (differ("size(shifts, 2)", size(shifts, 2, kind=int64), "size(ids)", given, "set_exclusions", &
                       stat, errmsg)) return
        end if
        call report_on(owned(self), neargrid_search_set_exclusions_shifts(owned(self), wanted - 1, offsets, ids, &
                       shifts, classes), "set_exclusions", stat, errmsg)
    end procedure exclude_numbers

    module procedure set_primary_types
        call report_on(owned(self), neargrid_search_set_primary_types(owned(self), &
                       size(primary, kind=c_int), merge(1_c_int, 0_c_int, primary)), &
                       "set_primary_types", stat, errmsg)
    end procedure set_primary_types

    module procedure set_ids_i64
        call report_on(owned(self), neargrid_search_set_ids(owned(self), size(ids, kind=int64), &
                       address_of(ids), stride_of(ids)), "set_ids", stat, errmsg)
    end procedure set_ids_i64

    module procedure set_ids_i32
        integer(int64), allocatable :: wide(:)
        integer :: unallocated

        allocate (wide(size(ids)), stat=unallocated)
        if (no_memory(unallocated, size(ids, kind=int64), "set_ids", stat, errmsg)) return
        wide(:) = ids
        call self%set_ids(wide, stat, errmsg)
    end procedure set_ids_i32

    module procedure set_box_f64
        if (differ("length", size(length, kind=int64), "size(lo)", size(lo, kind=int64), &
                   "set_box", stat, errmsg)) return
        if (differ("periodic", size(periodic, kind=int64), "size(lo)", size(lo, kind=int64), &
                   "set_box", stat, errmsg)) return
        call report_on(owned(self), neargrid_search_set_box(owned(self), size(lo, kind=c_int), &
                       lo, length, merge(1_c_int, 0_c_int, periodic)), "set_box", stat, errmsg)
    end procedure set_box_f64

    module procedure set_box_f32
        call self%set_box(widened(lo), widened(length), periodic, stat, errmsg)
    end procedure set_box_f32

    module procedure set_cutoff_f64
        call report_on(owned(self), neargrid_search_set_cutoff(owned(self), cutoff), &
                       "set_cutoff", stat, errmsg)
    end procedure set_cutoff_f64

    module procedure set_cutoff_f32
        call self%set_cutoff(widened(cutoff), stat, errmsg)
    end procedure set_cutoff_f32

    module procedure set_skin_f64
        call report_on(owned(self), neargrid_search_set_skin(owned(self), skin), &
                       "set_skin", stat, errmsg)
    end procedure set_skin_f64

    module procedure set_skin_f32
        call self%set_skin(widened(skin), stat, errmsg)
    end procedure set_skin_f32

    module procedure set_knn_within_f64
        call report_on(owned(self), neargrid_search_set_knn_within(owned(self), radius), &
                       "set_knn_within", stat, errmsg)
    end procedure set_knn_within_f64

    module procedure set_knn_within_f32
        call self%set_knn_within(widened(radius), stat, errmsg)
    end procedure set_knn_within_f32

    module procedure set_radii_f32
        call report_on(owned(self), neargrid_search_set_radii_f32(owned(self), &
                       neargrid_of_points, size(radii, kind=int64), somewhere(address_of(radii)), &
                       stride_of(radii), rule), "set_radii", stat, errmsg)
    end procedure set_radii_f32

    module procedure set_query_radii_f32
        call report_on(owned(self), neargrid_search_set_radii_f32(owned(self), &
                       neargrid_of_queries, size(radii, kind=int64), somewhere(address_of(radii)), &
                       stride_of(radii), 0_c_int), "set_query_radii", stat, errmsg)
    end procedure set_query_radii_f32

    module procedure set_radii_f64
        call report_on(owned(self), neargrid_search_set_radii_f64(owned(self), &
                       neargrid_of_points, size(radii, kind=int64), somewhere(address_of(radii)), &
                       stride_of(radii), rule), "set_radii", stat, errmsg)
    end procedure set_radii_f64

    module procedure set_query_radii_f64
        call report_on(owned(self), neargrid_search_set_radii_f64(owned(self), &
                       neargrid_of_queries, size(radii, kind=int64), somewhere(address_of(radii)), &
                       stride_of(radii), 0_c_int), "set_query_radii", stat, errmsg)
    end procedure set_query_radii_f64

    module procedure clear_radii
        integer(c_int) :: status

        status = neargrid_search_set_radii_f64(owned(self), neargrid_of_queries, 0_int64, c_null_ptr, &
                                               0_int64, 0_c_int)
        if (status == neargrid_status_ok) &
            status = neargrid_search_set_radii_f64(owned(self), neargrid_of_points, 0_int64, &
                                                   c_null_ptr, 0_int64, 0_c_int)
        call report_on(owned(self), status, "clear_radii", stat, errmsg)
    end procedure clear_radii

    ! An address that is not null, so that an array without elements is one all the same.
    function somewhere(address) result(at)
        type(c_ptr), intent(in) :: address
        type(c_ptr) :: at

        at = address
        if (.not. c_associated(at)) at = c_loc(empty)
    end function somewhere

end submodule neargrid_settings
