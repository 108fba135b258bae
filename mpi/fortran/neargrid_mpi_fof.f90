! Made from neargrid_mpi_fof.fypp: change that file, then `make fortran`.
!> Friends-of-friends groups over all ranks: the bodies of `search%fof` and `search%groups`, and the
!> type of a catalogue.
!>
!> Programs use module `neargrid_mpi`.
module neargrid_mpi_fof
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_loc, &
        c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid_arrays, only: address_of, addresses_of, stride_of
    use neargrid_errors, only: no_memory
    use neargrid_mpi_c
    use neargrid_mpi_fields, only: known, must_fit, report
    implicit none (type, external)

    private
    public :: neargrid_mpi_groups, fof_view, groups_plain, groups_of

    !> Groups whose label is a point of this rank, the largest first and equally large ones by
    !> label, and sums over their members on all ranks. The members of a group are the points to
    !> which `search%fof` gives its label.
    type :: neargrid_mpi_groups
        !> The smallest global id of each group, and its number of points over all ranks.
        integer(int64), allocatable :: labels(:), sizes(:)
        !> Sums of masses; centers of mass, `centers(dim, g)`; mean velocities,
        !> `velocities(dim, g)`, not allocated where no velocities were given; roots of the mean
        !> squared distance from the center. Means are weighted by mass.
        real(real64), allocatable :: masses(:), centers(:, :), velocities(:, :), radii(:)
        !> Whether the group is as wide as half the box along a periodic axis, or wider: its center
        !> and radius depend on the label then.
        logical, allocatable :: wide(:)
    end type neargrid_mpi_groups

    interface groups_of
        procedure :: groups_f32, groups_f64
    end interface groups_of

    integer(int64), target, save :: no_label(1) = 0     ! what views of no points point at

