! Made from the C headers by scripts/c_header.py: `make fortran`.
!> Raw interfaces to the C library: one `bind(c)` declaration per C function, under its C name.
!>
!> Programs use module `neargrid`. The headers say all that each function does and returns, and have
!> the rules for ownership and threads.
module neargrid_c
    use, intrinsic :: iso_c_binding, only: &
        c_char, c_double, c_float, c_funptr, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
    implicit none (type, external)
    public
    private :: c_char, c_double, c_float, c_funptr, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t

    !> The version of the library that this header belongs to. neargrid_version tells that of the
    !> library in use.
    integer(c_int), parameter :: neargrid_version_major = 0
    integer(c_int), parameter :: neargrid_version_minor = 1
    integer(c_int), parameter :: neargrid_version_patch = 0
    character(len=*), parameter :: neargrid_version_string = "0.1.0"

    !> The ABI version that this header describes. Pass it to neargrid_search_create.
    integer(c_int), parameter :: neargrid_abi = 1

    !> All points are active; there are no ghosts. The default.
    integer(c_int), parameter :: neargrid_all_active = -1

    !> The most cutoffs of neargrid_neighbors_take_by_cutoffs.
    integer(c_int), parameter :: neargrid_cutoffs_max = 64

    !> The largest k.
    integer(c_int), parameter :: neargrid_knn_max = 1024

    !> The call succeeded.
    integer(c_int), parameter :: neargrid_status_ok = 0
    !> A required pointer is NULL.
    integer(c_int), parameter :: neargrid_status_null_pointer = 1
    !> `dim` is not 1, 2 or 3, or does not match the points or the box.
    integer(c_int), parameter :: neargrid_status_bad_dim = 2
    !> A count or a capacity is negative, above its limit, or does not match the number of points.
    integer(c_int), parameter :: neargrid_status_bad_count = 3
    !> The cutoff is not finite, not positive, or its square is outside the range of the points'
    !> precision.
    integer(c_int), parameter :: neargrid_status_bad_cutoff = 4
    !> A coordinate or another number is NaN or infinite.
    integer(c_int), parameter :: neargrid_status_non_finite = 5
    !> A setting or an array element is outside its allowed range.
    integer(c_int), parameter :: neargrid_status_bad_value = 6
    !> The call needs something that has not been set yet, such as points or a cutoff.
    integer(c_int), parameter :: neargrid_status_bad_state = 7
    !> The caller's arrays are too small. The count reports the size needed; the arrays are
    !> unchanged.
    integer(c_int), parameter :: neargrid_status_capacity = 8
    !> An environment variable NEARGRID_* has a value that is not allowed.
    integer(c_int), parameter :: neargrid_status_bad_environment = 9
    !> The box is not valid, or a periodic axis is too short for the search.
    integer(c_int), parameter :: neargrid_status_bad_domain = 10
    !> A radius is outside its allowed range.
    integer(c_int), parameter :: neargrid_status_bad_radius = 11
    !> Another thread is inside a call on the same handle. The call did nothing.
    integer(c_int), parameter :: neargrid_status_busy = 12
    !> This version of neargrid cannot do this yet.
    integer(c_int), parameter :: neargrid_status_not_supported = 50
    !> Memory allocation failed.
    integer(c_int), parameter :: neargrid_status_out_of_memory = 100
    !> The number of pairs does not fit into a 32-bit count.
    integer(c_int), parameter :: neargrid_status_too_many_pairs = 101
    !> The backend is set to GPU, and no usable GPU was found.
    integer(c_int), parameter :: neargrid_status_no_device = 102
    !> The GPU failed during the call.
    integer(c_int), parameter :: neargrid_status_device_lost = 103
    !> The operating system refused to start threads.
    integer(c_int), parameter :: neargrid_status_threads = 104
    !> The result needs more memory than the limit set on the handle. Use chunks, or arrays of your
    !> own.
    integer(c_int), parameter :: neargrid_status_memory_limit = 105
    !> An operation of the communicator failed, such as one of MPI.
    integer(c_int), parameter :: neargrid_status_communication = 150
    !> Ranks passed different values where all must pass the same, or called different functions.
    integer(c_int), parameter :: neargrid_status_disagreement = 151
    !> The header or Fortran module and the library have different ABI versions.
    integer(c_int), parameter :: neargrid_status_abi_mismatch = 254
    !> A bug in neargrid. Please report the error text.
    integer(c_int), parameter :: neargrid_status_internal = 255

    !> Number of points set.
    integer(c_int), parameter :: neargrid_counter_points = 0
    !> Entries of the last result: pairs, or ids in rows.
    integer(c_int), parameter :: neargrid_counter_entries = 1
    !> Times an index was built since the handle was created.
    integer(c_int), parameter :: neargrid_counter_index_builds = 2
    !> Times a search counted its result since the handle was created.
    integer(c_int), parameter :: neargrid_counter_counts = 3
    !> Times a list was filled since the handle was created.
    integer(c_int), parameter :: neargrid_counter_fills = 4
    !> Threads of the last query, including the calling thread.
    integer(c_int), parameter :: neargrid_counter_threads = 5
    !> Cells of the index on the CPU; 0 if the index is on a GPU.
    integer(c_int), parameter :: neargrid_counter_cells = 6
    !> Bytes of host memory that the handle holds: points, index and its own lists.
    integer(c_int), parameter :: neargrid_counter_bytes_held = 7
    !> Backend of the last query, one of neargrid_backend_*; neargrid_backend_auto before the first
    !> query.
    integer(c_int), parameter :: neargrid_counter_backend = 8
    !> Bytes of GPU memory that the handle holds.
    integer(c_int), parameter :: neargrid_counter_device_bytes = 9
    !> Buffers allocated for a GPU since the handle was created. Repeating a search allocates none.
    integer(c_int), parameter :: neargrid_counter_device_allocations = 10
    !> Dimension of the points set; 0 if none are set.
    integer(c_int), parameter :: neargrid_counter_dim = 11
    !> Times the list with a skin was built since the handle was created.
    integer(c_int), parameter :: neargrid_counter_skin_lists = 12
    !> Number of queries set.
    integer(c_int), parameter :: neargrid_counter_queries = 13
    !> Distances that the last query tested; 0 if it needed no search.
    integer(c_int), parameter :: neargrid_counter_distance_tests = 14
    !> Number of active points, which have rows.
    integer(c_int), parameter :: neargrid_counter_active = 15
    !> Number of times that the ranks of a handle searched for ghosts; 0 without ranks.
    integer(c_int), parameter :: neargrid_counter_plans = 16

    !> Copying the points to the GPU.
    integer(c_int), parameter :: neargrid_phase_upload = 0
    !> Building the index.
    integer(c_int), parameter :: neargrid_phase_index = 1
    !> Counting the rows.
    integer(c_int), parameter :: neargrid_phase_count = 2
    !> Filling the rows, or summing over them.
    integer(c_int), parameter :: neargrid_phase_fill = 3
    !> Copying the result from the GPU.
    integer(c_int), parameter :: neargrid_phase_download = 4
    !> The whole query.
    integer(c_int), parameter :: neargrid_phase_total = 5

    !> Two points are a pair if d2 <= cutoff * cutoff, where d2 is their squared distance. The
    !> default.
    integer(c_int), parameter :: neargrid_tie_inclusive = 0
    !> Two points are a pair if d2 < cutoff * cutoff.
    integer(c_int), parameter :: neargrid_tie_exclusive = 1

    !> Use a GPU if there is one that is ready and the problem is large enough to gain from it,
    !> otherwise the CPU. The default.
    integer(c_int), parameter :: neargrid_backend_auto = 0
    !> Use the CPU.
    integer(c_int), parameter :: neargrid_backend_cpu = 1
    !> Use a GPU. Queries fail with NO_DEVICE if there is none.
    integer(c_int), parameter :: neargrid_backend_gpu = 2

    !> Use the best GPU: a discrete one, otherwise integrated, virtual or other, in this order. The
    !> default.
    integer(c_int), parameter :: neargrid_device_best = 0
    !> Use the GPU with a number.
    integer(c_int), parameter :: neargrid_device_index = 1
    !> Share the GPUs of a machine among processes: use the GPU with a number modulo the number of
    !> GPUs of the best kind present.
    integer(c_int), parameter :: neargrid_device_turn = 2

    !> Pairs and half rows contain every pair of an active point and a ghost. The default.
    integer(c_int), parameter :: neargrid_ghost_pairs_all = 0
    !> Pairs and half rows contain a pair of an active point and a ghost only if the ghost has the
    !> larger global id.
    integer(c_int), parameter :: neargrid_ghost_pairs_larger_ids = 1

    !> The point takes no part. It is in no row, and its own row is empty.
    integer(c_int), parameter :: neargrid_role_absent = 0
    !> The point is active. It is a neighbor of active points and ghosts.
    integer(c_int), parameter :: neargrid_role_active = 1
    !> The point is a ghost. It is a neighbor of active points.
    integer(c_int), parameter :: neargrid_role_ghost = 2

    !> Full rows of ghosts list active points. The default.
    integer(c_int), parameter :: neargrid_ghost_rows_active = 0
    !> Full rows of ghosts list active points and other ghosts.
    integer(c_int), parameter :: neargrid_ghost_rows_all = 1
    !> Full rows of ghosts are empty.
    integer(c_int), parameter :: neargrid_ghost_rows_none = 2

    !> The cutoff of a pair is the radius of the point, or query, whose row it is in. For full rows
    !> and queries only.
    integer(c_int), parameter :: neargrid_radius_gather = 0
    !> The cutoff of a pair is the radius of the listed point. For full rows and queries only.
    integer(c_int), parameter :: neargrid_radius_scatter = 1
    !> The cutoff of a pair is the larger of the two radii.
    integer(c_int), parameter :: neargrid_radius_max = 2
    !> The cutoff of a pair is the smaller of the two radii.
    integer(c_int), parameter :: neargrid_radius_min = 3
    !> The cutoff of a pair is half the sum of the two radii: 0.5 * (r_i + r_j), with each operation
    !> rounded in the precision of the points.
    integer(c_int), parameter :: neargrid_radius_mean = 4

    !> An array has values of the points.
    integer(c_int), parameter :: neargrid_of_points = 0
    !> An array has values of the queries.
    integer(c_int), parameter :: neargrid_of_queries = 1

    !> Row i lists the neighbors j > i, so that each pair appears once.
    integer(c_int), parameter :: neargrid_neighbors_half = 0
    !> Row i lists all neighbors j, so that each pair appears twice.
    integer(c_int), parameter :: neargrid_neighbors_full = 1
    !> Row q lists the points within the cutoff of query q.
    integer(c_int), parameter :: neargrid_neighbors_queries = 2

    !> For each active point, its nearest points among all others.
    integer(c_int), parameter :: neargrid_knn_others = 0
    !> For each active point, its nearest points among all points, including itself.
    integer(c_int), parameter :: neargrid_knn_all = 1
    !> For each query, its nearest points.
    integer(c_int), parameter :: neargrid_knn_queries = 2

    !> Return distances.
    integer(c_int), parameter :: neargrid_measure_distance = 0
    !> Return squared distances.
    integer(c_int), parameter :: neargrid_measure_square = 1
    !> Return radii: the smallest number with c * c at least the squared distance, both rounded. As
    !> a cutoff or a radius it finds the neighbor (inclusive rule), which the distance may miss,
    !> because its square is rounded.
    integer(c_int), parameter :: neargrid_measure_radius = 2

    !> A formula is evaluated in real32.
    integer(c_int), parameter :: neargrid_precision_single = 0
    !> A formula is evaluated in real64.
    integer(c_int), parameter :: neargrid_precision_double = 1

    !> A table is called with the distance r.
    integer(c_int), parameter :: neargrid_table_r = 0
    !> A table is called with the squared distance r2.
    integer(c_int), parameter :: neargrid_table_r2 = 1
    !> A table is called with r/c, the distance over the cutoff.
    integer(c_int), parameter :: neargrid_table_r_over_c = 2

    !> The sum reaches the target at the radius, and does not at a radius that is smaller by the
    !> tolerance.
    integer(c_int), parameter :: neargrid_outcome_solved = 0
    !> The iterations did not suffice. The radius is the upper end of the bracket.
    integer(c_int), parameter :: neargrid_outcome_out_of_iterations = 1
    !> The sum does not reach the target at the largest radius, which is the point's radius.
    integer(c_int), parameter :: neargrid_outcome_above_largest = 2
    !> The sum reaches the target at the smallest radius already, which is the point's radius.
    integer(c_int), parameter :: neargrid_outcome_below_smallest = 3

    !> Move arrays into an order.
    integer(c_int), parameter :: neargrid_direction_reorder = 0
    !> Move arrays back, as they were before.
    integer(c_int), parameter :: neargrid_direction_restore = 1

    !> The rule given by the environment variable NEARGRID_TIE, or inclusive if it is not set.
    integer(c_int), parameter :: neargrid_tie_default = -1

    !> Number of int64 words in an exact sum.
    integer(c_int), parameter :: neargrid_sum_words = 136

    interface

        !> Returns the ABI version of the library at run time. Any thread may call this at any time.
        function neargrid_abi_version() bind(c, name="neargrid_abi_version") result(answer)
            import :: c_int32_t
            integer(c_int32_t) :: answer
        end function neargrid_abi_version

        !> Returns the version of the library as "major.minor.patch". The string is static; do not
        !> free it. Any thread may call this at any time.
        function neargrid_version() bind(c, name="neargrid_version") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function neargrid_version

        !> Returns the name of a status, such as "neargrid_status_capacity", or "unknown status" for
        !> any other number. The string is static; do not free it. Any thread may call this at any
        !> time.
        function neargrid_status_name(status) bind(c, name="neargrid_status_name") result(text)
            import :: c_int, c_ptr
            integer(c_int), intent(in), value :: status
            type(c_ptr) :: text
        end function neargrid_status_name

        !> Copies the text of the calling thread's last failed call. The text names the argument,
        !> its value and what is allowed. A later success does not clear it. Each thread has its own
        !> text.
        function neargrid_last_error(buffer, capacity, length) &
            bind(c, name="neargrid_last_error") result(status)
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(inout), optional :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout), optional :: length
            integer(c_int) :: status
        end function neargrid_last_error

        !> Creates a search with default settings and without points.
        function neargrid_search_create(abi_version, search) &
            bind(c, name="neargrid_search_create") result(status)
            import :: c_int, c_int32_t, c_ptr
            integer(c_int32_t), intent(in), value :: abi_version
            type(c_ptr), intent(inout) :: search
            integer(c_int) :: status
        end function neargrid_search_create

        !> Frees a handle and everything it holds, including its views. Does nothing if `search` is
        !> NULL. If another thread is inside a call on the handle, that call frees the handle when
        !> it ends. No other call may use the handle afterwards.
        subroutine neargrid_search_destroy(search) bind(c, name="neargrid_search_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: search
        end subroutine neargrid_search_destroy

        !> Frees all memory of the handle except points and settings: index, lists, work arrays and
        !> GPU buffers. Its views become invalid. The next query rebuilds what it needs and gives
        !> the same result. Values that a run has left on a GPU come home first; if there is no
        !> memory for them, the call frees nothing.
        function neargrid_search_trim(search) bind(c, name="neargrid_search_trim") result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int) :: status
        end function neargrid_search_trim

        !> Describes how the last query ran and why, as text: one line each for backend, threads,
        !> instruction set, points, index and memory.
        function neargrid_search_info(search, buffer, capacity, length) &
            bind(c, name="neargrid_search_info") result(status)
            import :: c_char, c_int, c_ptr, c_size_t
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(inout), optional :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout), optional :: length
            integer(c_int) :: status
        end function neargrid_search_info

        !> Reads a counter of the handle.
        function neargrid_search_counter(search, counter, value) &
            bind(c, name="neargrid_search_counter") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: counter
            integer(c_int64_t), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_search_counter

        !> Reads how long a phase of the last query took.
        function neargrid_search_timing(search, phase, seconds) &
            bind(c, name="neargrid_search_timing") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: phase
            real(c_double), intent(inout) :: seconds
            integer(c_int) :: status
        end function neargrid_search_timing

        !> Sets the cutoff: the search radius, in the unit of the coordinates.
        function neargrid_search_set_cutoff(search, cutoff) &
            bind(c, name="neargrid_search_set_cutoff") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: cutoff
            integer(c_int) :: status
        end function neargrid_search_set_cutoff

        !> Sets whether two points exactly one cutoff apart are a pair.
        function neargrid_search_set_tie_rule(search, rule) &
            bind(c, name="neargrid_search_set_tie_rule") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_search_set_tie_rule

        !> Sets the index base: the number of the first point. It applies to ids, offsets and the
        !> point numbers in error texts.
        function neargrid_search_set_index_base(search, base) &
            bind(c, name="neargrid_search_set_index_base") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: base
            integer(c_int) :: status
        end function neargrid_search_set_index_base

        !> Sets the number of threads of a query. The result does not depend on it.
        function neargrid_search_set_threads(search, threads) &
            bind(c, name="neargrid_search_set_threads") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: threads
            integer(c_int) :: status
        end function neargrid_search_set_threads

        !> Sets the backend that runs queries.
        function neargrid_search_set_backend(search, backend) &
            bind(c, name="neargrid_search_set_backend") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: backend
            integer(c_int) :: status
        end function neargrid_search_set_backend

        !> Selects the GPU that the handle uses. A process can use several GPUs through one handle
        !> for each. The environment variable NEARGRID_DEVICE overrides this setting.
        function neargrid_search_set_device(search, choice, number) &
            bind(c, name="neargrid_search_set_device") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: choice, number
            integer(c_int) :: status
        end function neargrid_search_set_device

        !> Limits the memory that the handle may use for a result. A list that needs more fails with
        !> MEMORY_LIMIT; request it in chunks or in your own arrays instead.
        function neargrid_search_set_memory_limit(search, bytes) &
            bind(c, name="neargrid_search_set_memory_limit") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: bytes
            integer(c_int) :: status
        end function neargrid_search_set_memory_limit

        !> Sets an axis-aligned box that may be periodic along any axis. Set the box before the
        !> points: when the periodic axes change, the handle discards its points.
        function neargrid_search_set_box(search, dim, lo, length, periodic) &
            bind(c, name="neargrid_search_set_box") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            real(c_double), intent(in) :: lo(*), length(*)
            integer(c_int32_t), intent(in) :: periodic(*)
            integer(c_int) :: status
        end function neargrid_search_set_box

        !> Sets how many of the points are active. The first `n_active` points are active and the
        !> rest are ghosts. A ghost is a neighbor of active points, but not of other ghosts.
        !> neargrid_search_set_roles lets them come in any order.
        function neargrid_search_set_active(search, n_active) &
            bind(c, name="neargrid_search_set_active") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n_active
            integer(c_int) :: status
        end function neargrid_search_set_active

        !> Sets which pairs of an active point and a ghost appear in pairs and half rows. Full rows
        !> always contain all of them.
        function neargrid_search_set_ghost_pairs(search, which) &
            bind(c, name="neargrid_search_set_ghost_pairs") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: which
            integer(c_int) :: status
        end function neargrid_search_set_ghost_pairs

        !> Sets a type for each point and which types interact. Points whose types do not interact
        !> are not neighbors. The handle keeps a copy, which remains when points are set again.
        function neargrid_search_set_types(search, n, types, stride, ntypes, mask) &
            bind(c, name="neargrid_search_set_types") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: types
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int32_t), intent(in), value :: ntypes
            integer(c_int32_t), intent(in) :: mask(*)
            integer(c_int) :: status
        end function neargrid_search_set_types

        !> Sets a cutoff for each pair of types (neargrid_search_set_types), in place of the cutoff
        !> of neargrid_search_set_cutoff. Two points are neighbors if the mask of the types allows
        !> it, and if they are within the cutoff of their types. The handle keeps a copy, which
        !> remains when points or types are set again.
        function neargrid_search_set_type_cutoffs(search, ntypes, cutoffs) &
            bind(c, name="neargrid_search_set_type_cutoffs") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: ntypes
            real(c_double), intent(in), optional :: cutoffs(*)
            integer(c_int) :: status
        end function neargrid_search_set_type_cutoffs

        !> Sets the points to search, in real64. The handle keeps a copy, so the arrays may be
        !> changed or freed after the call. Points may be set again at any time, with another
        !> number, dimension or precision; the handle reuses its memory.
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

        !> As neargrid_search_set_points_f64, in real32.
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

        !> Appends points, in real64, to those already set; for example ghosts that arrive later
        !> than the program's own points. A GPU that has already searched the first points receives
        !> only the new ones. Queries are discarded; everything else stays set.
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

        !> As neargrid_search_add_points_f64, in real32.
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

        !> Sets the role of each point, so that active points, ghosts and points that take no part
        !> may come in any order: for individual time steps, for halos on both sides of a range, or
        !> for arrays with holes. The handle keeps a copy, which remains when points are set again.
        function neargrid_search_set_roles(search, n, roles, stride) &
            bind(c, name="neargrid_search_set_roles") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: roles
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_roles

        !> Sets which points the full rows of ghosts list. Pairs, half rows and the rows of active
        !> points do not depend on it.
        function neargrid_search_set_ghost_rows(search, which) &
            bind(c, name="neargrid_search_set_ghost_rows") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: which
            integer(c_int) :: status
        end function neargrid_search_set_ghost_rows

        !> Sets a global id for each point. Results then follow the ids instead of the point
        !> numbers: the same points in another order, or in another process, give the same pairs in
        !> the same order. Results still contain point numbers in the index base. The handle keeps a
        !> copy of the ids, which remains when points are set again.
        function neargrid_search_set_ids(search, n, ids, stride) &
            bind(c, name="neargrid_search_set_ids") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: ids
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_ids

        !> Sets pairs of points that are not neighbors, however near they are, such as atoms that
        !> bonds join. Pairs, rows of points, counts, chunks and Verlet lists leave them out. The
        !> rows of queries, k nearest neighbors, groups and the rows of many systems do not know
        !> them. In a cell an excluded pair is left out with all its images, or by
        !> neargrid_search_set_exclusions_shifts with one. The handle keeps a copy, which remains
        !> when points are set again.
        function neargrid_search_set_exclusions(search, n, offsets, ids, classes) &
            bind(c, name="neargrid_search_set_exclusions") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*), classes(*)
            integer(c_int) :: status
        end function neargrid_search_set_exclusions

        !> As neargrid_search_set_exclusions, of one image of each point in a cell
        !> (neargrid_search_set_cell), as bonds in a cell that is smaller than the cutoff need it.
        !> Point i does not list the image of point j by the shift S of three integers; other images
        !> of j are its neighbors. S has the meaning of the shifts of neargrid_images_view: the
        !> image is at x_j + S1*a + S2*b + S3*c, with x_j as it was given.
        function neargrid_search_set_exclusions_shifts(search, n, offsets, ids, shifts, classes) &
            bind(c, name="neargrid_search_set_exclusions_shifts") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*), shifts(*), classes(*)
            integer(c_int) :: status
        end function neargrid_search_set_exclusions_shifts

        !> As neargrid_search_set_exclusions, but with the global ids of points instead of their
        !> numbers, also across ranks. Set the points and their ids (neargrid_search_set_ids)
        !> before: row i belongs to the present point i. From then on the exclusions follow the ids,
        !> also if the points get other numbers or their count changes. Ids without a point play no
        !> part, and points with other ids have no exclusions. If no ids are set, the point numbers
        !> are the ids. A query fails with BAD_STATE if ids were set or removed after this call.
        function neargrid_search_set_exclusions_by_ids(search, n, offsets, ids, classes) &
            bind(c, name="neargrid_search_set_exclusions_by_ids") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int64_t), intent(in) :: ids(*)
            integer(c_int32_t), intent(in), optional :: classes(*)
            integer(c_int) :: status
        end function neargrid_search_set_exclusions_by_ids

        !> As neargrid_search_set_exclusions_shifts, with global ids as
        !> neargrid_search_set_exclusions_by_ids has them, also across ranks. There positions are
        !> those that each rank gave.
        function neargrid_search_set_exclusions_by_ids_shifts(search, n, offsets, ids, shifts, &
            classes) &
            bind(c, name="neargrid_search_set_exclusions_by_ids_shifts") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int64_t), intent(in) :: ids(*)
            integer(c_int32_t), intent(in), optional :: shifts(*), classes(*)
            integer(c_int) :: status
        end function neargrid_search_set_exclusions_by_ids_shifts

        !> Sets a radius for each point or each query, in real64, and the rule that gives the cutoff
        !> c of a pair from its two radii. Two points are a pair if d2 <= c * c, or d2 < c * c with
        !> the exclusive tie rule. While points have radii, the cutoff is not used and need not be
        !> set. The handle keeps a copy, which remains when points or queries are set again. A few
        !> large radii do not slow down the search around the other points.
        function neargrid_search_set_radii_f64(search, of, n, radii, stride, rule) &
            bind(c, name="neargrid_search_set_radii_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: of
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: radii
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_search_set_radii_f64

        !> As neargrid_search_set_radii_f64, in real32.
        function neargrid_search_set_radii_f32(search, of, n, radii, stride, rule) &
            bind(c, name="neargrid_search_set_radii_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: of
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: radii
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_search_set_radii_f32

        !> Sets queries, in real64: a second set of points whose neighbors among the points are
        !> searched. neargrid_neighbors_count, neargrid_neighbors_copy, neargrid_neighbors_view and
        !> neargrid_chunks_begin search them with neargrid_neighbors_queries, and
        !> neargrid_knn_copy_f64 and neargrid_knn_view_f64 with neargrid_knn_queries. The handle
        !> keeps a copy, which takes as much memory as the same number of points. Set the points
        !> first; setting points again, neargrid_search_add_points_f64 and
        !> neargrid_search_update_f64 discard the queries, and then calls that need them return
        !> BAD_STATE until queries are set again. Types and ghosts do not matter to queries: their
        !> rows list every point in reach.
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

        !> As neargrid_search_set_queries_f64, in real32.
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

        !> Counts the pairs without building a list. The count may exceed 2^31.
        function neargrid_pairs_count(search, npairs) &
            bind(c, name="neargrid_pairs_count") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int) :: status
        end function neargrid_pairs_count

        !> Copies all pairs into the caller's arrays, in the index base of the handle, with i < j
        !> and ordered by (i, j). If points have global ids, these decide the order instead
        !> (neargrid_search_set_ids).
        function neargrid_pairs_copy(search, capacity, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_pairs_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int32_t), intent(inout), optional :: pair_i(*), pair_j(*)
            integer(c_int) :: status
        end function neargrid_pairs_copy

        !> Returns all pairs as a view, with the contents of neargrid_pairs_copy.
        function neargrid_pairs_view(search, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_pairs_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: npairs
            type(c_ptr), intent(inout) :: pair_i, pair_j
            integer(c_int) :: status
        end function neargrid_pairs_view

        !> Computes distances and displacements of pairs that the caller holds, in real64. No search
        !> is made and no cutoff is needed: the pairs may be any, in any order, including the arrays
        !> of a view.
        function neargrid_pairs_distances_f64(search, npairs, pair_i, pair_j, distances, &
            displacements) &
            bind(c, name="neargrid_pairs_distances_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: npairs
            integer(c_int32_t), intent(in), optional :: pair_i(*), pair_j(*)
            real(c_double), intent(inout), optional :: distances(*), displacements(*)
            integer(c_int) :: status
        end function neargrid_pairs_distances_f64

        !> As neargrid_pairs_distances_f64, for points in real32.
        function neargrid_pairs_distances_f32(search, npairs, pair_i, pair_j, distances, &
            displacements) &
            bind(c, name="neargrid_pairs_distances_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: npairs
            integer(c_int32_t), intent(in), optional :: pair_i(*), pair_j(*)
            real(c_float), intent(inout), optional :: distances(*), displacements(*)
            integer(c_int) :: status
        end function neargrid_pairs_distances_f32

        !> Counts the ids in all rows without building a list.
        function neargrid_neighbors_count(search, kind, total) &
            bind(c, name="neargrid_neighbors_count") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: total
            integer(c_int) :: status
        end function neargrid_neighbors_count

        !> Copies the rows of neighbors into the caller's arrays, in compressed form (CSR). In index
        !> base b, row i is `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`, in ascending
        !> order, or in the order of the global ids if they are set (neargrid_search_set_ids). A row
        !> of queries lists all points within the cutoff, including points that coincide with the
        !> query.
        function neargrid_neighbors_copy(search, kind, n, capacity, total, offsets, ids) &
            bind(c, name="neargrid_neighbors_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: n, capacity
            integer(c_int64_t), intent(inout) :: total, offsets(*)
            integer(c_int32_t), intent(inout), optional :: ids(*)
            integer(c_int) :: status
        end function neargrid_neighbors_copy

        !> Returns the rows of neighbors as a view, with the contents of neargrid_neighbors_copy.
        function neargrid_neighbors_view(search, kind, n, total, offsets, ids) &
            bind(c, name="neargrid_neighbors_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_neighbors_view

        !> Computes distances and displacements of neighbors in rows that the caller holds, in
        !> real64: those of `ids[k]` from the point in whose row it is, as
        !> neargrid_pairs_distances_f64 does. The rows may be half or full rows, a view, or any
        !> other rows of points. For rows of queries see neargrid_queries_distances_f64.
        function neargrid_neighbors_distances_f64(search, n, total, offsets, ids, distances, &
            displacements) &
            bind(c, name="neargrid_neighbors_distances_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n, total
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            real(c_double), intent(inout), optional :: distances(*), displacements(*)
            integer(c_int) :: status
        end function neargrid_neighbors_distances_f64

        !> As neargrid_neighbors_distances_f64, for points in real32.
        function neargrid_neighbors_distances_f32(search, n, total, offsets, ids, distances, &
            displacements) &
            bind(c, name="neargrid_neighbors_distances_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n, total
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            real(c_float), intent(inout), optional :: distances(*), displacements(*)
            integer(c_int) :: status
        end function neargrid_neighbors_distances_f32

        !> Computes distances and displacements in rows of queries, in real64: those of `ids[k]`
        !> from the query in whose row it is. A displacement is the query minus the point. Types,
        !> ghosts and the cutoff do not matter.
        function neargrid_queries_distances_f64(search, n, total, offsets, ids, distances, &
            displacements) &
            bind(c, name="neargrid_queries_distances_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n, total
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            real(c_double), intent(inout), optional :: distances(*), displacements(*)
            integer(c_int) :: status
        end function neargrid_queries_distances_f64

        !> As neargrid_queries_distances_f64, for points and queries in real32.
        function neargrid_queries_distances_f32(search, n, total, offsets, ids, distances, &
            displacements) &
            bind(c, name="neargrid_queries_distances_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n, total
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            real(c_float), intent(inout), optional :: distances(*), displacements(*)
            integer(c_int) :: status
        end function neargrid_queries_distances_f32

        !> Copies the rows of neighbors into a table whose rows all have `width` elements. Row i is
        !> `ids[i * width]` to `ids[i * width + counts[i] - 1]`, in the order of
        !> neargrid_neighbors_copy; the rest of the row is filled with the index base minus 1.
        function neargrid_neighbors_padded(search, kind, n, width, longest, ids, counts) &
            bind(c, name="neargrid_neighbors_padded") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: n, width
            integer(c_int64_t), intent(inout) :: longest
            integer(c_int32_t), intent(inout) :: ids(*), counts(*)
            integer(c_int) :: status
        end function neargrid_neighbors_padded

        !> As neargrid_neighbors_copy, with offsets of 32 bits, for codes that have such arrays.
        !> More than 2^31 - 1 entries and index base are refused.
        function neargrid_neighbors_copy_32(search, kind, n, capacity, total, offsets, ids) &
            bind(c, name="neargrid_neighbors_copy_32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: n, capacity
            integer(c_int32_t), intent(inout) :: total, offsets(*)
            integer(c_int32_t), intent(inout), optional :: ids(*)
            integer(c_int) :: status
        end function neargrid_neighbors_copy_32

        !> Counts neighbors in bins of distance, for a radial distribution function for example:
        !> `counts[k]` is the number of entries in the rows of a kind with `edges[k]`^2 <= d2 <
        !> `edges[k + 1]`^2. Here d2 is the squared distance that decides about pairs, and edges are
        !> rounded to the precision of the points before they are squared. No list of all rows is
        !> made.
        function neargrid_neighbors_histogram(search, kind, nbins, edges, counts) &
            bind(c, name="neargrid_neighbors_histogram") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: nbins
            real(c_double), intent(in) :: edges(*)
            integer(c_int64_t), intent(inout) :: counts(*)
            integer(c_int) :: status
        end function neargrid_neighbors_histogram

        !> Sets a cell of three vectors in any orientation, of which any may be periodic; or removes
        !> it. neargrid_images_copy returns the rows of neighbors in a cell, and neargrid_search_run
        !> evaluates formulas over them. Other queries return NOT_SUPPORTED while a cell is set.
        function neargrid_search_set_cell(search, cell, periodic) &
            bind(c, name="neargrid_search_set_cell") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), optional :: cell(*)
            integer(c_int32_t), intent(in), optional :: periodic(*)
            integer(c_int) :: status
        end function neargrid_search_set_cell

        !> Counts the entries in the rows of neargrid_images_copy. The handle keeps the rows, so
        !> that they can be requested afterwards without another search.
        function neargrid_images_count(search, kind, total) &
            bind(c, name="neargrid_images_count") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: total
            integer(c_int) :: status
        end function neargrid_images_count

        !> Copies the rows of neighbors in the cell into the caller's arrays, in compressed form
        !> (CSR), with all images. In index base b, the entries of row i are `offsets[i] - b` to
        !> `offsets[i + 1] - 1 - b`. Entry k is point j = `ids[k]` with the shift S = (`shifts[3 *
        !> k]`, `shifts[3 * k + 1]`, `shifts[3 * k + 2]`): the image of j, x_j + S1 * a + S2 * b +
        !> S3 * c with the vectors a, b, c of the cell, is within the cutoff of x_i. The positions
        !> are those that were given, also outside of the cell. So the vector from i to the image is
        !> D = x_j - x_i + S * cell. Displacements of neargrid_pairs_distances_f64 and d in formulas
        !> have the other sign, x_i - x_j.
        function neargrid_images_copy(search, kind, n, capacity, total, offsets, ids, shifts) &
            bind(c, name="neargrid_images_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: n, capacity
            integer(c_int64_t), intent(inout) :: total, offsets(*)
            integer(c_int32_t), intent(inout), optional :: ids(*), shifts(*)
            integer(c_int) :: status
        end function neargrid_images_copy

        !> Returns the rows of neighbors in the cell as a view, with the contents of
        !> neargrid_images_copy.
        function neargrid_images_view(search, kind, n, total, offsets, ids, shifts) &
            bind(c, name="neargrid_images_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids, shifts
            integer(c_int) :: status
        end function neargrid_images_view

        !> Moves the rows of neighbors out of the handle into a list, which keeps them. They are
        !> those of neargrid_neighbors_view, and nothing is copied: the handle gives its memory
        !> away, and goes on with the memory that the list had. Two lists that take turns allocate
        !> nothing once they are large enough.
        function neargrid_neighbors_take(search, kind, list) &
            bind(c, name="neargrid_neighbors_take") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            type(c_ptr), intent(inout) :: list
            integer(c_int) :: status
        end function neargrid_neighbors_take

        !> Moves rows of neighbors by several cutoffs into lists, a list for each cutoff. Each list
        !> has the rows that neargrid_neighbors_take delivers with that cutoff, but the points are
        !> searched once, by the largest cutoff, where that is faster.
        function neargrid_neighbors_take_by_cutoffs(search, kind, n, cutoffs, lists) &
            bind(c, name="neargrid_neighbors_take_by_cutoffs") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: cutoffs(*)
            type(c_ptr), intent(inout) :: lists(*)
            integer(c_int) :: status
        end function neargrid_neighbors_take_by_cutoffs

        !> Returns the rows of a list as a view, with the contents of neargrid_neighbors_copy. Its
        !> index base is `offsets[0]`.
        function neargrid_list_view(list, n, total, offsets, ids) &
            bind(c, name="neargrid_list_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: list
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_list_view

        !> Frees a list. Does nothing if `list` is NULL.
        subroutine neargrid_list_destroy(list) bind(c, name="neargrid_list_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: list
        end subroutine neargrid_list_destroy

        !> Finds the half or full rows of many systems of points at once, in real64, and returns
        !> them as a view. Points of one system follow each other, and list neighbors of their own
        !> system alone. Rows and ids have the numbers of the points in the arrays given. So a
        !> thousand molecules of a hundred atoms take one call, and all threads.
        function neargrid_systems_view_f64(search, kind, dim, nsystems, firsts, x, y, z, stride, &
            cutoffs, lo, length, periodic, total, offsets, ids) &
            bind(c, name="neargrid_systems_view_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, dim
            integer(c_int64_t), intent(in), value :: nsystems
            type(c_ptr), intent(in), value :: firsts, x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: cutoffs, lo, length, periodic
            integer(c_int64_t), intent(inout) :: total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_systems_view_f64

        !> As neargrid_systems_view_f64, in real32.
        function neargrid_systems_view_f32(search, kind, dim, nsystems, firsts, x, y, z, stride, &
            cutoffs, lo, length, periodic, total, offsets, ids) &
            bind(c, name="neargrid_systems_view_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, dim
            integer(c_int64_t), intent(in), value :: nsystems
            type(c_ptr), intent(in), value :: firsts, x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: cutoffs, lo, length, periodic
            integer(c_int64_t), intent(inout) :: total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_systems_view_f32

        !> Starts to return rows in chunks, so that a result may be larger than memory. The memory
        !> used depends on the number of points and on `max_entries`, but not on the size of the
        !> result. Each chunk contains as many whole rows, in order, as fit into `max_entries`
        !> entries. neargrid_chunks_next and neargrid_chunks_next_pairs return the chunks. The skin
        !> is not used.
        function neargrid_chunks_begin(search, kind, max_entries, total) &
            bind(c, name="neargrid_chunks_begin") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: max_entries
            integer(c_int64_t), intent(inout) :: total
            integer(c_int) :: status
        end function neargrid_chunks_begin

        !> Returns the next chunk as a view of rows. In index base b, row first_row + k is
        !> `ids[offsets[k] - b]` to `ids[offsets[k + 1] - 1 - b]`, in ascending order, or in the
        !> order of the global ids.
        function neargrid_chunks_next(search, first_row, nrows, offsets, ids) &
            bind(c, name="neargrid_chunks_next") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: first_row, nrows
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_chunks_next

        !> Returns the next chunk as a view of pairs, ordered by (`pair_i`, `pair_j`): `pair_i` is
        !> the number of a row, which is that of a query for neargrid_neighbors_queries, and
        !> `pair_j` an id in this row. Calls may alternate with neargrid_chunks_next, unless points
        !> have global ids: the order of pairs then differs from that of rows (BAD_STATE).
        function neargrid_chunks_next_pairs(search, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_chunks_next_pairs") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: npairs
            type(c_ptr), intent(inout) :: pair_i, pair_j
            integer(c_int) :: status
        end function neargrid_chunks_next_pairs

        !> Carries the values of contacts from an old list to a new one, in real64. The entry of the
        !> new list that lists j in the row of i takes the values that the old list has for j in the
        !> row of i. If it has none, it takes those for i in the row of j, each times its sign; and
        !> if there is neither, zeros. So both lists may have half or full rows. The call needs no
        !> points and makes no search; the handle gives the index base and the number of threads,
        !> which does not change the result.
        function neargrid_carry_f64(search, old_first_row, old_n, old_offsets, old_ids, &
            old_npoints, old_global_ids, first_row, n, offsets, ids, npoints, global_ids, columns, &
            signs, old_values, values, nlost, lost) &
            bind(c, name="neargrid_carry_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: old_first_row, old_n
            integer(c_int64_t), intent(in), optional :: old_offsets(*)
            integer(c_int32_t), intent(in), optional :: old_ids(*)
            integer(c_int64_t), intent(in), value :: old_npoints
            integer(c_int64_t), intent(in), optional :: old_global_ids(*)
            integer(c_int64_t), intent(in), value :: first_row, n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            integer(c_int64_t), intent(in), value :: npoints
            integer(c_int64_t), intent(in), optional :: global_ids(*)
            integer(c_int64_t), intent(in), value :: columns
            integer(c_int32_t), intent(in), optional :: signs(*)
            real(c_double), intent(in), optional :: old_values(*)
            real(c_double), intent(inout), optional :: values(*)
            integer(c_int64_t), intent(inout), optional :: nlost, lost(*)
            integer(c_int) :: status
        end function neargrid_carry_f64

        !> As neargrid_carry_f64, for values in real32.
        function neargrid_carry_f32(search, old_first_row, old_n, old_offsets, old_ids, &
            old_npoints, old_global_ids, first_row, n, offsets, ids, npoints, global_ids, columns, &
            signs, old_values, values, nlost, lost) &
            bind(c, name="neargrid_carry_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: old_first_row, old_n
            integer(c_int64_t), intent(in), optional :: old_offsets(*)
            integer(c_int32_t), intent(in), optional :: old_ids(*)
            integer(c_int64_t), intent(in), value :: old_npoints
            integer(c_int64_t), intent(in), optional :: old_global_ids(*)
            integer(c_int64_t), intent(in), value :: first_row, n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            integer(c_int64_t), intent(in), value :: npoints
            integer(c_int64_t), intent(in), optional :: global_ids(*)
            integer(c_int64_t), intent(in), value :: columns
            integer(c_int32_t), intent(in), optional :: signs(*)
            real(c_float), intent(in), optional :: old_values(*)
            real(c_float), intent(inout), optional :: values(*)
            integer(c_int64_t), intent(inout), optional :: nlost, lost(*)
            integer(c_int) :: status
        end function neargrid_carry_f32

        !> Sets the radius within which the k nearest are searched. A row then lists the nearest
        !> points that a search with this radius as cutoff finds, by the same tie rule, and may have
        !> fewer than k.
        function neargrid_search_set_knn_within(search, radius) &
            bind(c, name="neargrid_search_set_knn_within") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: radius
            integer(c_int) :: status
        end function neargrid_search_set_knn_within

        !> Copies the k nearest points of each active point, or of each query, into the caller's
        !> arrays. Row i is `ids[i * k]` to `ids[i * k + k - 1]`, ordered by squared distance and
        !> then by id, in the index base of the handle. The result is the same on the CPU and on a
        !> GPU.
        function neargrid_knn_copy_f64(search, kind, k, measure, capacity, n, ids, distances, &
            counts) &
            bind(c, name="neargrid_knn_copy_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout), optional :: n
            integer(c_int32_t), intent(inout), optional :: ids(*)
            real(c_double), intent(inout), optional :: distances(*)
            integer(c_int32_t), intent(inout), optional :: counts(*)
            integer(c_int) :: status
        end function neargrid_knn_copy_f64

        !> As neargrid_knn_copy_f64, for points in real32.
        function neargrid_knn_copy_f32(search, kind, k, measure, capacity, n, ids, distances, &
            counts) &
            bind(c, name="neargrid_knn_copy_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout), optional :: n
            integer(c_int32_t), intent(inout), optional :: ids(*)
            real(c_float), intent(inout), optional :: distances(*)
            integer(c_int32_t), intent(inout), optional :: counts(*)
            integer(c_int) :: status
        end function neargrid_knn_copy_f32

        !> Returns the k nearest neighbors as a view, with the contents of neargrid_knn_copy_f64.
        function neargrid_knn_view_f64(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_knn_view_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_knn_view_f64

        !> As neargrid_knn_view_f64, for points in real32.
        function neargrid_knn_view_f32(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_knn_view_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_knn_view_f32

        !> Finds friends-of-friends groups and copies the label of each point into the caller's
        !> array. Two points are friends if they are a pair within the cutoff, which is the linking
        !> length, by the tie rule of the handle. A group is a set of points connected by chains of
        !> friends. The label of a group is its point with the smallest number, or with the smallest
        !> global id if ids are set. Labels are point numbers in the index base, and do not depend
        !> on the number of threads.
        function neargrid_fof_copy(search, n, labels, ngroups) &
            bind(c, name="neargrid_fof_copy") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(inout), optional :: labels(*)
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_fof_copy

        !> Returns the labels of friends-of-friends groups as a view, with the contents of
        !> neargrid_fof_copy. A repeated call does not repeat the search.
        function neargrid_fof_view(search, n, labels, ngroups) &
            bind(c, name="neargrid_fof_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: labels
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_fof_view

        !> As neargrid_fof_copy, with labels that are global ids. The label of a group is the
        !> smallest global id of its points. Where no ids are set, it is the smallest point number.
        function neargrid_fof_copy_ids(search, n, labels, ngroups) &
            bind(c, name="neargrid_fof_copy_ids") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(inout), optional :: labels(*)
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_fof_copy_ids

        !> Sets which types of points (neargrid_search_set_types) link into groups; for example dark
        !> matter, but not gas and stars. A point of another type connects nothing. It joins the
        !> group of the nearest linking point within the cutoff, by the tie rule; among equally near
        !> ones, of the one with the smaller number or global id. If there is none, it is a group of
        !> its own. Only searches for groups use this setting. Across ranks it is the same on all
        !> ranks that have points.
        function neargrid_search_set_primary_types(search, ntypes, primary) &
            bind(c, name="neargrid_search_set_primary_types") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: ntypes
            integer(c_int32_t), intent(in) :: primary(*)
            integer(c_int) :: status
        end function neargrid_search_set_primary_types

        !> Builds the catalogue of friends-of-friends groups that have at least `min_size` points,
        !> with masses and velocities in real64. neargrid_groups_view_members and
        !> neargrid_groups_view_sums return it.
        function neargrid_groups_find_f64(search, min_size, n, masses, mass_stride, vx, vy, vz, &
            stride, ngroups) &
            bind(c, name="neargrid_groups_find_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size, n
            type(c_ptr), intent(in), value :: masses
            integer(c_int64_t), intent(in), value :: mass_stride
            type(c_ptr), intent(in), value :: vx, vy, vz
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_groups_find_f64

        !> As neargrid_groups_find_f64, in real32.
        function neargrid_groups_find_f32(search, min_size, n, masses, mass_stride, vx, vy, vz, &
            stride, ngroups) &
            bind(c, name="neargrid_groups_find_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size, n
            type(c_ptr), intent(in), value :: masses
            integer(c_int64_t), intent(in), value :: mass_stride
            type(c_ptr), intent(in), value :: vx, vy, vz
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_groups_find_f32

        !> Returns the groups found last and their members as a view. Groups are ordered by size,
        !> the largest first; groups of equal size by label, or by the global id of the label. In
        !> index base b, the members of group g are `order[offsets[g] - b]` to `order[offsets[g + 1]
        !> - 1 - b]`, in ascending order. The points of groups below `min_size` follow at the end of
        !> `order`, also in ascending order, so that `order` is a permutation for neargrid_reorder.
        function neargrid_groups_view_members(search, ngroups, labels, sizes, offsets, order) &
            bind(c, name="neargrid_groups_view_members") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            type(c_ptr), intent(inout) :: labels, sizes, offsets, order
            integer(c_int) :: status
        end function neargrid_groups_view_members

        !> Copies the global ids of the labels of the groups found last, and the groups' sizes, in
        !> the order of neargrid_groups_view_sums. The label of a group is the smallest global id of
        !> its points, or the smallest point number where no ids are set: its members are the points
        !> that have this label by neargrid_fof_copy_ids.
        function neargrid_groups_copy_ids(search, capacity, ngroups, labels, sizes) &
            bind(c, name="neargrid_groups_copy_ids") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: capacity
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int64_t), intent(inout), optional :: labels(*), sizes(*)
            integer(c_int) :: status
        end function neargrid_groups_copy_ids

        !> Returns sums over the members of the groups found last as a view, in real64 and in the
        !> order of neargrid_groups_view_members. The arrays are owned by the handle.
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

        !> Creates a formula from its text.
        function neargrid_formula_create(text, formula) &
            bind(c, name="neargrid_formula_create") result(status)
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(inout) :: formula
            integer(c_int) :: status
        end function neargrid_formula_create

        !> Frees a formula. Does nothing if `formula` is NULL.
        subroutine neargrid_formula_destroy(formula) bind(c, name="neargrid_formula_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: formula
        end subroutine neargrid_formula_destroy

        !> Sets the precision of all operations and outputs. Coordinates, fields and constants are
        !> rounded to it once.
        function neargrid_formula_set_precision(formula, precision) &
            bind(c, name="neargrid_formula_set_precision") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            integer(c_int32_t), intent(in), value :: precision
            integer(c_int) :: status
        end function neargrid_formula_set_precision

        !> Sets whether a point is a neighbor of itself, at its place in its row and with r = 0.
        function neargrid_formula_set_include_self(formula, include) &
            bind(c, name="neargrid_formula_set_include_self") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            integer(c_int32_t), intent(in), value :: include
            integer(c_int) :: status
        end function neargrid_formula_set_include_self

        !> Sets a constant of the formula.
        function neargrid_formula_set_constant(formula, name, value) &
            bind(c, name="neargrid_formula_set_constant") result(status)
            import :: c_char, c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), intent(in), value :: value
            integer(c_int) :: status
        end function neargrid_formula_set_constant

        !> Returns a constant of the formula, or a number that its statements have made in the last
        !> run.
        function neargrid_formula_number(formula, name, value) &
            bind(c, name="neargrid_formula_number") result(status)
            import :: c_char, c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_formula_number

        !> Sets a radial table of the formula: values at equal steps, linear between them. Before
        !> the first and after the last value it is that value.
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

        !> As neargrid_formula_set_table, with a cubic spline between the values, which must be
        !> finite. Its first and second derivatives are continuous, and its third one is at the
        !> second value and at the last but one ("not a knot").
        function neargrid_formula_set_cubic_table(formula, name, of, first, last, n, values) &
            bind(c, name="neargrid_formula_set_cubic_table") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: formula
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of
            real(c_double), intent(in), value :: first, last
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in) :: values(*)
            integer(c_int) :: status
        end function neargrid_formula_set_cubic_table

        !> Runs a formula: its sums over the neighbors of each point or query, its statements for
        !> each point, and its numbers. The rows are those of neargrid_neighbors_copy with the same
        !> kind, found in chunks, so that memory does not grow with the number of neighbors. Chunks
        !> of neargrid_chunks_begin end with this call, and views of lists become invalid.
        !> neargrid_field_copy_f64 returns the fields that it makes, neargrid_formula_number its
        !> numbers.
        function neargrid_search_run(search, formula, kind, times) &
            bind(c, name="neargrid_search_run") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search, formula
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: times
            integer(c_int) :: status
        end function neargrid_search_run

        !> Sets a field, in real64: numbers or vectors of the points, or of the queries, which
        !> formulas read by its name with `_i` and `_j`. A name with `_i` reads those of queries
        !> where rows are those of queries. The handle keeps a copy until the field is set again or
        !> a formula makes it.
        function neargrid_search_set_field_f64(search, name, of, components, n, x, y, z, stride) &
            bind(c, name="neargrid_search_set_field_f64") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of, components
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_field_f64

        !> As neargrid_search_set_field_f64, in real32.
        function neargrid_search_set_field_f32(search, name, of, components, n, x, y, z, stride) &
            bind(c, name="neargrid_search_set_field_f32") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of, components
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_search_set_field_f32

        !> Returns how many numbers a field has.
        function neargrid_field_size(search, name, of, components, n) &
            bind(c, name="neargrid_field_size") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of
            integer(c_int32_t), intent(inout) :: components
            integer(c_int64_t), intent(inout) :: n
            integer(c_int) :: status
        end function neargrid_field_size

        !> Copies a field that was set or that a formula has made, or the positions of the points,
        !> to real64.
        function neargrid_field_copy_f64(search, name, of, components, n, x, y, z, stride) &
            bind(c, name="neargrid_field_copy_f64") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of, components
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_field_copy_f64

        !> As neargrid_field_copy_f64, to real32: real64 numbers are rounded.
        function neargrid_field_copy_f32(search, name, of, components, n, x, y, z, stride) &
            bind(c, name="neargrid_field_copy_f32") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: of, components
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int) :: status
        end function neargrid_field_copy_f32

        !> Sets a pair field, in real64: a number or a vector for each entry of rows, which formulas
        !> read by its name with `_ij`, and to which they give new values. It lives from one run to
        !> the next: a statement `name_ij = ...` reads the newest value of its pair, whatever rows
        !> the pair is in now. A pair that the rows do not have has the value 0. The handle keeps a
        !> copy of the rows and of the values.
        function neargrid_search_set_pair_field_f64(search, name, components, n, offsets, ids, &
            values) &
            bind(c, name="neargrid_search_set_pair_field_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            real(c_double), intent(in), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_search_set_pair_field_f64

        !> As neargrid_search_set_pair_field_f64, in real32.
        function neargrid_search_set_pair_field_f32(search, name, components, n, offsets, ids, &
            values) &
            bind(c, name="neargrid_search_set_pair_field_f32") result(status)
            import :: c_char, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*)
            integer(c_int32_t), intent(in), optional :: ids(*)
            real(c_float), intent(in), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_search_set_pair_field_f32

        !> As neargrid_search_set_pair_field_f64, with rows that list the global ids of points in
        !> the place of their numbers, also across ranks. Without ids they are the point numbers.
        !> With them, a program that goes on from a file may number its points in another way than
        !> the one that wrote it, and have another number of ranks.
        function neargrid_search_set_pair_field_by_ids_f64(search, name, components, n, offsets, &
            ids, values) &
            bind(c, name="neargrid_search_set_pair_field_by_ids_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*), ids(*)
            real(c_double), intent(in), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_search_set_pair_field_by_ids_f64

        !> As neargrid_search_set_pair_field_by_ids_f64, in real32.
        function neargrid_search_set_pair_field_by_ids_f32(search, name, components, n, offsets, &
            ids, values) &
            bind(c, name="neargrid_search_set_pair_field_by_ids_f32") result(status)
            import :: c_char, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n
            integer(c_int64_t), intent(in), optional :: offsets(*), ids(*)
            real(c_float), intent(in), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_search_set_pair_field_by_ids_f32

        !> Returns the size of a pair field that was set or that a formula has made. Across ranks it
        !> is that of this rank's rows.
        function neargrid_pair_field_size(search, name, components, n, entries) &
            bind(c, name="neargrid_pair_field_size") result(status)
            import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(inout) :: components
            integer(c_int64_t), intent(inout) :: n, entries
            integer(c_int) :: status
        end function neargrid_pair_field_size

        !> Copies a pair field that was set or that a formula has made to real64, and the rows whose
        !> entries have its values: those of the last statement that made it, or as they were set. A
        !> restart needs them, and the global ids of the points. Across ranks rows list ids
        !> (neargrid_pair_field_copy_ids_f64).
        function neargrid_pair_field_copy_f64(search, name, components, n, entries, offsets, ids, &
            values) &
            bind(c, name="neargrid_pair_field_copy_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n, entries
            integer(c_int64_t), intent(inout) :: offsets(*)
            integer(c_int32_t), intent(inout), optional :: ids(*)
            real(c_double), intent(inout), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_pair_field_copy_f64

        !> As neargrid_pair_field_copy_f64, to real32: real64 values are rounded.
        function neargrid_pair_field_copy_f32(search, name, components, n, entries, offsets, ids, &
            values) &
            bind(c, name="neargrid_pair_field_copy_f32") result(status)
            import :: c_char, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n, entries
            integer(c_int64_t), intent(inout) :: offsets(*)
            integer(c_int32_t), intent(inout), optional :: ids(*)
            real(c_float), intent(inout), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_pair_field_copy_f32

        !> As neargrid_pair_field_copy_f64, with the global ids of points in the place of their
        !> numbers, also across ranks. Where no ids are set, they are the point numbers. Each row
        !> ascends. With neargrid_search_set_pair_field_by_ids_f64 a program goes on from them on
        !> any number of ranks.
        function neargrid_pair_field_copy_ids_f64(search, name, components, n, entries, offsets, &
            ids, values) &
            bind(c, name="neargrid_pair_field_copy_ids_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n, entries
            integer(c_int64_t), intent(inout) :: offsets(*)
            integer(c_int64_t), intent(inout), optional :: ids(*)
            real(c_double), intent(inout), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_pair_field_copy_ids_f64

        !> As neargrid_pair_field_copy_ids_f64, to real32: real64 values are rounded.
        function neargrid_pair_field_copy_ids_f32(search, name, components, n, entries, offsets, &
            ids, values) &
            bind(c, name="neargrid_pair_field_copy_ids_f32") result(status)
            import :: c_char, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(in), value :: components
            integer(c_int64_t), intent(in), value :: n, entries
            integer(c_int64_t), intent(inout) :: offsets(*)
            integer(c_int64_t), intent(inout), optional :: ids(*)
            real(c_float), intent(inout), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_pair_field_copy_ids_f32

        !> Finds for each active point, or for each query, the smallest radius at which a sum over
        !> the neighbors within it reaches a target: smoothing lengths. The formula runs once for
        !> each trial of all points, with the rule neargrid_radius_gather. In the formula c is the
        !> radius of the row's point. The sum must not decrease where the radius grows. The results
        !> are the same on the CPU and on a GPU.
        function neargrid_solve_radii_f64(search, formula, kind, field, target, smallest, largest, &
            tolerance, max_iterations, capacity, n, radii, outcomes, nunsolved) &
            bind(c, name="neargrid_solve_radii_f64") result(status)
            import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search, formula
            integer(c_int32_t), intent(in), value :: kind
            character(kind=c_char), intent(in) :: field(*)
            real(c_double), intent(in), value :: target, smallest, largest, tolerance
            integer(c_int64_t), intent(in), value :: max_iterations, capacity
            integer(c_int64_t), intent(inout) :: n
            real(c_double), intent(inout) :: radii(*)
            integer(c_int32_t), intent(inout), optional :: outcomes(*)
            integer(c_int64_t), intent(inout) :: nunsolved
            integer(c_int) :: status
        end function neargrid_solve_radii_f64

        !> As neargrid_solve_radii_f64, for points in real32.
        function neargrid_solve_radii_f32(search, formula, kind, field, target, smallest, largest, &
            tolerance, max_iterations, capacity, n, radii, outcomes, nunsolved) &
            bind(c, name="neargrid_solve_radii_f32") result(status)
            import :: c_char, c_double, c_float, c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search, formula
            integer(c_int32_t), intent(in), value :: kind
            character(kind=c_char), intent(in) :: field(*)
            real(c_double), intent(in), value :: target, smallest, largest, tolerance
            integer(c_int64_t), intent(in), value :: max_iterations, capacity
            integer(c_int64_t), intent(inout) :: n
            real(c_float), intent(inout) :: radii(*)
            integer(c_int32_t), intent(inout), optional :: outcomes(*)
            integer(c_int64_t), intent(inout) :: nunsolved
            integer(c_int) :: status
        end function neargrid_solve_radii_f32

        !> Sets a skin, for points that move little from step to step. Queries for pairs and
        !> neighbors then build a list of all pairs within cutoff plus skin.
        !> neargrid_search_update_f64 keeps this list while no point has moved by more than half the
        !> skin, and queries take their result from it. Results are exact for the current points,
        !> and identical to those of a search without a skin. Queries set by
        !> neargrid_search_set_queries_f64 do not use the list. With radii, the list has all pairs
        !> within the cutoffs of radii that are larger by the skin.
        function neargrid_search_set_skin(search, skin) &
            bind(c, name="neargrid_search_set_skin") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: skin
            integer(c_int) :: status
        end function neargrid_search_set_skin

        !> Sets the points of the next time step, in real64. It works as
        !> neargrid_search_set_points_f64, but keeps the list built with the skin if no point has
        !> moved too far since the list was built. The list is rebuilt if the number, dimension or
        !> precision of the points changed, or any setting that it depends on. Where
        !> neargrid_search_set_box has changed the lengths of periodic axes, the length of the
        !> vector of these changes is taken off the skin, as twice the largest displacement is.
        !> Without a skin, or before the first query, this is the same as
        !> neargrid_search_set_points_f64.
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

        !> As neargrid_search_update_f64, in real32.
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

        !> Reports how much of the skin the last neargrid_search_update_f64 used.
        function neargrid_search_skin_used(search, share) &
            bind(c, name="neargrid_search_skin_used") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(inout) :: share
            integer(c_int) :: status
        end function neargrid_search_skin_used

        !> Returns the Verlet list as a view: the rows of all pairs that were within cutoff plus
        !> skin when the list was made. It is not filtered, so that a loop over it decides by its
        !> own distances what is in reach. As long as neargrid_search_update_f64 keeps the list, it
        !> has every pair that is within the cutoff now, and the same rows at every call. The list
        !> is made if there is none of this kind for the current points and settings.
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

        !> Computes a spatial order of the points: `order[k]` is the number, in the index base of
        !> the handle, of the k-th point along a z-order (Morton) curve. Periodic axes use the
        !> wrapped coordinates, and coincident points are ordered by number. Stray points and
        !> clusters do not make the order of other points coarser. The result does not depend on
        !> backend or threads. No cutoff is needed and no search is made. The call takes 28 bytes of
        !> memory for each point while it runs.
        function neargrid_search_order(search, n, order) &
            bind(c, name="neargrid_search_order") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(inout) :: order(*)
            integer(c_int) :: status
        end function neargrid_search_order

        !> Permutes an array of any element type, for example with the order of
        !> neargrid_search_order. It runs on the calling thread.
        function neargrid_reorder(direction, n, order, base, element_bytes, from, to) &
            bind(c, name="neargrid_reorder") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            integer(c_int32_t), intent(in), value :: direction
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(in), optional :: order(*)
            integer(c_int32_t), intent(in), value :: base
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: from, to
            integer(c_int) :: status
        end function neargrid_reorder

        !> Makes a communicator from functions of the caller; neargrid_comm_mpi.c has those of MPI.
        !> Collective: it calls `min`. A rank whose arguments are refused does not, and the others
        !> wait for it in vain.
        function neargrid_comm_create(abi_version, rank, size, node_rank, context, min, &
            all_gather, all_to_all, post, wait, text, release, comm) &
            bind(c, name="neargrid_comm_create") result(status)
            import :: c_funptr, c_int, c_int32_t, c_ptr
            integer(c_int32_t), intent(in), value :: abi_version, rank, size, node_rank
            type(c_ptr), intent(in), value :: context
            type(c_funptr), intent(in), value :: min, all_gather, all_to_all, post, wait, text, &
                release
            type(c_ptr), intent(inout) :: comm
            integer(c_int) :: status
        end function neargrid_comm_create

        !> Frees a communicator. Searches that were made with it go on. Does nothing if `comm` is
        !> NULL. Not collective.
        subroutine neargrid_comm_destroy(comm) bind(c, name="neargrid_comm_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: comm
        end subroutine neargrid_comm_destroy

        !> Creates a search across the ranks of a communicator, with default settings and without
        !> points. Each rank sets its own points, and gets their neighbors among the points of all
        !> ranks: those of other ranks that are near are its ghosts, which have the numbers after
        !> its own points. Rows and results are those of this rank's points. They do not depend on
        !> how points are distributed over ranks, as far as global ids say which point is which. A
        !> pair of two ranks is found once, by the rank of the smaller global id, unless
        !> neargrid_search_set_ghost_pairs says otherwise.
        function neargrid_search_create_across(abi_version, comm, search) &
            bind(c, name="neargrid_search_create_across") result(status)
            import :: c_int, c_int32_t, c_ptr
            integer(c_int32_t), intent(in), value :: abi_version
            type(c_ptr), intent(in), value :: comm
            type(c_ptr), intent(inout) :: search
            integer(c_int) :: status
        end function neargrid_search_create_across

        !> Fails in the place of a collective call, for callers that find faults in their arguments
        !> before they make it: the other ranks make the call, and it fails on all of them with this
        !> status and text. A handle without ranks fails alone. Collective.
        function neargrid_search_refuse(search, reason, text) &
            bind(c, name="neargrid_search_refuse") result(status)
            import :: c_char, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int), intent(in), value :: reason
            character(kind=c_char), intent(in) :: text(*)
            integer(c_int) :: status
        end function neargrid_search_refuse

        !> Returns the ghosts of this rank as a view, for points in real64: the points of other
        !> ranks that rows may list. The point with number `points` + k plus the index base is ghost
        !> k, where `points` is the number of this rank's points. Ghosts are ordered by the ranks
        !> that own them, and by their point numbers there. Collective.
        function neargrid_ghosts_view_f64(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_ghosts_view_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_ghosts_view_f64

        !> As neargrid_ghosts_view_f64, for points in real32.
        function neargrid_ghosts_view_f32(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_ghosts_view_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_ghosts_view_f32

        !> Returns the points of other ranks that the k nearest of the last call name, as a view,
        !> for points in real64. The point with number `points` + m plus the index base is ghost m
        !> of the view, where `points` is the number of this rank's points. These ghosts are not
        !> those of neargrid_ghosts_view_f64: the k nearest points may be at any distance. Not
        !> collective.
        function neargrid_knn_ghosts_view_f64(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_knn_ghosts_view_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_knn_ghosts_view_f64

        !> As neargrid_knn_ghosts_view_f64, for points in real32.
        function neargrid_knn_ghosts_view_f32(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_knn_ghosts_view_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_knn_ghosts_view_f32

        !> Sends a field of this rank's points to the ghosts that they are on other ranks, and
        !> receives the field of this rank's ghosts. Collective.
        function neargrid_halo_exchange(search, bytes, n_points, points, n_ghosts, ghosts) &
            bind(c, name="neargrid_halo_exchange") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: bytes, n_points
            type(c_ptr), intent(in), value :: points
            integer(c_int64_t), intent(in), value :: n_ghosts
            type(c_ptr), intent(in), value :: ghosts
            integer(c_int) :: status
        end function neargrid_halo_exchange

        !> Plans a migration of points in real64 that gives each rank as many points, or one more,
        !> near each other in space: they are ordered along a Hilbert curve, and cut into equal
        !> parts (Skilling 2004, "Programming the Hilbert curve"). Points at the same place follow
        !> each other by id, so that with ids the result does not depend on where points are now.
        !> The points of the handle do not change; after neargrid_migration_move has moved all
        !> fields, set the new points. Collective.
        function neargrid_migration_plan_f64(search, dim, n, x, y, z, stride, ids, n_new) &
            bind(c, name="neargrid_migration_plan_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int64_t), intent(inout) :: n_new
            integer(c_int) :: status
        end function neargrid_migration_plan_f64

        !> As neargrid_migration_plan_f64, for points in real32.
        function neargrid_migration_plan_f32(search, dim, n, x, y, z, stride, ids, n_new) &
            bind(c, name="neargrid_migration_plan_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n
            type(c_ptr), intent(in), value :: x, y, z
            integer(c_int64_t), intent(in), value :: stride
            type(c_ptr), intent(in), value :: ids
            integer(c_int64_t), intent(inout) :: n_new
            integer(c_int) :: status
        end function neargrid_migration_plan_f32

        !> Moves a field of the points that a migration was planned for to their new ranks.
        !> Collective.
        function neargrid_migration_move(search, bytes, n_before, before, n_after, after) &
            bind(c, name="neargrid_migration_move") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: bytes, n_before
            type(c_ptr), intent(in), value :: before
            integer(c_int64_t), intent(in), value :: n_after
            type(c_ptr), intent(in), value :: after
            integer(c_int) :: status
        end function neargrid_migration_move

        !> Searches the pairs of points within a cutoff and counts them. The search belongs to the
        !> calling thread: each thread has its own hidden handle and result. neargrid_celllist_fetch
        !> and neargrid_celllist_fetch_compact then return the pairs without another search.
        function neargrid_celllist_count_f64(dim, npoints, x, cutoff, tie_rule, index_base, &
            npairs) &
            bind(c, name="neargrid_celllist_count_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: npoints
            real(c_double), intent(in), optional :: x(*)
            real(c_double), intent(in), value :: cutoff
            integer(c_int32_t), intent(in), value :: tie_rule, index_base
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int) :: status
        end function neargrid_celllist_count_f64

        !> As neargrid_celllist_count_f64, in real32.
        function neargrid_celllist_count_f32(dim, npoints, x, cutoff, tie_rule, index_base, &
            npairs) &
            bind(c, name="neargrid_celllist_count_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: npoints
            real(c_float), intent(in), optional :: x(*)
            real(c_float), intent(in), value :: cutoff
            integer(c_int32_t), intent(in), value :: tie_rule, index_base
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int) :: status
        end function neargrid_celllist_count_f32

        !> Copies the pairs of the calling thread's last search, with i < j and ordered by (i, j).
        function neargrid_celllist_fetch(maxnpair, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_celllist_fetch") result(status)
            import :: c_int, c_int32_t, c_int64_t
            integer(c_int64_t), intent(in), value :: maxnpair
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int32_t), intent(inout), optional :: pair_i(*), pair_j(*)
            integer(c_int) :: status
        end function neargrid_celllist_fetch

        !> Copies the pairs of the calling thread's last search with compressed left points:
        !> `endpos[i]` is the number of pairs whose left point is one of the first i + 1 points.
        function neargrid_celllist_fetch_compact(maxnpair, npairs, endpos, pair_j) &
            bind(c, name="neargrid_celllist_fetch_compact") result(status)
            import :: c_int, c_int32_t, c_int64_t
            integer(c_int64_t), intent(in), value :: maxnpair
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int32_t), intent(inout), optional :: endpos(*), pair_j(*)
            integer(c_int) :: status
        end function neargrid_celllist_fetch_compact

        !> Frees the memory of the calling thread's hidden handle, and discards its result. The next
        !> search creates a new handle.
        subroutine neargrid_celllist_release() bind(c, name="neargrid_celllist_release")
        end subroutine neargrid_celllist_release

        !> Adds numbers to an exact sum. An exact sum is never rounded until neargrid_sum_round
        !> reads it, so that the result has the same bits for any order of the terms, and for any
        !> division of them among threads or processes. neargrid_groups_view_sums uses the same
        !> sums.
        function neargrid_sum_add(words, n, values) bind(c, name="neargrid_sum_add") result(status)
            import :: c_double, c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: words(*)
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in), optional :: values(*)
            integer(c_int) :: status
        end function neargrid_sum_add

        !> Adds the products `x[i]` * `y[i]` to an exact sum. The products are not rounded either.
        function neargrid_sum_add_products(words, n, x, y) &
            bind(c, name="neargrid_sum_add_products") result(status)
            import :: c_double, c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: words(*)
            integer(c_int64_t), intent(in), value :: n
            real(c_double), intent(in), optional :: x(*), y(*)
            integer(c_int) :: status
        end function neargrid_sum_add_products

        !> Adds one exact sum to another.
        function neargrid_sum_merge(words, other) bind(c, name="neargrid_sum_merge") result(status)
            import :: c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: words(*)
            integer(c_int64_t), intent(in) :: other(*)
            integer(c_int) :: status
        end function neargrid_sum_merge

        !> Rounds an exact sum to the nearest real64, with ties to even. The result is infinite if
        !> it overflows.
        function neargrid_sum_round(words, value) bind(c, name="neargrid_sum_round") result(status)
            import :: c_double, c_int, c_int64_t
            integer(c_int64_t), intent(in) :: words(*)
            real(c_double), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_sum_round

    end interface

end module neargrid_c
