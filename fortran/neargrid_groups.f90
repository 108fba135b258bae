! Made from neargrid_groups.fypp: change that file, then `make fortran`.
!> Groups of friends of friends: labels, and the catalogue with sums over members.
submodule (neargrid) neargrid_groups_bodies
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer
    use neargrid_arrays, only: address_of, addresses_of, stride_of, view_ids
    use neargrid_errors, only: differ, no_memory
    implicit none (type, external)

contains

    module procedure fof_view
        type(c_ptr) :: at
        integer(int64) :: n, count
        integer(c_int) :: status

        if (present(by_keyword)) continue
        status = neargrid_fof_view(owned(self), n, at, count)
        if (status == neargrid_status_ok) then
            call view_ids(at, n, labels)
            if (present(ngroups)) ngroups = count
        end if
        call report_on(owned(self), status, "fof", stat, errmsg)
    end procedure fof_view

    module procedure fof_fit
        integer(c_int), allocatable :: fresh(:)
        integer(int64) :: n, count
        integer(c_int) :: status
        integer :: unallocated

        if (present(by_keyword)) continue
        status = neargrid_search_counter(owned(self), neargrid_counter_points, n)
        if (status == neargrid_status_ok) then
            allocate (fresh(n), stat=unallocated)
            if (no_memory(unallocated, n, "fof", stat, errmsg, owned(self))) return
            status = neargrid_fof_copy(owned(self), n, fresh, count)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(fresh, labels)
            if (present(ngroups)) ngroups = count
        end if
        call report_on(owned(self), status, "fof", stat, errmsg)
    end procedure fof_fit

    module procedure fof_ids
        integer(int64), allocatable :: fresh(:)
        integer(int64) :: n, count
        integer(c_int) :: status
        integer :: unallocated

        if (present(by_keyword)) continue
        status = neargrid_search_counter(owned(self), neargrid_counter_points, n)
        if (status == neargrid_status_ok) then
            allocate (fresh(n), stat=unallocated)
            if (no_memory(unallocated, n, "fof", stat, errmsg, owned(self))) return
            status = neargrid_fof_copy_ids(owned(self), n, fresh, count)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(fresh, labels)
            if (present(ngroups)) ngroups = count
        end if
        call report_on(owned(self), status, "fof", stat, errmsg)
    end procedure fof_ids

    module procedure groups_alone
        integer(int64) :: n, ngroups
        integer(c_int) :: status

        status = neargrid_search_counter(owned(self), neargrid_counter_points, n)
        if (status == neargrid_status_ok) &
            status = neargrid_groups_find_f64(owned(self), int(min_size, int64), n, c_null_ptr, &
                                              0_int64, c_null_ptr, c_null_ptr, c_null_ptr, &
                                              0_int64, ngroups)
        call take(owned(self), status, found, stat, errmsg)
    end procedure groups_alone

    module procedure groups_f32
        type(c_ptr) :: address(3)
        integer(int64) :: n, stride, ngroups

        n = size(masses, kind=int64)
        address = c_null_ptr
        stride = 4_int64
        if (present(velocities)) then
            if (misfits(owned(self), shape(velocities, int64), n, stat, errmsg)) return
            address = addresses_of(velocities)
            stride = stride_of(velocities)
        end if
        call take(owned(self), neargrid_groups_find_f32(owned(self), int(min_size, int64), n, &
                  address_of(masses), stride_of(masses), address(1), address(2), address(3), &
                  stride, ngroups), found, stat, errmsg)
    end procedure groups_f32

    module procedure groups_f64
        type(c_ptr) :: address(3)
        integer(int64) :: n, stride, ngroups

        n = size(masses, kind=int64)
        address = c_null_ptr
        stride = 8_int64
        if (present(velocities)) then
            if (misfits(owned(self), shape(velocities, int64), n, stat, errmsg)) return
            address = addresses_of(velocities)
            stride = stride_of(velocities)
        end if
        call take(owned(self), neargrid_groups_find_f64(owned(self), int(min_size, int64), n, &
                  address_of(masses), stride_of(masses), address(1), address(2), address(3), &
                  stride, ngroups), found, stat, errmsg)
    end procedure groups_f64

    ! Whether velocities are not as many as masses, or of other axes than the points.
    function misfits(handle, extent, n, stat, errmsg) result(is_wrong)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in) :: extent(2), n
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: dim
        logical :: is_wrong

        is_wrong = differ("velocities, 2", extent(2), "size(masses)", n, "groups", stat, errmsg, handle)
        if (is_wrong) return
        dim = 0
        if (neargrid_search_counter(handle, neargrid_counter_dim, dim) == neargrid_status_ok &
            .and. dim > 0) is_wrong = differ("velocities, 1", extent(1), "dim", dim, "groups", &
                                             stat, errmsg, handle)
    end function misfits

    ! Copies what was found, if `found_status` says that it was.
    subroutine take(handle, found_status, found, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: found_status
        type(neargrid_groups), intent(inout) :: found
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(neargrid_groups) :: fresh
        integer(int64) :: n
        integer(c_int) :: status
        integer :: unallocated

        status = found_status
        if (status == neargrid_status_ok) &
            status = neargrid_search_counter(handle, neargrid_counter_points, n)
        unallocated = 0
        if (status == neargrid_status_ok) call copy_sums(handle, fresh, status, unallocated)
        if (status == neargrid_status_ok .and. unallocated == 0) then
            call copy_members(handle, n, fresh, status, unallocated)
            if (status == neargrid_status_not_supported) status = neargrid_status_ok  ! across ranks
        end if
        if (no_memory(unallocated, n, "groups", stat, errmsg)) return
        if (status == neargrid_status_ok) call give(fresh, found)
        call report_on(handle, status, "groups", stat, errmsg)
    end subroutine take

    subroutine copy_members(handle, n, fresh, status, unallocated)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in) :: n
        type(neargrid_groups), intent(inout) :: fresh
        integer(c_int), intent(out) :: status
        integer, intent(inout) :: unallocated
        type(c_ptr) :: at_labels, at_sizes, at_offsets, at_order
        integer(c_int), pointer :: ids(:)
        integer(int64), pointer :: counts(:)
        integer(int64) :: g

        status = neargrid_groups_view_members(handle, g, at_labels, at_sizes, at_offsets, at_order)
        if (status /= neargrid_status_ok) return
        allocate (fresh%labels(g), fresh%offsets(g + 1), fresh%order(n), stat=unallocated)
        if (unallocated /= 0) return
        call c_f_pointer(at_offsets, counts, [g + 1])
        fresh%offsets(:) = counts
        if (n > 0) then
            call c_f_pointer(at_order, ids, [n])
            fresh%order(:) = ids
        end if
        if (g > 0) then
            call c_f_pointer(at_labels, ids, [g])
            fresh%labels(:) = ids
        end if
    end subroutine copy_members

    subroutine copy_sums(handle, fresh, status, unallocated)
        type(c_ptr), intent(in) :: handle
        type(neargrid_groups), intent(inout) :: fresh
        integer(c_int), intent(out) :: status
        integer, intent(inout) :: unallocated
        type(c_ptr) :: at_masses, at_centers, at_velocities, at_radii, at_wide
        real(real64), pointer :: values(:), vectors(:, :)
        integer(c_int), pointer :: flags(:)
        integer(int64) :: g
        integer(c_int) :: dim

        status = neargrid_groups_view_sums(handle, g, dim, at_masses, at_centers, at_velocities, &
                                           at_radii, at_wide)
        if (status /= neargrid_status_ok) return
        allocate (fresh%ids(g), fresh%sizes(g), fresh%masses(g), fresh%centers(dim, g), &
                  fresh%radii(g), fresh%wide(g), stat=unallocated)
        if (unallocated == 0 .and. c_associated(at_velocities)) &
            allocate (fresh%velocities(dim, g), stat=unallocated)
        if (unallocated /= 0 .or. g == 0) return
        status = neargrid_groups_copy_ids(handle, g, g, fresh%ids, fresh%sizes)
        call c_f_pointer(at_masses, values, [g])
        fresh%masses(:) = values
        call c_f_pointer(at_radii, values, [g])
        fresh%radii(:) = values
        call c_f_pointer(at_centers, vectors, [int(dim, int64), g])
        fresh%centers(:, :) = vectors
        if (allocated(fresh%velocities)) then
            call c_f_pointer(at_velocities, vectors, [int(dim, int64), g])
            fresh%velocities(:, :) = vectors
        end if
        call c_f_pointer(at_wide, flags, [g])
        fresh%wide(:) = flags /= 0
    end subroutine copy_sums

    ! Moves all arrays.
    subroutine give(from, to)
        type(neargrid_groups), intent(inout) :: from, to

        call move_alloc(from%ids, to%ids)
        call move_alloc(from%labels, to%labels)
        call move_alloc(from%sizes, to%sizes)
        call move_alloc(from%offsets, to%offsets)
        call move_alloc(from%order, to%order)
        call move_alloc(from%masses, to%masses)
        call move_alloc(from%centers, to%centers)
        call move_alloc(from%velocities, to%velocities)
        call move_alloc(from%radii, to%radii)
        call move_alloc(from%wide, to%wide)
    end subroutine give

end submodule neargrid_groups_bodies
