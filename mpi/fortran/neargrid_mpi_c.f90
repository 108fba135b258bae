! Made from the C header by scripts/c_header.py: `make fortran`.
!> The C functions of libneargrid_mpi: one `bind(c)` declaration per C function, under its C name.
!>
!> Programs use module `neargrid_mpi`. The header says all that each function does and returns.
module neargrid_mpi_c
    use, intrinsic :: iso_c_binding, only: &
        c_char, c_double, c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
    implicit none (type, external)
    public
    private :: c_char, c_double, c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t

    !> The ABI version that this header describes. Pass it to neargrid_mpi_search_create.
    integer(c_int), parameter :: neargrid_mpi_abi = 1

    !> Each pair is on one rank only: the rank of the point with the smaller global id, which is its
    !> left point.
    integer(c_int), parameter :: neargrid_mpi_sides_once = 0
    !> A pair of points of two ranks is on both ranks, each with its own point as the left one.
    integer(c_int), parameter :: neargrid_mpi_sides_both = 1

    !> Points of this rank.
    integer(c_int), parameter :: neargrid_mpi_counter_owned = 0
    !> Ghosts on this rank: points of other ranks that the plan brought here.
    integer(c_int), parameter :: neargrid_mpi_counter_ghosts = 1
    !> Other ranks with points where some of this rank's points may reach them.
    integer(c_int), parameter :: neargrid_mpi_counter_near_ranks = 2
    !> Plans made since the handle was created.
    integer(c_int), parameter :: neargrid_mpi_counter_plans = 3
    !> Messages that this rank sent for the last plan.
    integer(c_int), parameter :: neargrid_mpi_counter_plan_messages = 4
    !> Bytes that this rank sent for the last plan.
    integer(c_int), parameter :: neargrid_mpi_counter_plan_bytes = 5
    !> Messages that this rank sent in the last halo exchange or halo sum.
    integer(c_int), parameter :: neargrid_mpi_counter_halo_messages = 6
    !> Bytes that this rank sent in the last halo exchange or halo sum.
    integer(c_int), parameter :: neargrid_mpi_counter_halo_bytes = 7
    !> Points of this rank that are ghosts on other ranks, counted once for each such rank.
    integer(c_int), parameter :: neargrid_mpi_counter_sent = 8
    !> Backend of the last search on this rank, one of neargrid_backend_*.
    integer(c_int), parameter :: neargrid_mpi_counter_backend = 9
    !> Dimension of the points set; 0 if none are set.
    integer(c_int), parameter :: neargrid_mpi_counter_dim = 10
    !> Points of other ranks that the last query for k nearest brought here.
    integer(c_int), parameter :: neargrid_mpi_counter_knn_ghosts = 11
    !> Points that this rank sent to other ranks in the last query for k nearest, counted once for
    !> each such rank.
    integer(c_int), parameter :: neargrid_mpi_counter_knn_questions = 12
    !> Messages that this rank sent in the last query for k nearest.
    integer(c_int), parameter :: neargrid_mpi_counter_knn_messages = 13
    !> Bytes that this rank sent in the last query for k nearest.
    integer(c_int), parameter :: neargrid_mpi_counter_knn_bytes = 14
    !> Rounds in which ranks exchanged labels in the last search for groups.
    integer(c_int), parameter :: neargrid_mpi_counter_fof_rounds = 15
    !> Messages that this rank sent in the last search for groups.
    integer(c_int), parameter :: neargrid_mpi_counter_fof_messages = 16
    !> Bytes that this rank sent in the last search for groups.
    integer(c_int), parameter :: neargrid_mpi_counter_fof_bytes = 17
    !> Points of this rank before the planned migration; 0 if none is planned.
    integer(c_int), parameter :: neargrid_mpi_counter_migration_before = 18
    !> Points of this rank after the planned migration; 0 if none is planned.
    integer(c_int), parameter :: neargrid_mpi_counter_migration_after = 19
    !> Messages that this rank sent in the last call that planned a migration or moved a field.
    integer(c_int), parameter :: neargrid_mpi_counter_migration_messages = 20
    !> Bytes that this rank sent in the last call that planned a migration or moved a field.
    integer(c_int), parameter :: neargrid_mpi_counter_migration_bytes = 21

    !> An MPI call failed. Ranks may be waiting for each other; the handle can only be destroyed.
    integer(c_int), parameter :: neargrid_mpi_status_communication = 150
    !> Ranks passed different values where all must pass the same, or called different functions.
    integer(c_int), parameter :: neargrid_mpi_status_disagreement = 151

    interface

        !> Returns the name of a status of this header or of neargrid.h, or "unknown status" for any
        !> other number. The string is static; do not free it. Any thread may call this at any time.
        function neargrid_mpi_status_name(status) &
            bind(c, name="neargrid_mpi_status_name") result(text)
            import :: c_int, c_ptr
            integer(c_int), intent(in), value :: status
            type(c_ptr) :: text
        end function neargrid_mpi_status_name

        !> Copies the text of the calling thread's last failed call to this library. The text names
        !> the rank, the argument, its value and what is allowed. A later success does not clear it.
        !> Not collective.
        function neargrid_mpi_last_error(buffer, capacity, length) &
            bind(c, name="neargrid_mpi_last_error") result(status)
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(inout), optional :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout), optional :: length
            integer(c_int) :: status
        end function neargrid_mpi_last_error

        !> Finds friends-of-friends groups over all ranks and returns the labels of this rank's
        !> points as a view. Groups are defined as in neargrid_fof_copy, and may extend over any
        !> number of ranks. The label of a group is the smallest global id of its points. A repeated
        !> call does not repeat the search. Collective.
        function neargrid_mpi_fof_view(search, n, labels, ngroups) &
            bind(c, name="neargrid_mpi_fof_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: labels
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_fof_view

        !> Copies the labels of this rank's points into the caller's array, with the contents of
        !> neargrid_mpi_fof_view. Collective.
        function neargrid_mpi_fof_copy(search, n, labels, ngroups) &
            bind(c, name="neargrid_mpi_fof_copy") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(inout), optional :: labels(*)
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_fof_copy

        !> Builds the catalogue of groups that have at least `min_size` points over all ranks.
        !> neargrid_mpi_groups_view_sizes and neargrid_mpi_groups_view_sums return it. Each point
        !> has mass 1 and no velocity. Each group is in the catalogue of one rank: the owner of the
        !> point that its label names. Collective.
        function neargrid_mpi_groups_find(search, min_size, ngroups) &
            bind(c, name="neargrid_mpi_groups_find") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_groups_find

        !> As neargrid_mpi_groups_find, with masses and velocities in real64, which must be the
        !> precision of the points. Masses are given on all ranks that have points or on none, and
        !> so are velocities. Collective.
        function neargrid_mpi_groups_find_f64(search, min_size, n, masses, vx, vy, vz, stride, &
            ngroups) &
            bind(c, name="neargrid_mpi_groups_find_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size, n
            type(c_ptr), intent(in), value :: masses, vx, vy, vz
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_groups_find_f64

        !> As neargrid_mpi_groups_find_f64, in real32.
        function neargrid_mpi_groups_find_f32(search, min_size, n, masses, vx, vy, vz, stride, &
            ngroups) &
            bind(c, name="neargrid_mpi_groups_find_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size, n
            type(c_ptr), intent(in), value :: masses, vx, vy, vz
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_groups_find_f32

        !> Returns the groups found last that are in this rank's catalogue, as a view. They are
        !> ordered by size, the largest first, and groups of equal size by label. The members of a
        !> group are the points with its label (neargrid_mpi_fof_view). Not collective.
        function neargrid_mpi_groups_view_sizes(search, ngroups, labels, sizes) &
            bind(c, name="neargrid_mpi_groups_view_sizes") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            type(c_ptr), intent(inout) :: labels, sizes
            integer(c_int) :: status
        end function neargrid_mpi_groups_view_sizes

        !> Returns sums over the members, on all ranks, of the groups in this rank's catalogue, as a
        !> view in the order of neargrid_mpi_groups_view_sizes. The sums have the same bits as those
        !> of neargrid_groups_view_sums, for any distribution of the points over ranks. Not
        !> collective.
        function neargrid_mpi_groups_view_sums(search, ngroups, dim, masses, centers, velocities, &
            radii, wide) &
            bind(c, name="neargrid_mpi_groups_view_sums") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int32_t), intent(inout) :: dim
            type(c_ptr), intent(inout) :: masses, centers, velocities, radii, wide
            integer(c_int) :: status
        end function neargrid_mpi_groups_view_sums

        !> Sends a field of this rank's points to their ghosts on other ranks, and receives the
        !> field of this rank's own ghosts, using the plan of the last query. Each rank sends one
        !> message to each rank that has ghosts of its points. Collective.
        function neargrid_mpi_halo_exchange(search, element_bytes, owned, ghosts) &
            bind(c, name="neargrid_mpi_halo_exchange") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: owned, ghosts
            integer(c_int) :: status
        end function neargrid_mpi_halo_exchange

        !> Starts a halo exchange and returns while it is in progress. `owned` may be changed or
        !> freed after the call, and the program may compute what needs no ghosts. Until
        !> neargrid_mpi_halo_finish, call nothing else with the handle except
        !> neargrid_mpi_search_counter. Collective.
        function neargrid_mpi_halo_begin(search, element_bytes, owned) &
            bind(c, name="neargrid_mpi_halo_begin") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_begin

        !> Waits for the halo exchange in progress and writes the received field. Collective.
        function neargrid_mpi_halo_finish(search, ghosts) &
            bind(c, name="neargrid_mpi_halo_finish") result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: search, ghosts
            integer(c_int) :: status
        end function neargrid_mpi_halo_finish

        !> Adds numbers collected on ghosts, in real64, to the points on the ranks that own them. If
        !> a point is a ghost on several ranks, their contributions are added in the order of the
        !> ranks, so that the sum is the same in every run. Collective.
        function neargrid_mpi_halo_sum_f64(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_f64

        !> As neargrid_mpi_halo_sum_f64, in real32.
        function neargrid_mpi_halo_sum_f32(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_f32

        !> As neargrid_mpi_halo_sum_f64, in int32. Sums wrap around on overflow.
        function neargrid_mpi_halo_sum_i32(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_i32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_i32

        !> As neargrid_mpi_halo_sum_f64, in int64. Sums wrap around on overflow.
        function neargrid_mpi_halo_sum_i64(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_i64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_i64

        !> Returns the k nearest points of each of this rank's points, among the points of all
        !> ranks, as a view, for points in real64. Row i is `ids[i * k]` to `ids[i * k + k - 1]`,
        !> ordered by squared distance and then by global id. The rows of all ranks together are
        !> those of neargrid_knn_view_f64 for all points. No cutoff is needed. Collective.
        function neargrid_mpi_knn_view_f64(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_mpi_knn_view_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_mpi_knn_view_f64

        !> As neargrid_mpi_knn_view_f64, for points in real32.
        function neargrid_mpi_knn_view_f32(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_mpi_knn_view_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_mpi_knn_view_f32

        !> Copies the k nearest points of this rank's points into the caller's arrays, with the
        !> contents of neargrid_mpi_knn_view_f64. Collective.
        function neargrid_mpi_knn_copy_f64(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_mpi_knn_copy_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(inout), optional :: ids(*)
            real(c_double), intent(inout), optional :: distances(*)
            integer(c_int32_t), intent(inout), optional :: counts(*)
            integer(c_int) :: status
        end function neargrid_mpi_knn_copy_f64

        !> As neargrid_mpi_knn_copy_f64, for points in real32.
        function neargrid_mpi_knn_copy_f32(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_mpi_knn_copy_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(inout), optional :: ids(*)
            real(c_float), intent(inout), optional :: distances(*)
            integer(c_int32_t), intent(inout), optional :: counts(*)
            integer(c_int) :: status
        end function neargrid_mpi_knn_copy_f32

        !> Returns the ghosts of the last query for k nearest as a view, for points in real64: all
        !> points of other ranks that appear in its rows, and possibly more. Ghost g (from 0) has
        !> point number n_owned + g plus the index base. Ghosts are ordered by the rank that owns
        !> them, then by their point numbers there. Halo exchanges do not include them. Collective.
        function neargrid_mpi_knn_ghosts_view_f64(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_knn_ghosts_view_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_knn_ghosts_view_f64

        !> As neargrid_mpi_knn_ghosts_view_f64, for points in real32.
        function neargrid_mpi_knn_ghosts_view_f32(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_knn_ghosts_view_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_knn_ghosts_view_f32

        !> Plans a migration of points that gives each rank the same number of points, or one more,
        !> close to each other in space. The points of all ranks are ordered along a Hilbert curve
        !> through a cube around them, and the curve is cut into equal parts. Points at the same
        !> place on the curve are ordered by global id. So with ids, the result does not depend on
        !> the present distribution of the points; without ids it does. The call moves nothing and
        !> does not change the points of the search (neargrid_mpi_search_set_points_f64).
        !> Collective.
        function neargrid_mpi_migration_plan_f64(search, dim, n, x, y, z, stride, ids, n_after) &
            bind(c, name="neargrid_mpi_migration_plan_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int64_t), intent(inout) :: n_after
            integer(c_int) :: status
        end function neargrid_mpi_migration_plan_f64

        !> As neargrid_mpi_migration_plan_f64, in real32.
        function neargrid_mpi_migration_plan_f32(search, dim, n, x, y, z, stride, ids, n_after) &
            bind(c, name="neargrid_mpi_migration_plan_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int64_t), intent(inout) :: n_after
            integer(c_int) :: status
        end function neargrid_mpi_migration_plan_f32

        !> Moves a field of the points as planned by neargrid_mpi_migration_plan_f64: coordinates,
        !> global ids or anything else. Call it once for each field, or once for an array of
        !> structures. The plan remains and serves any number of fields. Each rank sends one message
        !> to each rank that receives some of its points. Collective.
        function neargrid_mpi_migrate(search, element_bytes, before, after) &
            bind(c, name="neargrid_mpi_migrate") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: before, after
            integer(c_int) :: status
        end function neargrid_mpi_migrate

        !> Returns the pairs of this rank as a view. Points are numbered from the index base: first
        !> this rank's own points, in the order in which they were set, then its ghosts
        !> (neargrid_mpi_ghosts_view_f64). The first query after points or settings change makes the
        !> plan: which ranks are near each other, and which points are ghosts on which ranks.
        !> Collective.
        function neargrid_mpi_pairs_view(search, sides, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_mpi_pairs_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: sides
            integer(c_int64_t), intent(inout) :: npairs
            type(c_ptr), intent(inout) :: pair_i, pair_j
            integer(c_int) :: status
        end function neargrid_mpi_pairs_view

        !> Copies the pairs of this rank into the caller's arrays, with the contents of
        !> neargrid_mpi_pairs_view. Collective.
        function neargrid_mpi_pairs_copy(search, sides, capacity, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_mpi_pairs_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: sides
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int32_t), intent(inout), optional :: pair_i(*), pair_j(*)
            integer(c_int) :: status
        end function neargrid_mpi_pairs_copy

        !> Returns the rows of this rank's points as a view. In index base b, the row of point i is
        !> `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`, ordered by global id, with points
        !> numbered as in neargrid_mpi_pairs_view. Collective.
        function neargrid_mpi_neighbors_view(search, kind, n, total, offsets, ids) &
            bind(c, name="neargrid_mpi_neighbors_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_mpi_neighbors_view

        !> Copies the rows of this rank's points into the caller's arrays, with the contents of
        !> neargrid_mpi_neighbors_view. Collective.
        function neargrid_mpi_neighbors_copy(search, kind, capacity, total, offsets, ids) &
            bind(c, name="neargrid_mpi_neighbors_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout) :: total, offsets(*)
            integer(c_int32_t), intent(inout), optional :: ids(*)
            integer(c_int) :: status
        end function neargrid_mpi_neighbors_copy

        !> Returns the ghosts of this rank as a view, for points in real64. Ghost k (from 0) has
        !> point number n_owned + k plus the index base, where n_owned is the number of this rank's
        !> points. Ghosts are ordered by the rank that owns them, first the ranks after this one and
        !> then those before it, and by their point numbers there. Collective.
        function neargrid_mpi_ghosts_view_f64(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_ghosts_view_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_ghosts_view_f64

        !> As neargrid_mpi_ghosts_view_f64, for points in real32.
        function neargrid_mpi_ghosts_view_f32(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_ghosts_view_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_ghosts_view_f32

        !> Returns the ABI version of the library at run time. Any thread may call this at any time.
        function neargrid_mpi_abi_version() bind(c, name="neargrid_mpi_abi_version") result(answer)
            import :: c_int32_t
            integer(c_int32_t) :: answer
        end function neargrid_mpi_abi_version

        !> Returns the version of the library as "major.minor.patch". The string is static; do not
        !> free it. Any thread may call this at any time.
        function neargrid_mpi_version() bind(c, name="neargrid_mpi_version") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function neargrid_mpi_version

        !> Creates a search on all ranks of a communicator, with default settings and without
        !> points. Collective. C programs call neargrid_mpi_search_create, which takes an MPI_Comm.
        function neargrid_mpi_search_create_f(abi_version, comm, search) &
            bind(c, name="neargrid_mpi_search_create_f") result(status)
            import :: c_int, c_int32_t, c_ptr
            integer(c_int32_t), intent(in), value :: abi_version, comm
            type(c_ptr), intent(inout) :: search
            integer(c_int) :: status
        end function neargrid_mpi_search_create_f

        !> Frees a handle and everything it holds, including its views. Collective. Call it before
        !> MPI_Finalize; after that, only MPI can clean up the duplicated communicator. It waits for
        !> a halo exchange that is in progress. Does nothing if `search` is NULL. If another thread
        !> is inside a call on the handle, that call frees the handle when it ends. No other call
        !> may use the handle afterwards.
        subroutine neargrid_mpi_search_destroy(search) bind(c, name="neargrid_mpi_search_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: search
        end subroutine neargrid_mpi_search_destroy

        !> Sets the cutoff, as neargrid_search_set_cutoff does. Like all settings it is not
        !> collective, but the next query fails if ranks have different values (DISAGREEMENT). Only
        !> the number of threads, the backend and the device may differ between ranks.
        function neargrid_mpi_search_set_cutoff(search, cutoff) &
            bind(c, name="neargrid_mpi_search_set_cutoff") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: cutoff
            integer(c_int) :: status
        end function neargrid_mpi_search_set_cutoff

        !> Sets whether two points exactly one cutoff apart are a pair, as
        !> neargrid_search_set_tie_rule does.
        function neargrid_mpi_search_set_tie_rule(search, rule) &
            bind(c, name="neargrid_mpi_search_set_tie_rule") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_mpi_search_set_tie_rule

        !> Sets the index base, 0 (default) or 1, as neargrid_search_set_index_base does. Global ids
        !> that the library assigns also start there. Set it before the points.
        function neargrid_mpi_search_set_index_base(search, base) &
            bind(c, name="neargrid_mpi_search_set_index_base") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: base
            integer(c_int) :: status
        end function neargrid_mpi_search_set_index_base

        !> Sets the number of threads of a query on this rank, as neargrid_search_set_threads does.
        function neargrid_mpi_search_set_threads(search, threads) &
            bind(c, name="neargrid_mpi_search_set_threads") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: threads
            integer(c_int) :: status
        end function neargrid_mpi_search_set_threads

        !> Sets the backend that runs queries on this rank, as neargrid_search_set_backend does.
        !> With NEARGRID_BACKEND_AUTO, the default, a rank without a GPU uses the CPU.
        function neargrid_mpi_search_set_backend(search, backend) &
            bind(c, name="neargrid_mpi_search_set_backend") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: backend
            integer(c_int) :: status
        end function neargrid_mpi_search_set_backend

        !> Selects the GPU that this rank uses. The environment variable NEARGRID_DEVICE overrides
        !> this setting.
        function neargrid_mpi_search_set_device(search, choice, number) &
            bind(c, name="neargrid_mpi_search_set_device") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: choice, number
            integer(c_int) :: status
        end function neargrid_mpi_search_set_device

        !> Sets an axis-aligned box, as neargrid_search_set_box does; the same on all ranks. Unlike
        !> there, the points remain set.
        function neargrid_mpi_search_set_box(search, dim, lo, length, periodic) &
            bind(c, name="neargrid_mpi_search_set_box") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            real(c_double), intent(in) :: lo(*), length(*)
            integer(c_int32_t), intent(in) :: periodic(*)
            integer(c_int) :: status
        end function neargrid_mpi_search_set_box

        !> Makes this rank, and with it all ranks, fail in the next collective call on the handle.
        !> Bindings to other languages use it to report errors that C cannot see, such as arrays of
        !> the wrong size. If it is called several times before one collective call, the first call
        !> counts. Not collective.
        function neargrid_mpi_search_refuse(search, number, text) &
            bind(c, name="neargrid_mpi_search_refuse") result(status)
            import :: c_char, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int), intent(in), value :: number
            character(kind=c_char), intent(in) :: text(*)
            integer(c_int) :: status
        end function neargrid_mpi_search_refuse

        !> Sets the points of this rank, in real64, and their global ids. Points may be distributed
        !> over the ranks in any way, and a rank may have none. The handle keeps a copy. Collective.
        function neargrid_mpi_search_set_points_f64(search, dim, n, x, y, z, stride, ids) &
            bind(c, name="neargrid_mpi_search_set_points_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int) :: status
        end function neargrid_mpi_search_set_points_f64

        !> As neargrid_mpi_search_set_points_f64, in real32.
        function neargrid_mpi_search_set_points_f32(search, dim, n, x, y, z, stride, ids) &
            bind(c, name="neargrid_mpi_search_set_points_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int) :: status
        end function neargrid_mpi_search_set_points_f32

        !> Reads a counter of this rank. Counters of a plan are 0 if there is no plan for the
        !> current points and settings. Not collective.
        function neargrid_mpi_search_counter(search, counter, value) &
            bind(c, name="neargrid_mpi_search_counter") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: counter
            integer(c_int64_t), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_mpi_search_counter

        !> Sets a skin, for points that move little from step to step. Plans and lists are then
        !> built for cutoff plus skin, and neargrid_mpi_search_update_f64 keeps them while no point
        !> of any rank has moved by more than half the skin. Results are exact for the current
        !> points. Like all settings it is not collective, but the next query fails if ranks have
        !> different values (DISAGREEMENT).
        function neargrid_mpi_search_set_skin(search, skin) &
            bind(c, name="neargrid_mpi_search_set_skin") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: skin
            integer(c_int) :: status
        end function neargrid_mpi_search_set_skin

        !> Sets this rank's points of the next time step, in real64. It works as
        !> neargrid_mpi_search_set_points_f64, but keeps plan, ghosts and list if no point of any
        !> rank has moved too far since the plan was made. In this case each rank sends the new
        !> positions of the ghosts in one message to each rank that has some. Plan and list are
        !> discarded if, on any rank, the number, dimension, precision or ids of the points changed,
        !> or a setting. Without a skin, or before the first query, this is the same as
        !> neargrid_mpi_search_set_points_f64. Collective.
        function neargrid_mpi_search_update_f64(search, dim, n, x, y, z, stride, ids, rebuilt) &
            bind(c, name="neargrid_mpi_search_update_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_mpi_search_update_f64

        !> As neargrid_mpi_search_update_f64, in real32.
        function neargrid_mpi_search_update_f32(search, dim, n, x, y, z, stride, ids, rebuilt) &
            bind(c, name="neargrid_mpi_search_update_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_mpi_search_update_f32

        !> Reports how much of the skin the last neargrid_mpi_search_update_f64 used. Not
        !> collective, but the same on all ranks.
        function neargrid_mpi_search_skin_used(search, share) &
            bind(c, name="neargrid_mpi_search_skin_used") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(inout) :: share
            integer(c_int) :: status
        end function neargrid_mpi_search_skin_used

    end interface

end module neargrid_mpi_c
