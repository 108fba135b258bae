!> The k nearest of each point or query, of both real kinds, on their way from C to Fortran arrays:
!> the body of `search%knn`.
!>
!> Programs use module `neargrid`; this one carries no name they need.
module neargrid_knn
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_loc, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid_c
    use neargrid_errors, only: no_memory, report_on
    implicit none (type, external)

    private
    public :: knn_view, knn_fit

    interface knn_view
        procedure :: view_f64, view_f32
    end interface knn_view

    interface knn_fit
        procedure :: fit_f64, fit_f32
    end interface knn_fit

    integer(c_int), target, save :: no_row(1) = 0       ! what views of no rows point at

contains

    subroutine view_f64(handle, k, ids, distances, squared, with_self, queries, counts, &
                        stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real64), pointer, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_distances, at_counts
        integer(int64) :: n
        integer(c_int) :: kind, measure, status

        call choose(squared, with_self, queries, kind, measure)
        status = neargrid_knn_view_f64(handle, kind, k, measure, n, at_ids, at_distances, &
                                       at_counts)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(no_row)
                at_distances = c_loc(no_row)
                at_counts = c_loc(no_row)
            end if
            call c_f_pointer(at_ids, ids, [int(k, int64), n])
            call c_f_pointer(at_distances, distances, [int(k, int64), n])
            if (present(counts)) call c_f_pointer(at_counts, counts, [n])
        end if
        call report_on(handle, status, "knn", stat, errmsg)
    end subroutine view_f64

    subroutine fit_f64(handle, k, ids, distances, squared, with_self, queries, counts, &
                       stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(c_int), allocatable, intent(inout) :: ids(:, :)
        real(real64), allocatable, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), allocatable, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: new_ids(:, :), new_counts(:)
        real(real64), allocatable :: new_distances(:, :)
        integer(int64) :: n
        integer(c_int) :: kind, measure, status
        integer :: unallocated

        call choose(squared, with_self, queries, kind, measure)
        status = neargrid_knn_rows(handle, kind, n)
        if (status == neargrid_status_ok) then
            ! what is no k is refused below
            allocate (new_ids(max(0_c_int, min(k, neargrid_knn_max)), n), &
                      new_distances(max(0_c_int, min(k, neargrid_knn_max)), n), new_counts(n), &
                      stat=unallocated)
            if (no_memory(unallocated, n*k, "knn", stat, errmsg)) return
            status = neargrid_knn_copy_f64(handle, kind, k, measure, n, new_ids, new_distances, &
                                           new_counts)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(new_ids, ids)
            call move_alloc(new_distances, distances)
            if (present(counts)) call move_alloc(new_counts, counts)
        end if
        call report_on(handle, status, "knn", stat, errmsg)
    end subroutine fit_f64

    subroutine view_f32(handle, k, ids, distances, squared, with_self, queries, counts, &
                        stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real32), pointer, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_distances, at_counts
        integer(int64) :: n
        integer(c_int) :: kind, measure, status

        call choose(squared, with_self, queries, kind, measure)
        status = neargrid_knn_view_f32(handle, kind, k, measure, n, at_ids, at_distances, &
                                       at_counts)
        if (status == neargrid_status_ok) then
            if (n == 0) then
                at_ids = c_loc(no_row)
                at_distances = c_loc(no_row)
                at_counts = c_loc(no_row)
            end if
            call c_f_pointer(at_ids, ids, [int(k, int64), n])
            call c_f_pointer(at_distances, distances, [int(k, int64), n])
            if (present(counts)) call c_f_pointer(at_counts, counts, [n])
        end if
        call report_on(handle, status, "knn", stat, errmsg)
    end subroutine view_f32

    subroutine fit_f32(handle, k, ids, distances, squared, with_self, queries, counts, &
                       stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(c_int), allocatable, intent(inout) :: ids(:, :)
        real(real32), allocatable, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), allocatable, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: new_ids(:, :), new_counts(:)
        real(real32), allocatable :: new_distances(:, :)
        integer(int64) :: n
        integer(c_int) :: kind, measure, status
        integer :: unallocated

        call choose(squared, with_self, queries, kind, measure)
        status = neargrid_knn_rows(handle, kind, n)
        if (status == neargrid_status_ok) then
            ! what is no k is refused below
            allocate (new_ids(max(0_c_int, min(k, neargrid_knn_max)), n), &
                      new_distances(max(0_c_int, min(k, neargrid_knn_max)), n), new_counts(n), &
                      stat=unallocated)
            if (no_memory(unallocated, n*k, "knn", stat, errmsg)) return
            status = neargrid_knn_copy_f32(handle, kind, k, measure, n, new_ids, new_distances, &
                                           new_counts)
        end if
        if (status == neargrid_status_ok) then
            call move_alloc(new_ids, ids)
            call move_alloc(new_distances, distances)
            if (present(counts)) call move_alloc(new_counts, counts)
        end if
        call report_on(handle, status, "knn", stat, errmsg)
    end subroutine fit_f32

    ! Which rows are asked for, and what they say.
    subroutine choose(squared, with_self, queries, kind, measure)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), intent(out) :: kind, measure

        kind = neargrid_knn_others
        if (present(with_self)) kind = merge(neargrid_knn_all, kind, with_self)
        if (present(queries)) kind = merge(neargrid_knn_queries, kind, queries)
        measure = neargrid_knn_distance
        if (present(squared)) measure = merge(neargrid_knn_square, measure, squared)
    end subroutine choose

end module neargrid_knn
