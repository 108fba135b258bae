! Made from neargrid_c.fypp: change that file, then `make fortran`.
!> Raw interfaces to the C library: one `bind(c)` declaration per C function, under its C name.
!>
!> Programs use module `neargrid`. `neargrid.h` says what each function does, and has its rules for
!> ownership and threads. `celllist_m.F90` declares the functions of the drop-in `cellList`: that
!> file needs no other.
module neargrid_c
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_int, c_int32_t, &
        c_int64_t, c_ptr, c_size_t
    implicit none (type, external)
    public
    private :: c_char, c_double, c_float, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t

    !> The ABI these interfaces were written for; `neargrid_search_create` compares it.
    integer(c_int), parameter :: neargrid_abi = 1

    !> Statuses (`neargrid_status` in C). Numbers are never reused.
    integer(c_int), parameter :: neargrid_status_ok = 0
    integer(c_int), parameter :: neargrid_status_null_pointer = 1
    integer(c_int), parameter :: neargrid_status_bad_dim = 2
    integer(c_int), parameter :: neargrid_status_bad_count = 3
    integer(c_int), parameter :: neargrid_status_bad_cutoff = 4
    integer(c_int), parameter :: neargrid_status_non_finite = 5
    integer(c_int), parameter :: neargrid_status_bad_value = 6
    integer(c_int), parameter :: neargrid_status_bad_state = 7
    integer(c_int), parameter :: neargrid_status_capacity = 8
    integer(c_int), parameter :: neargrid_status_bad_environment = 9
    integer(c_int), parameter :: neargrid_status_bad_domain = 10
    integer(c_int), parameter :: neargrid_status_bad_radius = 11
    integer(c_int), parameter :: neargrid_status_busy = 12
    integer(c_int), parameter :: neargrid_status_not_supported = 50
    integer(c_int), parameter :: neargrid_status_out_of_memory = 100
    integer(c_int), parameter :: neargrid_status_too_many_pairs = 101
    integer(c_int), parameter :: neargrid_status_no_device = 102
    integer(c_int), parameter :: neargrid_status_device_lost = 103
    integer(c_int), parameter :: neargrid_status_threads = 104
    integer(c_int), parameter :: neargrid_status_memory_limit = 105
    integer(c_int), parameter :: neargrid_status_abi_mismatch = 254
    integer(c_int), parameter :: neargrid_status_internal = 255

    !> Tie rules: whether two points exactly at the cutoff are a pair.
    integer(c_int), parameter :: neargrid_inclusive = 0
    integer(c_int), parameter :: neargrid_exclusive = 1

    !> Backends.
    integer(c_int), parameter :: neargrid_backend_auto = 0
    integer(c_int), parameter :: neargrid_backend_cpu = 1
    integer(c_int), parameter :: neargrid_backend_gpu = 2

    !> The best GPU.
    integer(c_int), parameter :: neargrid_device_auto = -1

    !> The number of active points that means all of them.
    integer(c_int), parameter :: neargrid_all_active = -1

    !> Which pairs of an active point and a ghost are in half lists.
    integer(c_int), parameter :: neargrid_ghost_pairs_all = 0
    integer(c_int), parameter :: neargrid_ghost_pairs_larger_ids = 1

    !> Which cutoff two points with radii of their own have.
    integer(c_int), parameter :: neargrid_radius_gather = 0
    integer(c_int), parameter :: neargrid_radius_scatter = 1
    integer(c_int), parameter :: neargrid_radius_max = 2
    integer(c_int), parameter :: neargrid_radius_min = 3
    integer(c_int), parameter :: neargrid_radius_mean = 4

    !> What rows list: the neighbors after their point, all neighbors, or those of queries.
    integer(c_int), parameter :: neargrid_neighbors_half = 0
    integer(c_int), parameter :: neargrid_neighbors_full = 1
    integer(c_int), parameter :: neargrid_neighbors_queries = 2

    !> Whose k nearest: those of each active point without or with itself, or those of each query.
    !> What of the distances. The largest k.
    integer(c_int), parameter :: neargrid_knn_others = 0
    integer(c_int), parameter :: neargrid_knn_all = 1
    integer(c_int), parameter :: neargrid_knn_queries = 2
    integer(c_int), parameter :: neargrid_knn_distance = 0
    integer(c_int), parameter :: neargrid_knn_square = 1
    integer(c_int), parameter :: neargrid_knn_radius = 2
    integer(c_int), parameter :: neargrid_knn_max = 1024

    !> In which precision a formula is evaluated, and what a table of it is called with.
    integer(c_int), parameter :: neargrid_precision_single = 0
    integer(c_int), parameter :: neargrid_precision_double = 1
    integer(c_int), parameter :: neargrid_table_r = 0
    integer(c_int), parameter :: neargrid_table_r2 = 1

    !> The words of an exact sum.
    integer(c_int), parameter :: neargrid_sum_words = 136

    !> Counters of the last query.
    integer(c_int), parameter :: neargrid_counter_points = 0
    integer(c_int), parameter :: neargrid_counter_entries = 1
    integer(c_int), parameter :: neargrid_counter_index_builds = 2
    integer(c_int), parameter :: neargrid_counter_counts = 3
    integer(c_int), parameter :: neargrid_counter_fills = 4
    integer(c_int), parameter :: neargrid_counter_threads = 5
    integer(c_int), parameter :: neargrid_counter_cells = 6
    integer(c_int), parameter :: neargrid_counter_bytes_held = 7
    integer(c_int), parameter :: neargrid_counter_backend = 8
    integer(c_int), parameter :: neargrid_counter_device_bytes = 9
    integer(c_int), parameter :: neargrid_counter_device_allocations = 10
    integer(c_int), parameter :: neargrid_counter_dim = 11
    integer(c_int), parameter :: neargrid_counter_skin_lists = 12
    integer(c_int), parameter :: neargrid_counter_queries = 13
    integer(c_int), parameter :: neargrid_counter_distance_tests = 14

    !> Timed phases of the last query.
    integer(c_int), parameter :: neargrid_phase_upload = 0
    integer(c_int), parameter :: neargrid_phase_index = 1
    integer(c_int), parameter :: neargrid_phase_count = 2
    integer(c_int), parameter :: neargrid_phase_fill = 3
    integer(c_int), parameter :: neargrid_phase_download = 4
    integer(c_int), parameter :: neargrid_phase_total = 5

    interface

        ! --- library ---

        function neargrid_abi_version() bind(c, name="neargrid_abi_version") result(version)
            import :: c_int32_t
            integer(c_int32_t) :: version
        end function neargrid_abi_version

        function neargrid_version() bind(c, name="neargrid_version") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function neargrid_version

        function neargrid_status_name(status) bind(c, name="neargrid_status_name") result(text)
            import :: c_int, c_ptr
            integer(c_int), intent(in), value :: status
            type(c_ptr) :: text
        end function neargrid_status_name

        function neargrid_last_error(buffer, capacity, length) &
            bind(c, name="neargrid_last_error") result(status)
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout) :: length
            integer(c_int) :: status
        end function neargrid_last_error

        !> Frees what the drop-in `cellList` holds for the calling thread.
        subroutine neargrid_celllist_release() bind(c, name="neargrid_celllist_release")
        end subroutine neargrid_celllist_release

        ! --- handle and settings ---

        function neargrid_search_create(abi_version, search) &
            bind(c, name="neargrid_search_create") result(status)
            import :: c_int, c_int32_t, c_ptr
            integer(c_int32_t), intent(in), value :: abi_version
            type(c_ptr), intent(inout) :: search
            integer(c_int) :: status
        end function neargrid_search_create

        subroutine neargrid_search_destroy(search) bind(c, name="neargrid_search_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: search
        end subroutine neargrid_search_destroy

        function neargrid_search_trim(search) bind(c, name="neargrid_search_trim") result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int) :: status
        end function neargrid_search_trim

        function neargrid_search_set_cutoff(search, cutoff) &
            bind(c, name="neargrid_search_set_cutoff") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: cutoff
            integer(c_int) :: status
        end function neargrid_search_set_cutoff

        function neargrid_search_set_tie_rule(search, rule) &
            bind(c, name="neargrid_search_set_tie_rule") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_search_set_tie_rule

        function neargrid_search_set_index_base(search, base) &
            bind(c, name="neargrid_search_set_index_base") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: base
            integer(c_int) :: status
        end function neargrid_search_set_index_base

        function neargrid_search_set_threads(search, threads) &
            bind(c, name="neargrid_search_set_threads") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: threads
            integer(c_int) :: status
        end function neargrid_search_set_threads

        function neargrid_search_set_backend(search, backend) &
            bind(c, name="neargrid_search_set_backend") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: backend
            integer(c_int) :: status
        end function neargrid_search_set_backend

        function neargrid_search_set_device(search, device) &
            bind(c, name="neargrid_search_set_device") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: device
            integer(c_int) :: status
        end function neargrid_search_set_device

        function neargrid_search_set_device_turn(search, turn) &
            bind(c, name="neargrid_search_set_device_turn") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: turn
            integer(c_int) :: status
        end function neargrid_search_set_device_turn

        function neargrid_search_set_memory_limit(search, bytes) &
            bind(c, name="neargrid_search_set_memory_limit") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: bytes
            integer(c_int) :: status
        end function neargrid_search_set_memory_limit

        function neargrid_search_set_box(search, dim, lo, length, periodic) &
            bind(c, name="neargrid_search_set_box") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            real(c_double), intent(in) :: lo(*), length(*)
            integer(c_int32_t), intent(in) :: periodic(*)
            integer(c_int) :: status
        end function neargrid_search_set_box

        function neargrid_search_set_active(search, n_active) &
            bind(c, name="neargrid_search_set_active") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n_active
            integer(c_int) :: status
        end function neargrid_search_set_active

        function neargrid_search_set_ghost_pairs(search, which) &
            bind(c, name="neargrid_search_set_ghost_pairs") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: which
            integer(c_int) :: status
        end function neargrid_search_set_ghost_pairs

        function neargrid_search_set_types(search, n, types, ntypes, mask) &
            bind(c, name="neargrid_search_set_types") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(in) :: types(*)
            integer(c_int32_t), intent(in), value :: ntypes
            integer(c_int32_t), intent(in) :: mask(*)
            integer(c_int) :: status
        end function neargrid_search_set_types

        function neargrid_search_set_primary_types(search, ntypes, primary) &
            bind(c, name="neargrid_search_set_primary_types") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: ntypes
            integer(c_int32_t), intent(in) :: primary(*)
            integer(c_int) :: status
        end function neargrid_search_set_primary_types

        function neargrid_search_set_ids(search, n, ids) &
            bind(c, name="neargrid_search_set_ids") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in) :: ids(*)
            integer(c_int) :: status
        end function neargrid_search_set_ids

        function neargrid_search_set_radii_f32(search, n, radii, rule) &
            bind(c, name="neargrid_search_set_radii_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            real(c_float), intent(in) :: radii(*)
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_search_set_radii_f32

        function neargrid_search_set_radii_f64(search, n, radii, rule) &
            bind(c, name="neargrid_search_set_radii_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: radii(*)
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_search_set_radii_f64

        function neargrid_search_set_query_radii_f32(search, n, radii) &
            bind(c, name="neargrid_search_set_query_radii_f32") result(status)
            import :: c_float, c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            real(c_float), intent(in) :: radii(*)
            integer(c_int) :: status
        end function neargrid_search_set_query_radii_f32

        function neargrid_search_set_query_radii_f64(search, n, radii) &
            bind(c, name="neargrid_search_set_query_radii_f64") result(status)
            import :: c_double, c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: radii(*)
            integer(c_int) :: status
        end function neargrid_search_set_query_radii_f64

        function neargrid_search_clear_radii(search) &
            bind(c, name="neargrid_search_clear_radii") result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int) :: status
        end function neargrid_search_clear_radii

        ! --- points: addresses of the first point's x, y, z; stride in bytes ---

        function neargrid_search_set_points_f32(search, dim, n, x, y, z, stride) &
            bind(c, name="neargrid_search_set_points_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_points_f32

        function neargrid_search_set_points_f64(search, dim, n, x, y, z, stride) &
            bind(c, name="neargrid_search_set_points_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_points_f64

        function neargrid_search_add_points_f32(search, dim, n, x, y, z, stride) &
            bind(c, name="neargrid_search_add_points_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_add_points_f32

        function neargrid_search_add_points_f64(search, dim, n, x, y, z, stride) &
            bind(c, name="neargrid_search_add_points_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_add_points_f64

        function neargrid_search_set_queries_f32(search, dim, n, x, y, z, stride) &
            bind(c, name="neargrid_search_set_queries_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_queries_f32

        function neargrid_search_set_queries_f64(search, dim, n, x, y, z, stride) &
            bind(c, name="neargrid_search_set_queries_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_queries_f64

        function neargrid_search_update_f32(search, dim, n, x, y, z, stride, rebuilt) &
            bind(c, name="neargrid_search_update_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_search_update_f32

        function neargrid_search_update_f64(search, dim, n, x, y, z, stride, rebuilt) &
            bind(c, name="neargrid_search_update_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_search_update_f64

        function neargrid_search_set_skin(search, skin) &
            bind(c, name="neargrid_search_set_skin") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: skin
            integer(c_int) :: status
        end function neargrid_search_set_skin

        function neargrid_search_skin_used(search, share) &
            bind(c, name="neargrid_search_skin_used") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(inout) :: share
            integer(c_int) :: status
        end function neargrid_search_skin_used

        function neargrid_verlet_view(search, kind, n, total, offsets, ids, rebuilt) &
            bind(c, name="neargrid_verlet_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_verlet_view

        ! --- pairs ---

        function neargrid_pairs_count(search, npairs) &
            bind(c, name="neargrid_pairs_count") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int) :: status
        end function neargrid_pairs_count

        function neargrid_pairs_copy(search, capacity, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_pairs_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int32_t), intent(inout) :: pair_i(*), pair_j(*)
            integer(c_int) :: status
        end function neargrid_pairs_copy

        function neargrid_pairs_view(search, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_pairs_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: npairs
            type(c_ptr), intent(inout) :: pair_i, pair_j
            integer(c_int) :: status
        end function neargrid_pairs_view

        function neargrid_pairs_distances_f32(search, npairs, pair_i, pair_j, distances) &
            bind(c, name="neargrid_pairs_distances_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: npairs
            integer(c_int32_t), intent(in) :: pair_i(*), pair_j(*)
            real(c_float), intent(inout) :: distances(*)
            integer(c_int) :: status
        end function neargrid_pairs_distances_f32

        function neargrid_pairs_distances_f64(search, npairs, pair_i, pair_j, distances) &
            bind(c, name="neargrid_pairs_distances_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: npairs
            integer(c_int32_t), intent(in) :: pair_i(*), pair_j(*)
            real(c_double), intent(inout) :: distances(*)
            integer(c_int) :: status
        end function neargrid_pairs_distances_f64

        function neargrid_pairs_displacements_f32(search, npairs, pair_i, pair_j, displacements) &
            bind(c, name="neargrid_pairs_displacements_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: npairs
            integer(c_int32_t), intent(in) :: pair_i(*), pair_j(*)
            real(c_float), intent(inout) :: displacements(*)
            integer(c_int) :: status
        end function neargrid_pairs_displacements_f32

        function neargrid_pairs_displacements_f64(search, npairs, pair_i, pair_j, displacements) &
            bind(c, name="neargrid_pairs_displacements_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: npairs
            integer(c_int32_t), intent(in) :: pair_i(*), pair_j(*)
            real(c_double), intent(inout) :: displacements(*)
            integer(c_int) :: status
        end function neargrid_pairs_displacements_f64

        ! --- neighbors ---

        function neargrid_neighbors_count(search, kind, total) &
            bind(c, name="neargrid_neighbors_count") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: total
            integer(c_int) :: status
        end function neargrid_neighbors_count

        function neargrid_neighbors_copy(search, kind, capacity, total, offsets, ids) &
            bind(c, name="neargrid_neighbors_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout) :: total
            integer(c_int64_t), intent(inout) :: offsets(*)
            integer(c_int32_t), intent(inout) :: ids(*)
            integer(c_int) :: status
        end function neargrid_neighbors_copy

        function neargrid_neighbors_view(search, kind, n, total, offsets, ids) &
            bind(c, name="neargrid_neighbors_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_neighbors_view

        function neargrid_neighbors_distances_f32(search, offsets, ids, distances) &
            bind(c, name="neargrid_neighbors_distances_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in) :: ids(*)
            real(c_float), intent(inout) :: distances(*)
            integer(c_int) :: status
        end function neargrid_neighbors_distances_f32

        function neargrid_neighbors_distances_f64(search, offsets, ids, distances) &
            bind(c, name="neargrid_neighbors_distances_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in) :: ids(*)
            real(c_double), intent(inout) :: distances(*)
            integer(c_int) :: status
        end function neargrid_neighbors_distances_f64

        function neargrid_neighbors_displacements_f32(search, offsets, ids, displacements) &
            bind(c, name="neargrid_neighbors_displacements_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in) :: ids(*)
            real(c_float), intent(inout) :: displacements(*)
            integer(c_int) :: status
        end function neargrid_neighbors_displacements_f32

        function neargrid_neighbors_displacements_f64(search, offsets, ids, displacements) &
            bind(c, name="neargrid_neighbors_displacements_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in) :: ids(*)
            real(c_double), intent(inout) :: displacements(*)
            integer(c_int) :: status
        end function neargrid_neighbors_displacements_f64

        ! --- chunks ---

        function neargrid_chunks_begin(search, kind, max_entries, total) &
            bind(c, name="neargrid_chunks_begin") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: max_entries
            integer(c_int64_t), intent(inout) :: total
            integer(c_int) :: status
        end function neargrid_chunks_begin

        function neargrid_chunks_next(search, first_row, nrows, offsets, ids) &
            bind(c, name="neargrid_chunks_next") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: first_row, nrows
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_chunks_next

        function neargrid_chunks_next_pairs(search, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_chunks_next_pairs") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: npairs
            type(c_ptr), intent(inout) :: pair_i, pair_j
            integer(c_int) :: status
        end function neargrid_chunks_next_pairs

        ! --- k nearest ---

        function neargrid_knn_rows(search, kind, n) &
            bind(c, name="neargrid_knn_rows") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n
            integer(c_int) :: status
        end function neargrid_knn_rows

        function neargrid_knn_copy_f32(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_knn_copy_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            real(c_float), intent(inout) :: distances(*)
            integer(c_int32_t), intent(inout) :: ids(*), counts(*)
            integer(c_int64_t), intent(in), value :: n
            integer(c_int) :: status
        end function neargrid_knn_copy_f32

        function neargrid_knn_copy_f64(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_knn_copy_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            real(c_double), intent(inout) :: distances(*)
            integer(c_int32_t), intent(inout) :: ids(*), counts(*)
            integer(c_int64_t), intent(in), value :: n
            integer(c_int) :: status
        end function neargrid_knn_copy_f64

        function neargrid_knn_view_f32(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_knn_view_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_knn_view_f32

        function neargrid_knn_view_f64(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_knn_view_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_knn_view_f64

        ! --- groups of friends of friends; addresses of masses and velocities may be null ---

        function neargrid_fof_copy(search, n, labels, ngroups) &
            bind(c, name="neargrid_fof_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(inout) :: labels(*)
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_fof_copy

        function neargrid_fof_view(search, n, labels, ngroups) &
            bind(c, name="neargrid_fof_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            type(c_ptr), intent(inout) :: labels
            integer(c_int64_t), intent(inout) :: n, ngroups
            integer(c_int) :: status
        end function neargrid_fof_view

        function neargrid_groups_find(search, min_size, ngroups) &
            bind(c, name="neargrid_groups_find") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_groups_find

        function neargrid_groups_find_f32(search, min_size, n, masses, vx, vy, vz, stride, &
                                          ngroups) &
            bind(c, name="neargrid_groups_find_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search, masses, vx, vy, vz
            integer(c_int64_t), intent(in), value :: min_size, n, stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_groups_find_f32

        function neargrid_groups_find_f64(search, min_size, n, masses, vx, vy, vz, stride, &
                                          ngroups) &
            bind(c, name="neargrid_groups_find_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search, masses, vx, vy, vz
            integer(c_int64_t), intent(in), value :: min_size, n, stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_groups_find_f64

        function neargrid_groups_view_members(search, ngroups, labels, sizes, offsets, order) &
            bind(c, name="neargrid_groups_view_members") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            type(c_ptr), intent(inout) :: labels, sizes, offsets, order
            integer(c_int) :: status
        end function neargrid_groups_view_members

        function neargrid_groups_view_sums(search, ngroups, dim, masses, centers, velocities, &
                                           radii, wide) &
            bind(c, name="neargrid_groups_view_sums") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int32_t), intent(inout) :: dim
            type(c_ptr), intent(inout) :: masses, centers, velocities, radii, wide
            integer(c_int) :: status
        end function neargrid_groups_view_sums

        ! --- formulas; texts and names end with a NUL ---

        function neargrid_formula_create(text, formula) &
            bind(c, name="neargrid_formula_create") result(status)
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(inout) :: formula
            integer(c_int) :: status
        end function neargrid_formula_create

        subroutine neargrid_formula_destroy(formula) bind(c, name="neargrid_formula_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: formula
        end subroutine neargrid_formula_destroy

        function neargrid_formula_set_precision(formula, precision) &
            bind(c, name="neargrid_formula_set_precision") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            integer(c_int32_t), intent(in), value :: precision
            integer(c_int) :: status
        end function neargrid_formula_set_precision

        function neargrid_formula_set_include_self(formula, include) &
            bind(c, name="neargrid_formula_set_include_self") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            integer(c_int32_t), intent(in), value :: include
            integer(c_int) :: status
        end function neargrid_formula_set_include_self

        function neargrid_formula_set_constant(formula, name, value) &
            bind(c, name="neargrid_formula_set_constant") result(status)
            import :: c_char, c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), intent(in), value :: value
            integer(c_int) :: status
        end function neargrid_formula_set_constant

        function neargrid_formula_set_field_f32(formula, name, components, n, values) &
            bind(c, name="neargrid_formula_set_field_f32") result(status)
            import :: c_char, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            real(c_float), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_set_field_f32

        function neargrid_formula_set_query_field_f32(formula, name, components, n, values) &
            bind(c, name="neargrid_formula_set_query_field_f32") result(status)
            import :: c_char, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            real(c_float), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_set_query_field_f32

        function neargrid_formula_copy_f32(formula, name, n, values) &
            bind(c, name="neargrid_formula_copy_f32") result(status)
            import :: c_char, c_float, c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(in), value :: n
            real(c_float), intent(inout) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_copy_f32

        function neargrid_formula_set_field_f64(formula, name, components, n, values) &
            bind(c, name="neargrid_formula_set_field_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_set_field_f64

        function neargrid_formula_set_query_field_f64(formula, name, components, n, values) &
            bind(c, name="neargrid_formula_set_query_field_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_set_query_field_f64

        function neargrid_formula_copy_f64(formula, name, n, values) &
            bind(c, name="neargrid_formula_copy_f64") result(status)
            import :: c_char, c_double, c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(inout) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_copy_f64

        function neargrid_formula_set_table(formula, name, of, first, last, n, values) &
            bind(c, name="neargrid_formula_set_table") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of
            real(c_double), intent(in), value :: first, last
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_set_table

        function neargrid_formula_size(formula, name, components, n) &
            bind(c, name="neargrid_formula_size") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(inout) :: components
            integer(c_int64_t), intent(inout) :: n
            integer(c_int) :: status
        end function neargrid_formula_size

        function neargrid_search_sum(search, formula, kind) &
            bind(c, name="neargrid_search_sum") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search, formula
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int) :: status
        end function neargrid_search_sum

        ! --- spatial order; from and to are addresses of arrays of any type ---

        function neargrid_search_order(search, n, order) &
            bind(c, name="neargrid_search_order") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(inout) :: order(*)
            integer(c_int) :: status
        end function neargrid_search_order

        function neargrid_reorder(n, order, base, element_bytes, from, to) &
            bind(c, name="neargrid_reorder") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(in) :: order(*)
            integer(c_int32_t), intent(in), value :: base
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: from, to
            integer(c_int) :: status
        end function neargrid_reorder

        function neargrid_restore(n, order, base, element_bytes, from, to) &
            bind(c, name="neargrid_restore") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(in) :: order(*)
            integer(c_int32_t), intent(in), value :: base
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: from, to
            integer(c_int) :: status
        end function neargrid_restore

        ! --- what the last query did ---

        function neargrid_search_info(search, buffer, capacity, length) &
            bind(c, name="neargrid_search_info") result(status)
            import :: c_char, c_int, c_ptr, c_size_t
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout) :: length
            integer(c_int) :: status
        end function neargrid_search_info

        function neargrid_search_counter(search, counter, value) &
            bind(c, name="neargrid_search_counter") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: counter
            integer(c_int64_t), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_search_counter

        function neargrid_search_timing(search, phase, seconds) &
            bind(c, name="neargrid_search_timing") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: phase
            real(c_double), intent(inout) :: seconds
            integer(c_int) :: status
        end function neargrid_search_timing

        ! --- exact sums, in memory of the caller ---

        function neargrid_sum_add(words, n, values) bind(c, name="neargrid_sum_add") &
            result(status)
            import :: c_double, c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: words(*)
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_sum_add

        function neargrid_sum_add_products(words, n, x, y) &
            bind(c, name="neargrid_sum_add_products") result(status)
            import :: c_double, c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: words(*)
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: x(*), y(*)
            integer(c_int) :: status
        end function neargrid_sum_add_products

        function neargrid_sum_merge(words, other) bind(c, name="neargrid_sum_merge") &
            result(status)
            import :: c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: words(*)
            integer(c_int64_t), intent(in) :: other(*)
            integer(c_int) :: status
        end function neargrid_sum_merge

        function neargrid_sum_round(words, value) bind(c, name="neargrid_sum_round") &
            result(status)
            import :: c_double, c_int, c_int64_t
            integer(c_int64_t), intent(in) :: words(*)
            real(c_double), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_sum_round
    end interface

end module neargrid_c
