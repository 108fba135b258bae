! Made from neargrid_mpi_knn.fypp: change that file, then `make fortran`.
!> The k nearest over all ranks, and ghosts, of both real kinds: the bodies of `search%knn`,
!> `search%knn_ghosts` and `search%ghosts`.
!>
!> Programs use module `neargrid_mpi`; this module has no name that they need.
module neargrid_mpi_knn
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t, c_loc, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid_c, only: neargrid_measure_distance, neargrid_knn_others
    use neargrid_mpi_c
    use neargrid_mpi_fields, only: known, report
    implicit none (type, external)

    private
    public :: knn_view, ghosts_view, knn_ghosts_view

    interface knn_view
        procedure :: view_f32, view_f64
    end interface knn_view

    interface ghosts_view
        procedure :: ghosts_view_f32, ghosts_view_f64
    end interface ghosts_view

    interface knn_ghosts_view
        procedure :: knn_ghosts_view_f32, knn_ghosts_view_f64
    end interface knn_ghosts_view

    integer(c_int64_t), target, save :: nothing(1) = 0      ! what empty views point at

contains

    subroutine view_f32(handle, k, ids, distances, kind, measure, counts, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real32), pointer, intent(inout) :: distances(:, :)
        integer(c_int), intent(in), optional :: kind, measure
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_distances, at_counts
        integer(int64) :: n
        integer(c_int) :: rows, of, status

        rows = neargrid_knn_others
        if (present(kind)) rows = kind
        of = neargrid_measure_distance
        if (present(measure)) of = measure
        status = neargrid_mpi_knn_view_f32(handle, rows, k, of, n, at_ids, &
                                           at_distances, at_counts)
        if (status == 0) then
            if (n == 0) then
                at_ids = c_loc(nothing)
                at_distances = c_loc(nothing)
                at_counts = c_loc(nothing)
            end if
            call c_f_pointer(at_ids, ids, [int(k, int64), n])
            call c_f_pointer(at_distances, distances, [int(k, int64), n])
            if (present(counts)) call c_f_pointer(at_counts, counts, [n])
        end if
        call report(handle, status, "knn", stat, errmsg)
    end subroutine view_f32

    subroutine ghosts_view_f32(handle, ids, ranks, pos, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real32), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_ranks, at_pos
        integer(int64) :: n
        integer(c_int) :: status

        status = neargrid_mpi_ghosts_view_f32(handle, n, at_ids, at_ranks, at_pos)
        if (status == 0) then
            if (n == 0) then
                at_ids = c_loc(nothing)
                at_ranks = c_loc(nothing)
                at_pos = c_loc(nothing)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_pos, pos, [known(handle, neargrid_mpi_counter_dim), n])
        end if
        call report(handle, status, "ghosts", stat, errmsg)
    end subroutine ghosts_view_f32

    subroutine knn_ghosts_view_f32(handle, ids, ranks, pos, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real32), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_ranks, at_pos
        integer(int64) :: n
        integer(c_int) :: status

        status = neargrid_mpi_knn_ghosts_view_f32(handle, n, at_ids, at_ranks, at_pos)
        if (status == 0) then
            if (n == 0) then
                at_ids = c_loc(nothing)
                at_ranks = c_loc(nothing)
                at_pos = c_loc(nothing)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_pos, pos, [known(handle, neargrid_mpi_counter_dim), n])
        end if
        call report(handle, status, "knn_ghosts", stat, errmsg)
    end subroutine knn_ghosts_view_f32

    subroutine view_f64(handle, k, ids, distances, kind, measure, counts, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real64), pointer, intent(inout) :: distances(:, :)
        integer(c_int), intent(in), optional :: kind, measure
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_distances, at_counts
        integer(int64) :: n
        integer(c_int) :: rows, of, status

        rows = neargrid_knn_others
        if (present(kind)) rows = kind
        of = neargrid_measure_distance
        if (present(measure)) of = measure
        status = neargrid_mpi_knn_view_f64(handle, rows, k, of, n, at_ids, &
                                           at_distances, at_counts)
        if (status == 0) then
            if (n == 0) then
                at_ids = c_loc(nothing)
                at_distances = c_loc(nothing)
                at_counts = c_loc(nothing)
            end if
            call c_f_pointer(at_ids, ids, [int(k, int64), n])
            call c_f_pointer(at_distances, distances, [int(k, int64), n])
            if (present(counts)) call c_f_pointer(at_counts, counts, [n])
        end if
        call report(handle, status, "knn", stat, errmsg)
    end subroutine view_f64

    subroutine ghosts_view_f64(handle, ids, ranks, pos, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real64), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_ranks, at_pos
        integer(int64) :: n
        integer(c_int) :: status

        status = neargrid_mpi_ghosts_view_f64(handle, n, at_ids, at_ranks, at_pos)
        if (status == 0) then
            if (n == 0) then
                at_ids = c_loc(nothing)
                at_ranks = c_loc(nothing)
                at_pos = c_loc(nothing)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_pos, pos, [known(handle, neargrid_mpi_counter_dim), n])
        end if
        call report(handle, status, "ghosts", stat, errmsg)
    end subroutine ghosts_view_f64

    subroutine knn_ghosts_view_f64(handle, ids, ranks, pos, stat, errmsg)
        type(c_ptr), intent(in) :: handle
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real64), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_ids, at_ranks, at_pos
        integer(int64) :: n
        integer(c_int) :: status

        status = neargrid_mpi_knn_ghosts_view_f64(handle, n, at_ids, at_ranks, at_pos)
        if (status == 0) then
            if (n == 0) then
                at_ids = c_loc(nothing)
                at_ranks = c_loc(nothing)
                at_pos = c_loc(nothing)
            end if
            call c_f_pointer(at_ids, ids, [n])
            call c_f_pointer(at_ranks, ranks, [n])
            call c_f_pointer(at_pos, pos, [known(handle, neargrid_mpi_counter_dim), n])
        end if
        call report(handle, status, "knn_ghosts", stat, errmsg)
    end subroutine knn_ghosts_view_f64

end module neargrid_mpi_knn