contains

    subroutine fof_view(handle, labels, ngroups, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(int64), pointer, intent(inout) :: labels(:)
        integer(int64), intent(inout), optional :: ngroups
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at
        integer(int64) :: n, count
        integer(c_int) :: status

        status = neargrid_mpi_fof_view(handle, n, at, count)
        if (status == 0) then
            if (n == 0) at = c_loc(no_label)
            call c_f_pointer(at, labels, [n])
            if (present(ngroups)) ngroups = count
        end if
        call report(handle, status, "fof", stat, errmsg)
    end subroutine fof_view

    subroutine groups_plain(handle, found, min_size, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: ngroups

        call take(handle, neargrid_mpi_groups_find(handle, int(min_size, int64), ngroups), found, &
                  stat, errmsg)
    end subroutine groups_plain

    subroutine groups_f32(handle, found, min_size, masses, velocities, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real32), intent(in), target, contiguous :: masses(:)
        real(real32), intent(in), target, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: moving(3)
        integer(int64) :: n, stride, ngroups

        n = size(masses, kind=int64)
        moving = c_null_ptr
        stride = 4_int64
        if (present(velocities)) then
            call must_fit(handle, "velocities, 1", size(velocities, 1, int64), "dim", &
                          known(handle, neargrid_mpi_counter_dim))
            call must_fit(handle, "velocities, 2", size(velocities, 2, int64), "size(masses)", n)
            moving = addresses_of(velocities)
            stride = stride_of(velocities)
        end if
        call take(handle, neargrid_mpi_groups_find_f32(handle, int(min_size, int64), n, &
                  address_of(masses), moving(1), moving(2), moving(3), stride, ngroups), found, &
                  stat, errmsg)
    end subroutine groups_f32

    subroutine groups_f64(handle, found, min_size, masses, velocities, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real64), intent(in), target, contiguous :: masses(:)
        real(real64), intent(in), target, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: moving(3)
        integer(int64) :: n, stride, ngroups

        n = size(masses, kind=int64)
        moving = c_null_ptr
        stride = 8_int64
        if (present(velocities)) then
            call must_fit(handle, "velocities, 1", size(velocities, 1, int64), "dim", &
                          known(handle, neargrid_mpi_counter_dim))
            call must_fit(handle, "velocities, 2", size(velocities, 2, int64), "size(masses)", n)
            moving = addresses_of(velocities)
            stride = stride_of(velocities)
        end if
        call take(handle, neargrid_mpi_groups_find_f64(handle, int(min_size, int64), n, &
                  address_of(masses), moving(1), moving(2), moving(3), stride, ngroups), found, &
                  stat, errmsg)
    end subroutine groups_f64

    ! Copies what was found, if `found_status` says that it was.
    subroutine take(handle, found_status, found, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: found_status
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(neargrid_mpi_groups) :: fresh
        type(c_ptr) :: at_labels, at_sizes, at_masses, at_centers, at_velocities, at_radii, at_wide
        integer(int64) :: g
        integer(c_int) :: status, dim
        integer :: unallocated

        status = found_status
        g = 0
        unallocated = 0
        if (status == 0) status = neargrid_mpi_groups_view_sizes(handle, g, at_labels, at_sizes)
        if (status == 0) status = neargrid_mpi_groups_view_sums(handle, g, dim, at_masses, &
                                  at_centers, at_velocities, at_radii, at_wide)
        if (status == 0) then
            allocate (fresh%labels(g), fresh%sizes(g), fresh%masses(g), fresh%centers(dim, g), &
                      fresh%radii(g), fresh%wide(g), stat=unallocated)
            if (unallocated == 0 .and. c_associated(at_velocities)) &
                allocate (fresh%velocities(dim, g), stat=unallocated)
        end if
        if (no_memory(unallocated, g, "groups", stat, errmsg)) return
        if (status == 0 .and. g > 0) then
            call copy_integers(at_labels, fresh%labels)
            call copy_integers(at_sizes, fresh%sizes)
            call copy_reals(at_masses, fresh%masses)
            call copy_reals(at_radii, fresh%radii)
            call copy_vectors(at_centers, fresh%centers)
            if (allocated(fresh%velocities)) call copy_vectors(at_velocities, fresh%velocities)
            call copy_flags(at_wide, fresh%wide)
        end if
        if (status == 0) call give(fresh, found)
        call report(handle, status, "groups", stat, errmsg)
    end subroutine take

    subroutine copy_integers(at, to)
        type(c_ptr), intent(in) :: at
        integer(int64), intent(inout) :: to(:)
        integer(int64), pointer :: from(:)

        call c_f_pointer(at, from, [size(to, kind=int64)])
        to(:) = from
    end subroutine copy_integers

    subroutine copy_reals(at, to)
        type(c_ptr), intent(in) :: at
        real(real64), intent(inout) :: to(:)
        real(real64), pointer :: from(:)

        call c_f_pointer(at, from, [size(to, kind=int64)])
        to(:) = from
    end subroutine copy_reals

    subroutine copy_vectors(at, to)
        type(c_ptr), intent(in) :: at
        real(real64), intent(inout) :: to(:, :)
        real(real64), pointer :: from(:, :)

        call c_f_pointer(at, from, shape(to, int64))
        to(:, :) = from
    end subroutine copy_vectors

    subroutine copy_flags(at, to)
        type(c_ptr), intent(in) :: at
        logical, intent(inout) :: to(:)
        integer(c_int), pointer :: from(:)

        call c_f_pointer(at, from, [size(to, kind=int64)])
        to(:) = from /= 0
    end subroutine copy_flags

    ! Moves all arrays.
    subroutine give(from, to)
        type(neargrid_mpi_groups), intent(inout) :: from, to

        call move_alloc(from%labels, to%labels)
        call move_alloc(from%sizes, to%sizes)
        call move_alloc(from%masses, to%masses)
        call move_alloc(from%centers, to%centers)
        call move_alloc(from%velocities, to%velocities)
        call move_alloc(from%radii, to%radii)
        call move_alloc(from%wide, to%wide)
    end subroutine give

end module neargrid_mpi_fof
