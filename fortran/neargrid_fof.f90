!> Groups of friends of friends on their way from C to Fortran arrays: the bodies of `search%fof` and
!> `search%groups`, and the type that a catalogue is.
!>
!> Programs use module `neargrid`; this one carries no name they need.
module neargrid_fof
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_loc, &
        c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid_c
    use neargrid_errors, only: differ, no_memory, report_on
    use neargrid_points, only: addresses_of, element_f32, element_f64
    implicit none (type, external)

    private
    public :: neargrid_groups, fof_view, fof_fit, groups_plain, groups_of

    !> Groups of points, the largest first and of equally large ones that with the smaller label (or
    !> label of the smaller global id), and sums over their members. The members of group g are
    !> `order(offsets(g) : offsets(g + 1) - 1)`, by number; behind those of all groups, `order` holds
    !> the points of groups that are too small.
    type :: neargrid_groups
        !> The point that names each group, its number of points, and where its members begin.
        integer(c_int), allocatable :: labels(:)
        integer(int64), allocatable :: sizes(:), offsets(:)
        !> All points: an order for `neargrid_reorder`.
        integer(c_int), allocatable :: order(:)
        !> Sums of masses; centers of mass, `centers(dim, g)`; mean velocities likewise, not allocated
        !> where none were given; roots of the mean distance squared from the center; all by mass.
        real(real64), allocatable :: masses(:), centers(:, :), velocities(:, :), radii(:)
        !> Whether the group is as wide as half the box along a periodic axis, or wider: its center and
        !> radius depend on the label then.
        logical, allocatable :: wide(:)
    end type neargrid_groups

    interface groups_of
        procedure :: groups_f64, groups_f32
    end interface groups_of

    integer(c_int), target, save :: no_label(1) = 0     ! what views of no points point at

contains

    subroutine fof_view(handle, labels, ngroups, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), pointer, intent(inout) :: labels(:)
        integer(int64), intent(inout), optional :: ngroups
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at
        integer(int64) :: n, count
        integer(c_int) :: status

        status = neargrid_fof_view(handle, n, at, count)
        if (status == neargrid_status_ok) then
            if (n == 0) at = c_loc(no_label)
            call c_f_pointer(at, labels, [n])
            if (present(ngroups)) ngroups = count
        end if
        call report_on(handle, status, "fof", stat, errmsg)
    end subroutine fof_view

    subroutine fof_fit(handle, labels, ngroups, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), allocatable, intent(inout) :: labels(:)
        integer(int64), intent(inout), optional :: ngroups
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: fresh(:)
        integer(int64) :: n, count
        integer(c_int) :: status
        integer :: unallocated

        status = neargrid_search_counter(handle, neargrid_counter_points, n)
        if (status == neargrid_status_ok) then
            allocate (fresh(n), stat=unallocated)
            if (no_memory(unallocated, n, "fof", stat, errmsg)) return
            status = neargrid_fof_copy(handle, n, fresh, count)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(fresh, labels)
            if (present(ngroups)) ngroups = count
        end if
        call report_on(handle, status, "fof", stat, errmsg)
    end subroutine fof_fit

    subroutine groups_plain(handle, found, min_size, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: ngroups

        call take(handle, neargrid_groups_find(handle, int(min_size, int64), ngroups), found, &
                  stat, errmsg)
    end subroutine groups_plain

    subroutine groups_f64(handle, found, min_size, masses, velocities, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real64), intent(in), target, contiguous :: masses(:)
        real(real64), intent(in), target, contiguous, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: address(3)
        integer(int64) :: n, stride, ngroups

        n = size(masses, kind=int64)
        address = c_null_ptr
        stride = 8
        if (present(velocities)) then
            if (misfits(handle, shape(velocities, int64), n, stat, errmsg)) return
            address = addresses_of(velocities)
            stride = 8*size(velocities, 1, int64)
        end if
        call take(handle, neargrid_groups_find_f64(handle, int(min_size, int64), n, &
                  element_f64(masses), address(1), address(2), address(3), stride, ngroups), &
                  found, stat, errmsg)
    end subroutine groups_f64

    subroutine groups_f32(handle, found, min_size, masses, velocities, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real32), intent(in), target, contiguous :: masses(:)
        real(real32), intent(in), target, contiguous, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: address(3)
        integer(int64) :: n, stride, ngroups

        n = size(masses, kind=int64)
        address = c_null_ptr
        stride = 4
        if (present(velocities)) then
            if (misfits(handle, shape(velocities, int64), n, stat, errmsg)) return
            address = addresses_of(velocities)
            stride = 4*size(velocities, 1, int64)
        end if
        call take(handle, neargrid_groups_find_f32(handle, int(min_size, int64), n, &
                  element_f32(masses), address(1), address(2), address(3), stride, ngroups), &
                  found, stat, errmsg)
    end subroutine groups_f32

    ! Whether velocities are not as many as masses, or of other axes than the points.
    function misfits(handle, extent, n, stat, errmsg) result(is_wrong)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in) :: extent(2), n
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: dim
        logical :: is_wrong

        is_wrong = differ("velocities, 2", extent(2), "size(masses)", n, "groups", stat, errmsg)
        if (is_wrong) return
        dim = 0
        if (neargrid_search_counter(handle, neargrid_counter_dim, dim) == neargrid_status_ok &
            .and. dim > 0) is_wrong = differ("velocities, 1", extent(1), "dim", dim, "groups", &
                                             stat, errmsg)
    end function misfits

    ! Copies what was found, if `found_status` says that it was.
    subroutine take(handle, found_status, found, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: found_status
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(neargrid_groups) :: fresh
        integer(int64) :: n
        integer(c_int) :: status
        integer :: unallocated

        status = found_status
        if (status == neargrid_status_ok) &
            status = neargrid_search_counter(handle, neargrid_counter_points, n)
        unallocated = 0
        if (status == neargrid_status_ok) call copy_members(handle, n, fresh, status, unallocated)
        if (status == neargrid_status_ok .and. unallocated == 0) &
            call copy_sums(handle, fresh, status, unallocated)
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
        allocate (fresh%labels(g), fresh%sizes(g), fresh%offsets(g + 1), fresh%order(n), &
                  stat=unallocated)
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
            call c_f_pointer(at_sizes, counts, [g])
            fresh%sizes(:) = counts
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
        allocate (fresh%masses(g), fresh%centers(dim, g), fresh%radii(g), fresh%wide(g), &
                  stat=unallocated)
        if (unallocated == 0 .and. c_associated(at_velocities)) &
            allocate (fresh%velocities(dim, g), stat=unallocated)
        if (unallocated /= 0 .or. g == 0) return
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

end module neargrid_fof
