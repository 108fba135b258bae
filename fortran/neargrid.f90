! Made from neargrid.fypp: change that file, then `make fortran`.
!> Module `neargrid`: exact fixed-radius neighbor search for Fortran programs.
!>
!>     use neargrid, only: neargrid_search
!>     type(neargrid_search) :: search
!>     integer(c_int), allocatable :: pair_i(:), pair_j(:)
!>
!>     call search%create()
!>     call search%set_cutoff(2.0_real64*h)
!>     do step = 1, nsteps
!>         call search%set_points(pos, n=n)        ! pos(dim, maxn), the first n columns
!>         call search%pairs(pair_i, pair_j)       ! i < j, ordered, 1-based
!>     end do
!>     call search%destroy()
!>
!> Type `neargrid_search` below documents every call, in the order in which a program makes them.
!> These rules hold for all of them:
!>
!> * **Reals.** Coordinates are real32 or real64, and are never converted from one to the other.
!>   Points, queries, radii, masses and distances of one search have one kind. Single numbers such
!>   as the cutoff may have either kind.
!> * **Integers.** Ids, numbers of points and small integers are `integer(c_int)`: a search holds at
!>   most 2^31 - 1 points. Numbers of pairs and of entries, offsets and sizes of memory are
!>   `integer(int64)`. A default integer is an `integer(c_int)` unless a flag such as
!>   `-fdefault-integer-8` changes it; declare `integer(c_int)`, or convert: `n=int(n, c_int)`.
!> * **Logicals** are default logicals. Compile these files with the flags of the program where
!>   those change the default kinds. With `-fdefault-real-8` alone, `double precision` has 16 bytes,
!>   for which there is no procedure: add `-fdefault-double-8`.
!> * **Index base.** Every index counts from 1, in messages too.
!> * **Units.** Coordinates, cutoff, radii and skin share one unit, which the caller chooses.
!> * **Keywords.** Where `n` or `kind` could be taken for `stat`, the optional arguments go by
!>   keyword: the compiler refuses them by position. `stat` and `errmsg` come last, in this order.
!> * **Rows.** `kind` says which rows `neighbors`, `run`, `chunks_begin` and `verlet_list` mean:
!>   `neargrid_neighbors_full` (default), those of all neighbors of each point,
!>   `neargrid_neighbors_half`, those of the neighbors j > i, so that each pair comes once, or
!>   `neargrid_neighbors_queries`, those of the points within the cutoff of each query.
!> * **Errors.** Every procedure that can fail takes `stat` and `errmsg`, both optional, as
!>   `allocate` does. `stat` is an integer of 2, 4 or 8 bytes: 0 on success, otherwise one of
!>   `neargrid_status_*`. `errmsg` is a character variable of any length and changes on a failure
!>   only. Without `stat` a failure stops the program with the text. A failure changes no output,
!>   and the search stays usable. There are two exceptions: a capacity that is too small still gives
!>   the count that is needed, and arrays that a GPU was filling when it was lost are undefined up
!>   to that count. Nothing here prints, except the text of a stop.
!> * **Ownership.** Arguments are copied: the caller may change them as soon as a call returns.
!>   Pointers view memory of the search: read them only, never deallocate them. They are valid until
!>   the next call on this search that is not `info`, `counter`, `timing`, `distances`,
!>   `displacements`, `carry` or `order`. Allocatable results belong to the caller.
!> * **Threads.** Searches are independent of each other. One thread at a time uses a search; a
!>   second one gets `neargrid_status_busy`. Inside a parallel region a search runs on the calling
!>   thread.
!>
!> The bodies are in submodules, one file a topic. `sources.txt` names all files in the order in
!> which a program without a build system compiles them.
module neargrid
    use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid_c, c_version => neargrid_version, c_status_name => neargrid_status_name, &
        c_reorder => neargrid_reorder
    use neargrid_errors, only: report_on
    use neargrid_order, only: neargrid_reorder, neargrid_restore
    use neargrid_sums, only: neargrid_sum
    implicit none (type, external)

    private
    public :: neargrid_search, neargrid_list, neargrid_groups, neargrid_formula, neargrid_sum
    public :: neargrid_version, neargrid_status_name
    public :: neargrid_reorder, neargrid_restore
    public :: neargrid_version_major, neargrid_version_minor, neargrid_version_patch, &
        neargrid_version_string, neargrid_all_active, neargrid_cutoffs_max, neargrid_knn_max, &
        neargrid_status_ok, neargrid_status_null_pointer, neargrid_status_bad_dim, &
        neargrid_status_bad_count, neargrid_status_bad_cutoff, neargrid_status_non_finite, &
        neargrid_status_bad_value, neargrid_status_bad_state, neargrid_status_capacity, &
        neargrid_status_bad_environment, neargrid_status_bad_domain, neargrid_status_bad_radius, &
        neargrid_status_busy, neargrid_status_not_supported, neargrid_status_out_of_memory, &
        neargrid_status_too_many_pairs, neargrid_status_no_device, neargrid_status_device_lost, &
        neargrid_status_threads, neargrid_status_memory_limit, neargrid_status_communication, &
        neargrid_status_disagreement, neargrid_status_abi_mismatch, neargrid_status_internal, &
        neargrid_counter_points, neargrid_counter_entries, neargrid_counter_index_builds, &
        neargrid_counter_counts, neargrid_counter_fills, neargrid_counter_threads, &
        neargrid_counter_cells, neargrid_counter_bytes_held, neargrid_counter_backend, &
        neargrid_counter_device_bytes, neargrid_counter_device_allocations, neargrid_counter_dim, &
        neargrid_counter_skin_lists, neargrid_counter_queries, neargrid_counter_distance_tests, &
        neargrid_counter_active, neargrid_counter_plans, neargrid_phase_upload, &
        neargrid_phase_index, neargrid_phase_count, neargrid_phase_fill, neargrid_phase_download, &
        neargrid_phase_total, neargrid_tie_inclusive, neargrid_tie_exclusive, &
        neargrid_backend_auto, neargrid_backend_cpu, neargrid_backend_gpu, neargrid_device_best, &
        neargrid_device_index, neargrid_device_turn, neargrid_ghost_pairs_all, &
        neargrid_ghost_pairs_larger_ids, neargrid_role_absent, neargrid_role_active, &
        neargrid_role_ghost, neargrid_ghost_rows_active, neargrid_ghost_rows_all, &
        neargrid_ghost_rows_none, neargrid_radius_gather, neargrid_radius_scatter, &
        neargrid_radius_max, neargrid_radius_min, neargrid_radius_mean, neargrid_of_points, &
        neargrid_of_queries, neargrid_neighbors_half, neargrid_neighbors_full, &
        neargrid_neighbors_queries, neargrid_knn_others, neargrid_knn_all, neargrid_knn_queries, &
        neargrid_measure_distance, neargrid_measure_square, neargrid_measure_radius, &
        neargrid_precision_single, neargrid_precision_double, neargrid_table_r, neargrid_table_r2, &
        neargrid_table_r_over_c, neargrid_outcome_solved, neargrid_outcome_out_of_iterations, &
        neargrid_outcome_above_largest, neargrid_outcome_below_smallest, &
        neargrid_direction_reorder, neargrid_direction_restore, neargrid_sum_words

    !> The best GPU, for `set_device`.
    integer(c_int), parameter, public :: neargrid_device_auto = -1

    ! No program has a value of this type.
    type :: keywords_only
    end type keywords_only

    !> A neighbor search: settings, points and buffers. It keeps its memory from step to step, so
    !> that a steady time loop allocates nothing. Declare it, `create` it, use it, `destroy` it.
    !>
    !> The variable owns its search. A search is destroyed when its variable goes out of scope or is
    !> deallocated. Fortran never finalizes variables of a main program, `save`d ones and those of
    !> modules: destroy these. A search cannot be copied: assignment stops the program, unless
    !> neither side has been created, and so does the use of a copy made by `allocate` with
    !> `source=`. Pass it by reference: `class(neargrid_search), intent(inout)`.
    type :: neargrid_search
        private
        type(c_ptr) :: handle = c_null_ptr
        type(c_ptr) :: owner = c_null_ptr   ! where the variable was when it was created
    contains
        ! --- life ---

        !> `call search%create()` makes a search with default settings. A search that exists starts
        !> over: its settings, points and results are gone.
        !>
        !> `call search%create(comm)` makes a search across the ranks of a communicator: the handle,
        !> a `c_ptr`, that `neargrid_comm_create` of module `neargrid_c` has made. Module
        !> `neargrid_mpi` has a type that takes the communicators of MPI. Each rank sets its own
        !> points, and rows list the points of all ranks: those of other ranks have the numbers after
        !> its own. Calls that set points, and queries, are collective then: all ranks make them, in
        !> the same order, and they fail on all ranks or on none. Settings have to be the same on all
        !> ranks.
        generic, public :: create => create_alone, create_across
        !> `call search%destroy()` frees the search; views of it dangle from then on. It does
        !> nothing for a search that was never created or is already destroyed, and cannot fail.
        procedure, public :: destroy

        ! --- settings: each holds until it is set again ---

        !> `call search%set_cutoff(cutoff)`: the search radius, real32 or real64, finite and greater
        !> than 0, in the unit of the coordinates. With real32 points the cutoff is rounded to
        !> real32.
        generic, public :: set_cutoff => set_cutoff_f32, set_cutoff_f64
        !> `call search%set_tie_rule(rule)`: `neargrid_tie_inclusive` (default) counts two points
        !> exactly one cutoff apart as a pair, `neargrid_tie_exclusive` does not. NEARGRID_TIE in the
        !> environment (`inclusive`, `exclusive`) sets the rule of searches that set none.
        procedure, public :: set_tie_rule
        !> `call search%set_threads(threads)`: how many threads the search may use; 0 (default) lets
        !> the library choose.
        procedure, public :: set_threads
        !> `call search%set_backend(backend)`: `neargrid_backend_auto` (default) takes a GPU where
        !> there is one and the points are many, and the CPU otherwise; `neargrid_backend_cpu` and
        !> `neargrid_backend_gpu` take that one. If it is missing, queries fail with
        !> `neargrid_status_no_device`.
        procedure, public :: set_backend
        !> `call search%set_device(device)`: the GPU that the search uses, where it uses one: its
        !> index as the example device_info lists them, **from 0 on**, or `neargrid_device_auto`
        !> (default) for the best one. The first query that wants a GPU reports an index that does
        !> not exist. NEARGRID_DEVICE in the environment overrides this setting.
        procedure, public :: set_device
        !> `call search%set_device_turn(turn)`: for processes that share a machine. The search takes
        !> GPU number `turn`, **from 0 on** and modulo their number, among those of the best kind
        !> that the machine has. This replaces `set_device`.
        procedure, public :: set_device_turn
        !> `call search%set_memory_limit(bytes)`: how much memory the search may take for a result,
        !> `integer(int64)`; 0 (default) is no limit. The limit covers lists in memory of the
        !> search, what it keeps to fill them, and chunks, on a GPU too (at least 16 MiB each
        !> there). It does not cover points, the index, some megabytes for each thread, and arrays
        !> of the caller. A list that would exceed it fails with `neargrid_status_memory_limit`: get
        !> it by `chunks_begin` or in arrays of your own.
        procedure, public :: set_memory_limit
        !> `call search%set_box(lo, length, periodic)`: an axis-aligned box. `lo(dim)` is its lower
        !> corner, `length(dim)` its edges, both of one real kind; `periodic(dim)` (logical) says
        !> which axes wrap. Along the others both may be any numbers: they mean nothing there.
        !>
        !> Points may lie anywhere. Along a periodic axis a point inside the box,
        !> `lo <= x < lo + length`, keeps its coordinate; the search wraps its copy of any other
        !> point into the box, and pairs are those of nearest images. `dim` must be that of the
        !> points, and a periodic axis at least two cutoffs long; queries check this
        !> (`neargrid_status_bad_domain`). In the precision of the points `lo + length` must be
        !> finite and above `lo`. When periodic axes change, the search forgets its points: set the
        !> box first, then the points.
        generic, public :: set_box => set_box_f32, set_box_f64
        !> `call search%set_cell(cell, periodic)`: a cell of three vectors in any orientation, the
        !> columns of `cell(3, 3)`, real32 or real64, and which of them are periodic (logical). A
        !> vector that is not periodic means nothing and may be any numbers. The cell may be
        !> left-handed, tilted, or smaller than the cutoff, and points may lie anywhere.
        !>
        !> For points in 1D and 2D, components of periodic vectors along the other axes must be 0.
        !> `images` returns the rows of neighbors in a cell, and `run` evaluates formulas over
        !> them; other queries are refused while one is
        !> set (`neargrid_status_not_supported`). A cell takes the place of a box, and a box that
        !> of a cell: when that was periodic, the search forgets its points.
        generic, public :: set_cell => set_cell_f32, set_cell_f64
        !> `call search%clear_cell()`: no cell any more; space is open.
        procedure, public :: clear_cell
        !> `call search%set_skin(skin)`: how much farther than the cutoff lists reach, real32 or
        !> real64, finite and at least 0, in the unit of the coordinates; 0 (default) is none.
        !>
        !> `pairs` and `neighbors` then make a list of all pairs within cutoff plus skin, `update`
        !> keeps it while points move little, and each result is filtered from it: exact, bit for
        !> bit that of a search without a skin. Periodic axes must be two cutoffs plus two skins
        !> long.
        generic, public :: set_skin => set_skin_f32, set_skin_f64
        !> `call search%set_knn_within(radius)`: the radius within which `knn` searches, real32 or
        !> real64, finite, in the unit of the coordinates; 0 (default) is any distance.
        !>
        !> A row then lists the nearest points that a search with this cutoff finds, by the same tie
        !> rule, and may have fewer than k.
        generic, public :: set_knn_within => set_knn_within_f32, set_knn_within_f64
        !> `call search%set_active(n_active)`: the first `n_active` points are active, the others
        !> are ghosts: neighbors of active points, but not of each other. `neargrid_all_active`
        !> (default): no ghosts.
        !>
        !> Each pair of an active point and a ghost is listed once. Every point has a row; full rows
        !> of ghosts list active points. The number stays when points are set again; the query
        !> refuses a number above that of the points (`neargrid_status_bad_count`).
        !>
        !> `call search%set_active(flags)`: `flags(n)` (logical) says which points are active; the
        !> others are ghosts. Active points and ghosts may come in any order. `flags(1:0)`: no ghosts.
        !> Across ranks both are about this rank's points, and hold on all ranks.
        generic, public :: set_active => set_active_first, set_active_flags
        !> `call search%set_roles(roles)`: the role of each point, `roles(n)`: `neargrid_role_active`,
        !> `neargrid_role_ghost` or `neargrid_role_absent`, in any order. An absent point takes no
        !> part: it is in no row, and its own row is empty.
        !>
        !> A pair of an active point and a ghost is in the half row of the active point, whatever
        !> their numbers; `pair_i` is the active point. Roles and what `set_active` has set replace
        !> each other. Roles stay when points are set again; the query refuses a number of roles other
        !> than that of the points. `roles(1:0)`: all points are active. Across ranks they are the roles
        !> of this rank's points, and hold on all ranks.
        procedure, public :: set_roles
        !> `call search%set_ghost_rows(which)`: the points in full rows of ghosts.
        !> `neargrid_ghost_rows_active` (default): active points. `neargrid_ghost_rows_all`: active
        !> points and ghosts. `neargrid_ghost_rows_none`: none, so only active points have rows. The
        !> choice stays when points are set again.
        procedure, public :: set_ghost_rows
        !> `call search%set_ghost_pairs(which)`: which pairs of an active point and a ghost are in
        !> pairs and half rows. `neargrid_ghost_pairs_all` (default): all.
        !> `neargrid_ghost_pairs_larger_ids`: those in which the ghost has the larger global id
        !> (`set_ids`), so that processes which hold each other's points as ghosts list each pair
        !> once in total. Full rows list all in either case. The choice stays when points are set
        !> again. Across ranks it is about active points of other ranks; the default is
        !> `neargrid_ghost_pairs_larger_ids`.
        procedure, public :: set_ghost_pairs
        !> `call search%set_types(types, mask)`: `types(n)` is the type of each point, from 1 on;
        !> `mask(ntypes, ntypes)` (logical, symmetric, at most 32 types) says which types interact.
        !> Points of types that do not interact are no neighbors.
        !>
        !> Both stay when points are set again; the query refuses a number of types other than that
        !> of the points. `types(1:0)` removes the types, whatever the mask.
        procedure, public :: set_types
        !> `call search%set_type_cutoffs(cutoffs)`: `cutoffs(ntypes, ntypes)`, real32 or real64 and
        !> symmetric, is the cutoff of each pair of types (`set_types`, whose mask still holds), in
        !> place of that of `set_cutoff`; 0: points of these types are no neighbors. In a formula
        !> `c` is the cutoff of the pair.
        !>
        !> The table is for pairs and neighbors of points: rows of queries and groups have the
        !> cutoff of `set_cutoff`. A search costs about as much as one with the largest cutoff. The
        !> table stays when points or types are set again; the query refuses types of another
        !> number. `cutoffs(1:0, 1:0)` removes the table.
        generic, public :: set_type_cutoffs => set_type_cutoffs_f32, set_type_cutoffs_f64
        !> `call search%set_primary_types(primary)`: `primary(ntypes)` (logical) says which types
        !> link into groups (`fof`). A point of another type attaches to the group of the nearest
        !> linking point within the cutoff and connects nothing. Only `fof` uses this, and checks it
        !> against the types. `primary(1:0)`: all types link (default).
        procedure, public :: set_primary_types
        !> `call search%set_ids(ids)`: a global id for each point, `ids(n)` of int32 or int64. No
        !> two active points have the same id. Ghosts and absent points may have the id of another
        !> point, if `set_active` or `set_roles` has said before that they are such.
        !>
        !> Ties and order then follow the ids. Results still hold numbers of points: `pair_i` is the
        !> point with the smaller id, or the active one of an active point and a ghost. Pairs ascend
        !> by the ids of `pair_i` and `pair_j`, rows by the ids of the points in them. A half row
        !> lists the points with a larger id than its own point, that of an active point all its
        !> ghosts too. Points with the same id are ordered by their numbers. Row `i` remains that of
        !> point `i`. The ids stay when points are set again;
        !> the query refuses a number of ids other than that of the points. `ids(1:0)` removes them.
        generic, public :: set_ids => set_ids_i32, set_ids_i64
        !> `call search%set_exclusions(offsets, ids, classes)`: pairs that are no neighbors, such as
        !> bonded atoms. Point `i` does not list the points `ids(offsets(i) : offsets(i+1)-1)`;
        !> `offsets(n+1)` of int64 begins with 1. A row may be in any order, and each pair is in the
        !> rows of both points.
        !>
        !> `classes` (optional, one for each element of `ids`): the class of each pair, 1 (default),
        !> 2 or 3, the same in both rows. A statement of a formula that reads `class` has the terms
        !> of all pairs within the cutoff; `class` is 0 for pairs that are not excluded. Other
        !> statements have no terms of excluded pairs. Rows of queries, nearest neighbors and groups
        !> do not know exclusions. They stay when points are set again; the query refuses a number
        !> of rows other than that of the points. Without arguments the call removes them.
        !>
        !> `ids` of `integer(int64)` are global ids, also of points of other ranks. A search without
        !> ranks looks them up at once: set points and ids before.
        !>
        !> `call search%set_exclusions(offsets, ids, shifts=shifts)`: of each point one image in a
        !> cell, by the shift `shifts(1:3, k)` of element `k` of `ids`, which has the meaning of the
        !> shifts of `images`. Other images stay neighbors. A row may list a point several times, by
        !> other shifts, and its own point by shifts that are not 0. Where row `i` has `j` by a
        !> shift, row `j` has `i` by the opposite one. A query refuses shifts that are not 0 without
        !> a cell or along a vector that is not periodic, and all shifts in a periodic box.
        generic, public :: set_exclusions => exclude_numbers, exclude_ids
        !> `call search%set_radii(radii, rule)`: a radius for each point, `radii(n)`, in the kind of
        !> the points: finite, at least 0 and such that no cutoff is more than half of a periodic
        !> length. `rule` says which
        !> cutoff the point `i` of a row and a point `j` have: `neargrid_radius_max`,
        !> `neargrid_radius_min` or `neargrid_radius_mean` of both radii, or, for `neighbors` and
        !> `queries` only, `neargrid_radius_gather` (that of `i`) or `neargrid_radius_scatter` (that
        !> of `j`). A cutoff of 0 finds coincident points only.
        !>
        !> While radii are set, the cutoff is not used. Radii stay when points are set again;
        !> the query refuses a number of radii other than that of the points. With
        !> `neargrid_backend_gpu` and global ids that do not ascend the query fails with
        !> `neargrid_status_not_supported`.
        generic, public :: set_radii => set_radii_f32, set_radii_f64
        !> `call search%set_query_radii(radii)`: a radius for each query, `radii(nq)`, in the kind
        !> of the points, finite and at least 0. Every rule except `neargrid_radius_scatter` needs
        !> them. Where points have no radii, a query lists the points within its own radius.
        generic, public :: set_query_radii => set_query_radii_f32, set_query_radii_f64
        !> `call search%clear_radii()` removes all radii, those of queries too: the cutoff counts
        !> again.
        procedure, public :: clear_radii

        ! --- points ---

        !> The points, real32 or real64, of 1 to 3 dimensions, in one of these forms:
        !>
        !>     call search%set_points(pos)                     ! pos(dim, n)
        !>     call search%set_points(x, y)                    ! x(n), y(n); or x, y, z
        !>     call search%set_points(x, dim=3)                ! x(3*n), point after point
        !>     call search%set_points(pos, n=n)                ! the first n points, in any form
        !>     call search%set_points(p(1)%x, p(1)%y, n=n, stride=storage_size(p)/8)
        !>     call search%set_points(pos, n=n, stat=stat, errmsg=errmsg)
        !>
        !> `n`: the search never reads what stands behind the first `n` points. Without it `x`, `y`,
        !> `z` must have one size, and the size of `x(dim*n)` must be a multiple of `dim`
        !> (`neargrid_status_bad_count`). The search copies the points.
        !>
        !> Arrays need not be contiguous. The search reads sections such as `pos(1:2, :)` and
        !> `pos(1, :)` where they are, by their stride. If `x`, `y`, `z` have different strides,
        !> they are copied into one array first.
        !>
        !> Arrays of structures go as `p%x, p%y, p%z`. A compiler may pass these by their stride
        !> (flang does) or copy each of them (gfortran does). The form with `stride` never copies:
        !> it takes the first point's coordinates as scalars, the number of points, and the bytes
        !> from one point to the next. `n` and `stride` are required there, and nothing checks them
        !> against the array.
        generic, public :: set_points => &
            set_points_columns_f32, set_points_columns_f64, &
            set_points_flat_f32, set_points_flat_f64, &
            set_points_axes_f32, set_points_axes_f64, &
            set_points_first_f32, set_points_first_f64
        !> More points behind those that are set, for example ghosts that arrive later: in all forms
        !> and with all arguments of `set_points`, with the dimensions and the kind of the points.
        !> Their numbers follow on those of the others. The queries are forgotten; everything else
        !> stays.
        generic, public :: add_points => &
            add_points_columns_f32, add_points_columns_f64, &
            add_points_flat_f32, add_points_flat_f64, &
            add_points_axes_f32, add_points_axes_f64, &
            add_points_first_f32, add_points_first_f64
        !> A second set of points, the queries, whose neighbors among the points are sought. They
        !> are given in all forms and with all arguments of `set_points`, with the dimensions and
        !> the kind of the points. Set the points first: setting them again forgets the queries, and
        !> calls that need them fail with `neargrid_status_bad_state` until they are set again.
        generic, public :: set_queries => &
            set_queries_columns_f32, set_queries_columns_f64, &
            set_queries_flat_f32, set_queries_flat_f64, &
            set_queries_axes_f32, set_queries_axes_f64, &
            set_queries_first_f32, set_queries_first_f64
        !> The points of the next time step, in all forms of `set_points`, with an optional
        !> `rebuilt` (logical) behind the coordinates:
        !>
        !>     call search%update(pos, rebuilt)
        !>     call search%update(x, y, z, rebuilt, n=n, stat=stat)
        !>     call search%update(x, y, rebuilt=rebuilt)
        !>
        !> It does what `set_points` does, but with a skin it keeps the list if no point has moved
        !> by more than half the skin since the list was made. A change of the lengths of periodic
        !> axes by `set_box` is taken off the skin. `rebuilt`: whether the next query
        !> must make a new list. It must without a skin, at first, and after the number or the kind
        !> of the points or a setting has changed. Points keep their order from step to step.
        generic, public :: update => &
            update_columns_f32, update_columns_f64, &
            update_flat_f32, update_flat_f64, &
            update_axes_f32, update_axes_f64, &
            update_first_f32, update_first_f64
        !> `call search%skin_used(share)`: how close the last `update` came to a new list, real64:
        !> twice the largest displacement since the list was made, with the change of the box, as a
        !> share of the skin. 0 where
        !> there is no list; above 1 where the list was given up.
        procedure, public :: skin_used

        ! --- pairs and neighbors ---

        !> `call search%count_pairs(npairs)`: how many pairs there are, `integer(int64)`. A
        !> following call for the list does not start over.
        procedure, public :: count_pairs
        !> All pairs i < j within the cutoff, ordered by i, then j, or by global ids (`set_ids`).
        !> They are 1-based numbers of points. The arguments choose one of three forms:
        !>
        !>     call search%pairs(pair_i, pair_j)             ! integer(c_int) pointers
        !>     call search%pairs(pair_i, pair_j)             ! integer(c_int) allocatables
        !>     call search%pairs(npairs, pair_i, pair_j)     ! int64 and arrays of the caller
        !>
        !> Pointers view the list of the search without a copy (they may be `contiguous`); see
        !> *Ownership* above. Allocatables get a new allocation that fits. Arrays of the caller have
        !> one size; they receive the first `npairs` elements and are not touched beyond. If they
        !> are too small, `stat` is `neargrid_status_capacity`, `npairs` is the size that is needed
        !> and the arrays are not touched: enlarge them and call again, which does not search again.
        generic, public :: pairs => pairs_view, pairs_fit, pairs_fill
        !> `call search%count_neighbors(total, kind=kind)`: how many entries the rows of `neighbors`
        !> have, `integer(int64)`.
        procedure, public :: count_neighbors
        !> A neighbor list, one row for each point or query: the neighbors of point i, ascending (or
        !> by global ids, `set_ids`), are `ids(offsets(i) : offsets(i+1)-1)`. `offsets` has one
        !> element more than there are rows. The arguments choose one of three forms:
        !>
        !>     call search%neighbors(offsets, ids)           ! pointers, dimension(:)
        !>     call search%neighbors(offsets, ids)           ! allocatables, dimension(:)
        !>     call search%neighbors(total, offsets, ids)    ! arrays of the caller
        !>
        !> Optional, by keyword: `kind`, see *Rows* above. Rows of queries
        !> (`kind=neargrid_neighbors_queries`) also list points that coincide with the query.
        !>
        !> `offsets` and `total` are `integer(int64)`, `ids` `integer(c_int)`. Pointers and
        !> allocatables as for `pairs`. In the third form `offsets` has at least the elements that it
        !> needs (`neargrid_status_bad_count`). If `ids` has fewer than `total`, `stat` is
        !> `neargrid_status_capacity`, `total` is the size that is needed and both arrays are not
        !> touched.
        !>
        !> In the third form `offsets` and `total` may both be `integer(c_int)`, for codes that have
        !> such arrays. More entries than these count are refused (`neargrid_status_bad_count`).
        generic, public :: neighbors => neighbors_view, neighbors_fit, neighbors_fill, &
            neighbors_fill_32
        !> `call search%padded_neighbors(longest, ids, counts, kind=kind)`: the rows of `neighbors` in
        !> a table with a column for each point or query: `ids(1 : counts(i), i)`, and zeros in the
        !> rest of the column.
        !>
        !> `ids(:, n)` and `counts(n)` are `integer(c_int)`; columns beyond `n` are not touched.
        !> `longest`, `integer(int64)`, is the length of the longest row. If it is more than
        !> `size(ids, 1)`, `stat` is `neargrid_status_capacity` and both arrays are not touched:
        !> enlarge them and call again, which does not search again.
        procedure, public :: padded_neighbors
        !> `call search%histogram(edges, counts, kind=kind)`: how many neighbors are in each bin of
        !> distance: `counts(k)`, `integer(int64)`, is the number of entries of the rows with
        !> `edges(k)**2 <= d2` and `d2 < edges(k+1)**2`, each edge rounded to the kind of the points
        !> before it is squared. No list is made.
        !>
        !> `edges`, real64, ascend from 0 or more to at most the cutoff, and are one more than
        !> `counts`. `kind` is `neargrid_neighbors_half` (default), which counts each pair once,
        !> `neargrid_neighbors_full` or `neargrid_neighbors_queries`. Radii are refused
        !> (`neargrid_status_not_supported`).
        procedure, public :: histogram
        !> `call search%count_images(total, kind=kind)`: how many entries the rows of `images` have,
        !> `integer(int64)`.
        procedure, public :: count_images
        !> Rows of neighbors in the cell of `set_cell`, with all images: the entries of row i are
        !> `offsets(i)` to `offsets(i+1)-1`. Entry k is point `j = ids(k)` with the shift
        !> `S = shifts(:, k)`, three integers: the image of j, `x(:, j) + matmul(cell, S)`, is
        !> within the cutoff of `x(:, i)`, with positions as they were given, also outside of the
        !> cell. So the vector from i to the image is `x(:, j) - x(:, i) + matmul(cell, S)`.
        !> Displacements of `displacements` and d of formulas have the other sign, x_i - x_j.
        !>
        !>     call search%images(offsets, ids, shifts)           ! pointers
        !>     call search%images(offsets, ids, shifts)           ! allocatables
        !>     call search%images(total, offsets, ids, shifts)    ! arrays of the caller
        !>
        !> `shifts(:, :)` is `integer(c_int)` and may be left out; all else is as for `neighbors`.
        !> `kind` is `neargrid_neighbors_full` (default), which lists images of the point itself
        !> too, or `neargrid_neighbors_half`: entries with i < j, and of two opposite shifts of i
        !> itself one. Rows ascend by j, then `S(1)`, `S(2)`, `S(3)`. With global ids (`set_ids`)
        !> these are compared in place of i and j.
        generic, public :: images => images_view, images_fit, images_fill
        !> `call search%take_neighbors(list, kind=kind)`: moves the rows of `neighbors` into a
        !> `neargrid_list`, which keeps them whatever becomes of the search. Nothing is copied: the
        !> search gives its memory away, and goes on with the memory that the list had. So it has
        !> these rows no more, and asking it for them again searches again. A failure leaves the list
        !> as it was.
        procedure, public :: take_neighbors
        !> `call search%take_neighbors_by_cutoffs(cutoffs, lists, kind=kind)`: for each of
        !> `cutoffs(:)`, real32 or real64, the rows that `take_neighbors` delivers with that cutoff,
        !> into an element of `lists(:)`. The points are searched once, by the largest cutoff,
        !> where that is faster than a search for each. There are 1 to `neargrid_cutoffs_max` cutoffs, in any
        !> order, and as many lists.
        !>
        !> `set_cutoff` plays no part and is not changed, and a skin is not used. With radii the call
        !> is refused (`neargrid_status_not_supported`). A failure leaves the lists their rows.
        generic, public :: take_neighbors_by_cutoffs => &
            take_neighbors_by_cutoffs_f32, take_neighbors_by_cutoffs_f64
        !> `call search%verlet_list(offsets, ids, kind=kind, rebuilt=rebuilt)`: the rows of all pairs
        !> that were within cutoff plus skin (`set_skin`) when the list was made, as pointers like
        !> those of `neighbors`; `kind` is full (default) or half. They are not filtered: a loop over
        !> them decides by its own distances what is in reach. As long as `update` keeps the list, it
        !> has every pair that is within the cutoff now, and the same rows at every call. `rebuilt`
        !> (logical, optional) is false if it is the list of the last such call. Refused without a
        !> skin (`neargrid_status_bad_state`).
        procedure, public :: verlet_list
        !> `call search%systems(pos, firsts, cutoffs, offsets, ids, kind=kind, lo=lo, length=length,
        !> periodic=periodic)`: the full (default) or half rows of many systems of points at once, as
        !> pointers like those of `neighbors`. Points list neighbors of their own system alone.
        !>
        !> * `pos(dim, n)`: the points, one system after the other; rows and ids have their numbers.
        !> * `firsts(nsystems + 1)`, `integer(int64)`: the first point of each system, and n + 1.
        !> * `cutoffs(nsystems)`, `real(real64)`: a cutoff for each system.
        !> * `lo(dim, nsystems)`, `length(dim, nsystems)`, `real(real64)`, and `periodic(dim,
        !>   nsystems)`, logical, by keyword: a box for each system, as for `set_box`. A box begins
        !>   at 0 without `lo`, and space is open without `periodic`.
        !>
        !> The cutoff and the box of the search, its points and what was set for them play no part
        !> and stay as they are.
        !> Across ranks each rank has its own systems, and the call is not collective.
        generic, public :: systems => systems_f32, systems_f64

        ! --- rows in chunks, in bounded memory ---

        !> Begins to deliver rows in chunks. Each chunk has whole rows and at most `max_entries`
        !> entries. The memory is bounded by the number of points and `max_entries`, however large
        !> the result is.
        !>
        !>     call search%chunks_begin(1000000_int64, total, kind=neargrid_neighbors_half)
        !>     do
        !>         call search%chunks_next_pairs(npairs, pair_i, pair_j)
        !>         if (npairs == 0) exit
        !>         ...
        !>     end do
        !>
        !> Optional, by keyword: `kind`, see *Rows* above. `total`, `integer(int64)`, receives the
        !> entries of all chunks. If a row is longer than `max_entries`, `stat` is
        !> `neargrid_status_capacity` and
        !> the text has the length. The last chunk, calls that change points or settings, other
        !> queries and `trim` end the delivery; `info`, `counter` and the like do not.
        procedure, public :: chunks_begin
        !> `call search%chunks_next(first_row, nrows, offsets, ids)`: the next `nrows` rows, 0 after
        !> the last: the neighbors of point (or query) `first_row + k - 1` are
        !> `ids(offsets(k) : offsets(k+1)-1)`, k = 1, ..., nrows. `first_row` and `nrows` are
        !> `integer(int64)`; `offsets` (int64) and `ids` (c_int) are pointers, see *Ownership*
        !> above; after the last row they are disassociated. `stat` is `neargrid_status_bad_state`
        !> if no chunks have begun with the present points and settings.
        procedure, public :: chunks_next
        !> `call search%chunks_next_pairs(npairs, pair_i, pair_j)`: the next rows as `npairs` pairs
        !> (`integer(int64)`), 0 after the last. Calls may alternate with `chunks_next`, except
        !> where points have global ids: pairs then come in another order than rows. Pointers and
        !> errors as for `chunks_next`, but after the last row `pair_i` and `pair_j` are empty.
        procedure, public :: chunks_next_pairs

        ! --- k nearest neighbors, groups ---

        !> The k nearest points of each active point, k from 1 to `neargrid_knn_max`: those of point
        !> i are `ids(:, i)`, the nearest first and equally near ones by number (or by global id),
        !> and `distances(:, i)` their distances, in the kind of the points. The arguments choose
        !> one of three forms:
        !>
        !>     call search%knn(k, ids, distances)          ! pointers
        !>     call search%knn(k, ids, distances)          ! allocatables, new with shape [k, nrows]
        !>     call search%knn(k, nrows, ids, distances)   ! integer(int64) and arrays of the caller
        !>
        !> Pointers and allocatables as for `pairs`. Arrays of the caller have k rows
        !> (`neargrid_status_bad_count`) and one column for each active point or query; columns
        !> beyond are not touched. If there are too few, `stat` is `neargrid_status_capacity`,
        !> `nrows` is the number that is needed and the arrays are not touched.
        !>
        !> Optional, by keyword:
        !>
        !> * `kind`: `neargrid_knn_others` (default); `neargrid_knn_all` lists the point itself too;
        !>   `neargrid_knn_queries` finds the points nearest to each query.
        !> * `measure`: `neargrid_measure_distance` (default); `neargrid_measure_square` gives squared
        !>   distances; `neargrid_measure_radius` gives for each neighbor the smallest cutoff or radius
        !>   that finds it (the distance may miss it, because its square is rounded).
        !> * `counts(i)`, of the form of `ids`, receives how many neighbors row i has. Where that is
        !>   less than k, the other ids are 0 and their distances infinite.
        !>
        !> No cutoff is needed. Along a periodic axis, of any length, each point counts once, where
        !> it is nearest. Every point may be a neighbor, also a ghost, whatever its type; ghosts
        !> have no row. With `neargrid_backend_gpu` the call fails with
        !> `neargrid_status_not_supported` if global ids do not ascend, or if the points are on more
        !> scales than real32 has.
        generic, public :: knn => knn_view_f32, knn_view_f64, knn_fit_f32, knn_fit_f64, &
            knn_fill_f32, knn_fill_f64
        !> The points of other ranks that the k nearest of the last call name, across ranks:
        !>
        !>     call search%knn_ghosts(ids, ranks, positions)   ! pointers: (n), (n), (dim, n)
        !>
        !> Their numbers in rows follow those of this rank's points. `ids` are global ids, of
        !> `integer(int64)`, and `ranks` the ranks that own the points. The pointers are valid until
        !> the next call of `knn`.
        generic, public :: knn_ghosts => knn_ghosts_f32, knn_ghosts_f64
        !> The friends-of-friends group of each point. Two points are friends if they are a pair
        !> within the cutoff (the linking length), by the tie rule. Chains of friends make a group,
        !> and `labels(i)` is the point of the group of i with the smallest number, or the smallest
        !> global id.
        !>
        !>     call search%fof(labels)        ! integer(c_int), pointer, dimension(:)
        !>     call search%fof(labels)        ! integer(c_int), allocatable, new with n elements
        !>
        !> Optional, by keyword: `ngroups`, `integer(int64)`, receives the number of groups, those
        !> of one point included. Every point is in a group, also ghosts, whatever types interact;
        !> see `set_primary_types`. Primary types are searched on the CPU for now: with
        !> `neargrid_backend_gpu` the call fails with `neargrid_status_not_supported`, as it does
        !> where points have radii.
        !>
        !>     call search%fof(labels)        ! integer(int64), allocatable: labels are global ids
        !>
        !> Labels that are global ids are the only ones across ranks. There the call is collective,
        !> and `ngroups` counts the groups of all ranks.
        generic, public :: fof => fof_view, fof_fit, fof_ids
        !> The groups of at least `min_size` points (1 or more) and sums over their members:
        !>
        !>     type(neargrid_groups) :: found
        !>     call search%groups(found, min_size)                      ! each point has mass 1
        !>     call search%groups(found, min_size, masses)              ! masses(n), greater than 0
        !>     call search%groups(found, min_size, masses, velocities)  ! velocities(dim, n)
        !>
        !> Masses and velocities have the kind of the points, sums are real64. Positions are
        !> relative to the label, along a periodic axis to the nearest image. Sums of masses, and of
        !> masses times positions, velocities and squared distances, are exact and rounded once:
        !> they depend neither on threads nor on the numbering of the points.
        generic, public :: groups => groups_alone, groups_f32, groups_f64
        ! --- formulas, and the fields that they read and make ---

        !> Sets a field by its name: what a formula reads as `name_i` and `name_j`. The search keeps
        !> a copy until the field is set again, or a formula makes it. The name `x` is that of the
        !> points, which `set_points` and `update` set.
        !>
        !>     call search%set(name, values)      ! values(n): a number for each point
        !>     call search%set(name, values)      ! values(dim, n): a vector for each point
        !>     call search%set(name, x, y, z)     ! the same, an array for each axis; z if there is one
        generic, public :: set => set_numbers_f32, set_numbers_f64, set_vectors_f32, set_vectors_f64, &
            set_axes_f32, set_axes_f64
        !> `set_query`, with arguments as those of `set`: what a field is for queries. A name with
        !> `_i` reads it where rows are those of queries.
        generic, public :: set_query => set_query_numbers_f32, set_query_numbers_f64, &
            set_query_vectors_f32, set_query_vectors_f64, &
            set_query_axes_f32, set_query_axes_f64
        !> Runs a `neargrid_formula`: its sums over the rows that `neighbors` would list, without a
        !> list of them, its statements for each point, and its numbers. `get` returns the fields
        !> that it makes, `formula%get` its numbers.
        !>
        !>     call search%run(formula)                                        ! full rows
        !>     call search%run(formula, kind=neargrid_neighbors_queries)       ! those of queries
        !>     call search%run(formula, times=100)     ! a hundred times; a default integer or int64
        !>
        !> Terms are joined in the order of the row, one after the other, and every operation is
        !> rounded once: the result is that of a plain loop and does not depend on backend or
        !> threads. Chunks that were begun end with this call.
        generic, public :: run => run_once, run_i32, run_i64
        !> Smoothing lengths: for each active point, or each query, the smallest radius at which a
        !> sum over the neighbors within it reaches `target`. `field` is the name that the sum has in
        !> the formula, in which `c` is the radius. The sum must not decrease where it grows.
        !>
        !>     call search%solve_radii(formula, "n", target, smallest, largest, radii)
        !>     call search%solve_radii(formula, "n", target, smallest, largest, radii, &
        !>         tolerance=tolerance, max_iterations=100_c_int, kind=neargrid_neighbors_queries, &
        !>         outcomes=outcomes, nunsolved=nunsolved)
        !>
        !> All reals have the kind of the points; `radii(:)` is allocatable. The search for a radius
        !> ends when its bracket is at most `tolerance` (1e-6) times the radius, or after
        !> `max_iterations` (100) radii. `outcomes(:)`, an allocatable `integer(c_int)`, says of each
        !> radius whether it is a solution (`neargrid_outcome_solved`), or why not:
        !> `neargrid_outcome_out_of_iterations`, or one of the ends of the range, as
        !> `neargrid_outcome_above_largest` and `neargrid_outcome_below_smallest` say. `nunsolved`,
        !> an `integer(int64)`, is how many are none.
        !>
        !> The formula runs once for each trial of all points. It has statements over neighbors only
        !> (`neargrid_status_not_supported`). Radii that are set are not used, and stay. Afterwards
        !> the fields that it makes are those at the radii found, which `set_radii` takes as they are.
        generic, public :: solve_radii => solve_radii_f32, solve_radii_f64
        !> A field that was set or that a formula has made; `x` is that of the points. The arguments
        !> choose one of two forms:
        !>
        !>     call search%get(name, values)      ! allocatable
        !>     call search%get(name, n, values)   ! integer(int64) and an array of the caller
        !>
        !> `values(:)`, or `values(dim, :)` for vectors, or in their place an array for each axis:
        !> `x, y` or `x, y, z`. They are real32 or real64: copies of a field of the other kind are
        !> converted. Allocatables that fit stay where they are; others get a new allocation. An
        !> array of the caller receives the values of all `n` points and is not touched beyond; if it
        !> is too small, `stat` is `neargrid_status_capacity` and `n` is the number that is needed.
        generic, public :: get => fit_numbers_f32, fit_numbers_f64, fit_vectors_f32, fit_vectors_f64, &
            fit_axes_f32, fit_axes_f64, fill_numbers_f32, fill_numbers_f64, &
            fill_vectors_f32, fill_vectors_f64, fill_axes_f32, fill_axes_f64
        !> `get_query`, with arguments as those of `get`: what a field is for queries, as formulas
        !> make it where rows are those of queries.
        generic, public :: get_query => fit_query_numbers_f32, fit_query_numbers_f64, &
            fit_query_vectors_f32, fit_query_vectors_f64, &
            fit_query_axes_f32, fit_query_axes_f64, &
            fill_query_numbers_f32, fill_query_numbers_f64, &
            fill_query_vectors_f32, fill_query_vectors_f64, &
            fill_query_axes_f32, fill_query_axes_f64

        ! --- distances, displacements, values of contacts and order, without a search ---

        !> Distances of pairs in arrays of the caller, in the kind of the points:
        !>
        !>     call search%distances(pair_i, pair_j, d)    ! d(k) of pair_i(k) and pair_j(k)
        !>     call search%distances(offsets, ids, d)      ! d(k) of ids(k) and the point of its row
        !>
        !> Pairs and rows are those of `pairs` and `neighbors` (half or full), or any other 1-based
        !> numbers of points. `d` is the correctly rounded root of `dx*dx + dy*dy + dz*dz` with the
        !> `dx` of `displacements`, summed from left to right, every operation rounded, without
        !> fused multiply-add; infinite where the sum overflows. `d` has at least as many elements
        !> as there are pairs or ids (`neargrid_status_bad_count`) and is not touched beyond. No
        !> cutoff is needed, and views stay valid. `stat` is `neargrid_status_bad_value` for a real
        !> kind that is not that of the points, and for a number that is not a point's.
        generic, public :: distances => distances_f32, distances_f64, &
            row_distances_f32, row_distances_f64
        !> Displacements of pairs in arrays of the caller, in the kind of the points:
        !>
        !>     call search%displacements(pair_i, pair_j, r)
        !>         ! r(:, k) = x(:, pair_i(k)) - x(:, pair_j(k))
        !>     call search%displacements(offsets, ids, r)
        !>         ! r(:, k) = x(:, i) - x(:, ids(k)), i the point of the row of ids(k)
        !>
        !> `r(dim, :)`, with the `dim` of the points. Along a periodic axis it is the difference of
        !> the wrapped coordinates, to the nearest image. Everything else as for `distances`.
        generic, public :: displacements => displacements_f32, displacements_f64, &
            row_displacements_f32, row_displacements_f64
        !> Distances and displacements of rows of queries, as `queries` returns them:
        !>
        !>     call search%query_distances(offsets, ids, d)
        !>         ! d(k) of ids(k) and the query of its row
        !>     call search%query_displacements(offsets, ids, r)
        !>         ! r(:, k) = q(:, i) - x(:, ids(k)), i the query of the row of ids(k)
        !>
        !> Everything else as for `distances` and `displacements`.
        generic, public :: query_distances => query_distances_f32, query_distances_f64
        generic, public :: query_displacements => query_displacements_f32, query_displacements_f64
        !> Values of contacts, from an old list to a new one:
        !>
        !>     call search%carry(old_offsets, old_ids, old_values, offsets, ids, values, signs=signs)
        !>
        !> The entry of the new list that lists `j` in the row of `i` takes the values that the old
        !> list has for `j` in the row of `i`. If it has none, it takes those for `i` in the row of
        !> `j`, each times its sign; and if there is neither, zeros. Values are
        !> `values(columns, entries)` or, with one column, `values(entries)`, of either real kind.
        !> Both arrays have at least as many entries as the ids; the rest of `values` is not touched.
        !> Rows are those of `neighbors` (half or full), of `verlet_list` or of a chunk. A list
        !> without rows has no offsets. These arguments go by keyword:
        !>
        !> * `signs(columns)`, `integer(c_int)`: 1, or -1 for values that change their sign when `i`
        !>   and `j` are exchanged, such as components of a vector from `i` to `j`.
        !> * `old_global_ids(:)`, `global_ids(:)`, `integer(int64)`: an id for each point of either
        !>   numbering, each once. A point is then the same in both lists if its id is, after points
        !>   were reordered, added or removed, or after a restart.
        !> * `old_first_row`, `first_row`, `integer(int64)`: the number of the first row of a piece,
        !>   such as a chunk.
        !> * `lost`, `integer(int64)`, allocatable: the positions in `old_ids` of entries whose pair
        !>   the new list has in neither order.
        !>
        !> Each row ascends, by numbers of points or all rows by global ids
        !> (`neargrid_status_bad_value`). No points are needed, no search is made, and views stay
        !> valid.
        generic, public :: carry => carry_f32, carry_f64, carry_columns_f32, carry_columns_f64
        !> `call search%set_pair_field(name, offsets, ids, values)`: values of pairs, which formulas
        !> read as `name_ij`, and to which they give new ones. `offsets(:)`, `integer(int64)`, and
        !> `ids(:)`, `integer(c_int)`, are rows as `neighbors` makes them, of full rows; a list
        !> without rows has no offsets. `values(entries)` are numbers, `values(dim, entries)`
        !> vectors, in either real kind. A pair that the rows do not have has the value 0. The search
        !> keeps a copy. If global ids are set, set them before.
        !>
        !> `ids` of `integer(int64)` are global ids, or point numbers where none are set. Each row
        !> ascends. Across ranks the call is collective: each rank gives the rows of its points, and
        !> partners may be points of any rank.
        generic, public :: set_pair_field => &
            set_pair_numbers_f32, set_pair_numbers_f64, set_pair_vectors_f32, set_pair_vectors_f64, &
            set_pair_numbers_by_ids_f32, set_pair_numbers_by_ids_f64, set_pair_vectors_by_ids_f32, set_pair_vectors_by_ids_f64
        !> `call search%pair_field(name, offsets, ids, values)`: the values that pairs have, and the
        !> rows that have them, in new arrays that belong to the caller: for a restart, or to look at
        !> them. All are allocatable. `values` has the rank that `set_pair_field` takes, and may have
        !> either real kind. `ids` of `integer(int64)` receives global ids, also across ranks: a run
        !> that goes on from them may have another number of ranks.
        generic, public :: pair_field => &
            pair_numbers_f32, pair_numbers_f64, pair_vectors_f32, pair_vectors_f64, &
            pair_numbers_by_ids_f32, pair_numbers_by_ids_f64, pair_vectors_by_ids_f32, pair_vectors_by_ids_f64
        !> `call search%order(perm)`: the numbers of the points in spatial order, along a z-order
        !> (Morton) curve; `perm(k)` comes k-th. `perm` is `integer(c_int)`, allocatable, new with n
        !> elements. Coincident points come by number. Outliers and clusters do not coarsen the
        !> order of other points. `neargrid_reorder` applies it to arrays, and `neargrid_restore`
        !> undoes that. No cutoff is needed, and views stay valid.
        procedure, public :: order => spatial_order

        ! --- across ranks; collective ---

        !> `call search%ghosts(ids, ranks, positions)`: the points of other ranks that rows may list, as
        !> pointers like those of `pairs`: ghost k has the number n + k, where n is the number of
        !> points of this rank. `ids`, `integer(int64)`, are global ids, `ranks`, `integer(c_int)`, the
        !> ranks that own them, **from 0 on**, and `positions(dim, nghosts)` are in the kind of
        !> the points, wrapped along axes of a periodic box. Ghosts are ordered by ranks, and those of a rank
        !> by their numbers there.
        generic, public :: ghosts => ghosts_f32, ghosts_f64
        !> `call search%halo_exchange(values)`: `values(n + nghosts)` or `values(width, n + nghosts)`,
        !> real32, real64, int32 or int64, is a field of the points of this rank and of its ghosts.
        !> The call gives the ghosts the values that they have on the ranks that own them.
        generic, public :: halo_exchange => &
            halo_exchange_numbers_i32, halo_exchange_vectors_i32, &
            halo_exchange_numbers_i64, halo_exchange_vectors_i64, &
            halo_exchange_numbers_f32, halo_exchange_numbers_f64, &
            halo_exchange_vectors_f32, halo_exchange_vectors_f64
        !> `call search%migration_plan(pos, n_new, ids)`: where points `pos(dim, n)` of this rank, real32 or
        !> real64, go so that each rank has as many, or one more, near each other in space. Nothing
        !> moves yet, and the points of the search stay as they are. `n_new`, `integer(c_int)`, is the
        !> number of points that this rank will have. `ids(n)`, `integer(int64)`, global ids on all
        !> ranks or on none: with them the plan does not depend on where points are now.
        generic, public :: migration_plan => migration_plan_f32, migration_plan_f64
        !> `call search%migration_move(values, n_new)`: moves a field of the points that a migration
        !> was planned for: `values(n)` or `values(width, n)`, allocatable, real32, real64, int32 or
        !> int64, becomes that of the `n_new` points that this rank has then. Move all fields, the
        !> points and their ids among them, then set the points.
        generic, public :: migration_move => &
            migration_move_numbers_i32, migration_move_vectors_i32, &
            migration_move_numbers_i64, migration_move_vectors_i64, &
            migration_move_numbers_f32, migration_move_numbers_f64, &
            migration_move_vectors_f32, migration_move_vectors_f64

        ! --- memory, and what the last query did ---

        !> `call search%trim()` frees all memory that points and settings do not need. The next
        !> query takes it again, with the same result. Views dangle from then on.
        procedure, public :: trim => trim_memory
        !> `call search%info(text)`: which backend ran and why, threads, cells and memory, for
        !> people to read. `text` is `character(len=:), allocatable`.
        procedure, public :: info
        !> `call search%counter(which, value)`: one number about the last query, `integer(int64)`;
        !> `which` is one of `neargrid_counter_*`.
        procedure, public :: counter
        !> `call search%timing(phase, seconds)`: how long one phase of the last query took, real64;
        !> `phase` is one of `neargrid_phase_*`.
        procedure, public :: timing

        generic, public :: assignment(=) => refuse_copy
        procedure, private :: set_cutoff_f32, set_cutoff_f64, set_type_cutoffs_f32, set_type_cutoffs_f64, set_box_f32, set_box_f64
        procedure, private :: set_skin_f32, set_skin_f64, set_ids_i32, set_ids_i64
        procedure, private :: set_knn_within_f32, set_knn_within_f64
        procedure, private :: solve_radii_f32, solve_radii_f64
        procedure, private :: take_neighbors_by_cutoffs_f32, take_neighbors_by_cutoffs_f64
        procedure, private :: set_active_first, set_active_flags
        procedure, private :: set_radii_f32, set_radii_f64, set_query_radii_f32, set_query_radii_f64
        procedure, private :: set_points_columns_f32, set_points_columns_f64
        procedure, private :: set_points_flat_f32, set_points_flat_f64
        procedure, private :: set_points_axes_f32, set_points_axes_f64
        procedure, private :: set_points_first_f32, set_points_first_f64
        procedure, private :: add_points_columns_f32, add_points_columns_f64
        procedure, private :: add_points_flat_f32, add_points_flat_f64
        procedure, private :: add_points_axes_f32, add_points_axes_f64
        procedure, private :: add_points_first_f32, add_points_first_f64
        procedure, private :: set_queries_columns_f32, set_queries_columns_f64
        procedure, private :: set_queries_flat_f32, set_queries_flat_f64
        procedure, private :: set_queries_axes_f32, set_queries_axes_f64
        procedure, private :: set_queries_first_f32, set_queries_first_f64
        procedure, private :: update_columns_f32, update_columns_f64
        procedure, private :: update_flat_f32, update_flat_f64
        procedure, private :: update_axes_f32, update_axes_f64
        procedure, private :: update_first_f32, update_first_f64
        procedure, private :: pairs_view, pairs_fit, pairs_fill
        procedure, private :: neighbors_view, neighbors_fit, neighbors_fill, neighbors_fill_32
        procedure, private :: systems_f32, systems_f64
        procedure, private :: set_cell_f32, set_cell_f64
        procedure, private :: images_view, images_fit, images_fill
                procedure, private :: knn_view_f32, knn_view_f64, knn_fit_f32, knn_fit_f64
        procedure, private :: knn_fill_f32, knn_fill_f64
        procedure, private :: exclude_numbers, exclude_ids
        procedure, private :: knn_ghosts_f32, knn_ghosts_f64
        procedure, private :: fof_view, fof_fit, fof_ids
        procedure, private :: groups_alone, groups_f32, groups_f64
        procedure, private :: distances_f32, distances_f64, row_distances_f32, row_distances_f64
        procedure, private :: displacements_f32, displacements_f64
        procedure, private :: row_displacements_f32, row_displacements_f64
        procedure, private :: query_distances_f32, query_distances_f64
        procedure, private :: query_displacements_f32, query_displacements_f64
        procedure, private :: carry_f32, carry_f64, carry_columns_f32, carry_columns_f64
        procedure, private :: set_pair_numbers_f32, set_pair_numbers_f64, set_pair_vectors_f32, set_pair_vectors_f64
        procedure, private :: pair_numbers_f32, pair_numbers_f64, pair_vectors_f32, pair_vectors_f64
        procedure, private :: set_pair_numbers_by_ids_f32, set_pair_numbers_by_ids_f64
        procedure, private :: set_pair_vectors_by_ids_f32, set_pair_vectors_by_ids_f64
        procedure, private :: pair_numbers_by_ids_f32, pair_numbers_by_ids_f64, pair_vectors_by_ids_f32, pair_vectors_by_ids_f64
        procedure, private :: set_numbers_f32, set_numbers_f64, set_vectors_f32, set_vectors_f64
        procedure, private :: set_axes_f32, set_axes_f64
        procedure, private :: set_query_numbers_f32, set_query_numbers_f64
        procedure, private :: set_query_vectors_f32, set_query_vectors_f64
        procedure, private :: set_query_axes_f32, set_query_axes_f64
        procedure, private :: run_once, run_i32, run_i64
        procedure, private :: create_alone, create_across
        procedure, private :: ghosts_f32, ghosts_f64, migration_plan_f32, migration_plan_f64
        procedure, private :: halo_exchange_numbers_f32, halo_exchange_numbers_f64
        procedure, private :: halo_exchange_vectors_f32, halo_exchange_vectors_f64
        procedure, private :: halo_exchange_numbers_i32, halo_exchange_numbers_i64
        procedure, private :: halo_exchange_vectors_i32, halo_exchange_vectors_i64
        procedure, private :: migration_move_numbers_f32, migration_move_numbers_f64
        procedure, private :: migration_move_vectors_f32, migration_move_vectors_f64
        procedure, private :: migration_move_numbers_i32, migration_move_numbers_i64
        procedure, private :: migration_move_vectors_i32, migration_move_vectors_i64
        procedure, private :: fit_numbers_f32, fit_numbers_f64, fit_vectors_f32, fit_vectors_f64
        procedure, private :: fit_axes_f32, fit_axes_f64
        procedure, private :: fill_numbers_f32, fill_numbers_f64, fill_vectors_f32, fill_vectors_f64
        procedure, private :: fill_axes_f32, fill_axes_f64
        procedure, private :: fit_query_numbers_f32, fit_query_numbers_f64, fit_query_vectors_f32, fit_query_vectors_f64
        procedure, private :: fit_query_axes_f32, fit_query_axes_f64
        procedure, private :: fill_query_numbers_f32, fill_query_numbers_f64, fill_query_vectors_f32, fill_query_vectors_f64
        procedure, private :: fill_query_axes_f32, fill_query_axes_f64
        procedure, private :: refuse_copy
        final :: finalize
    end type neargrid_search

    !> Rows of neighbors that outlive the next call on the search, for example those of the step
    !> before, which a code with contacts needs beside the new ones:
    !>
    !>     type(neargrid_list) :: old, new
    !>     call search%take_neighbors(new, kind=neargrid_neighbors_half)
    !>     call new%neighbors(offsets, ids)
    !>     call old%neighbors(old_offsets, old_ids)
    !>     ...                                 ! bring what is known of a contact from old to new
    !>     call old%swap(new)                  ! and the next step
    !>
    !> Two lists that take turns allocate nothing once they are large enough. A list belongs to no
    !> search. Any number of threads may read it at the same time. Like a search, it is destroyed
    !> when its variable goes out of scope, and cannot be copied.
    type :: neargrid_list
        private
        type(c_ptr) :: handle = c_null_ptr
        type(c_ptr) :: owner = c_null_ptr   ! where the variable was when it got its rows
    contains
        !> `call list%neighbors(offsets, ids)`: the rows, as pointers like those of the search's
        !> `neighbors`. They are valid until the list takes other rows or is destroyed. `stat` is
        !> `neargrid_status_null_pointer` if the list never took any.
        procedure, public :: neighbors => list_neighbors
        !> `call list%swap(other)`: each has the rows of the other. Pointers stay valid.
        procedure, public :: swap => list_swap
        !> `call list%destroy()` frees the rows. It does nothing for a list without rows.
        procedure, public :: destroy => list_destroy
        generic, public :: assignment(=) => list_refuse_copy
        procedure, private :: list_refuse_copy
        final :: list_finalize
    end type neargrid_list

    !> Groups of points, the largest first and equally large ones by label (or by the global id of
    !> the label), and sums over their members. The members of group g are
    !> `order(offsets(g) : offsets(g + 1) - 1)`, by number. After the members of all groups, `order`
    !> holds the points of smaller groups.
    type :: neargrid_groups
        !> The global id of the point that names each group, or its number where no ids are set.
        integer(int64), allocatable :: ids(:)
        !> The number of that point. Across ranks, where points of a group are on several ranks,
        !> `labels`, `offsets` and `order` are not allocated: `fof` gives each point its group's id.
        integer(c_int), allocatable :: labels(:)
        !> The number of points of each group, and where its members begin.
        integer(int64), allocatable :: sizes(:), offsets(:)
        !> All points: an order for `neargrid_reorder`.
        integer(c_int), allocatable :: order(:)
        !> Sums of masses; centers of mass, `centers(dim, g)`; mean velocities,
        !> `velocities(dim, g)`, not allocated where no velocities were given; roots of the mean
        !> squared distance from the center. Means are weighted by mass.
        real(real64), allocatable :: masses(:), centers(:, :), velocities(:, :), radii(:)
        !> Whether the group is as wide as half the box along a periodic axis, or wider: its center
        !> and radius depend on the label then.
        logical, allocatable :: wide(:)
    end type neargrid_groups

    !> A formula for `search%run`: sums, maxima and minima over the neighbors of each point, values
    !> for each point, and numbers.
    !>
    !>     type(neargrid_formula) :: density
    !>     call density%create("w = (1 - r/c)**4*(4*r/c + 1); rho += m_j*w*norm")
    !>     call density%set("norm", 7/(acos(-1.0_real64)*cutoff**2))   ! a constant
    !>     call search%set("m", mass)                                  ! a field: mass(n)
    !>     call search%run(density)
    !>     call search%get("rho", rho)                                 ! allocatable: rho(n)
    !>
    !> It belongs to no search. Like a search, it is destroyed when its variable goes out of scope,
    !> and cannot be copied.
    type :: neargrid_formula
        private
        type(c_ptr) :: handle = c_null_ptr
        type(c_ptr) :: owner = c_null_ptr   ! where the variable was when it was created
    contains
        !> `call formula%create(text)`: a formula from its text; one that exists starts over.
        !>
        !> Statements are separated by `;` or new lines. `name = expression` is a temporary.
        !> `name += expression`, `name max= expression` and `name min= expression` make fields: the
        !> sum, the largest or the smallest of the terms of all neighbors j of point i.
        !> `name_ij = expression` gives a pair field new values: one for each pair, which lives from
        !> run to run (`pair_field`).
        !>
        !> Names that end in `_i` and `_j` are fields of the two points. `d` is the vector
        !> x_i - x_j to the nearest image, `r2` is dot(d, d), `r` its root, `c` the cutoff of the
        !> pair, and `pi` is built in. A name that is called with `r`, `r2` or `r/c` is a radial
        !> table. Every other name without a value is a constant. There are `+ - * / **`,
        !> comparisons, which `and`, `or` and `not` join, and the functions `dot`, `cross`, `min`,
        !> `max`, `abs`, `sqrt`, `exp`, `log`, `pow`, `sin`, `cos`, `tan`, `tanh`, `atan2`, `erf`, `erfc`,
        !> `sign` and `floor`. `v.x`, `v.y` and `v.z` are components of a vector, and `vector(a, b, c)` is one of numbers, as many as the points
        !> have axes. `select(a, b, condition)` is `merge(a, b, condition)`. A text that is no
        !> formula fails with `neargrid_status_bad_value`; the message says where, and what to write
        !> instead.
        procedure, public :: create => formula_create
        !> `call formula%destroy()` frees the formula.
        procedure, public :: destroy => formula_destroy
        !> `call formula%set_precision(precision)`: `neargrid_precision_single` (default) or
        !> `neargrid_precision_double`. All operations and outputs have it.
        procedure, public :: set_precision => formula_set_precision
        !> `call formula%set_include_self(include)`: whether a point is a neighbor of itself, with
        !> r = 0. By default it is not.
        procedure, public :: set_include_self => formula_set_include_self
        !> `call formula%set(name, value)`: a constant, or a number from which `:=` goes on, real32 or
        !> real64.
        generic, public :: set => set_constant_f32, set_constant_f64
        !> `call formula%set_table(name, of, first, last, values)`: a radial table of real64 `values`
        !> at equal steps of r (`neargrid_table_r`), r2 (`neargrid_table_r2`) or r/c
        !> (`neargrid_table_r_over_c`), from `first` to `last`. It is linear between them, and
        !> constant beyond.
        procedure, public :: set_table => formula_set_table
        !> `set_cubic_table`, with arguments as those of `set_table`: a table with a cubic spline
        !> between the values, four at least, which must be finite. Its first and second derivatives
        !> are continuous, and its third one is at the second value and at the last but one
        !> ("not a knot").
        procedure, public :: set_cubic_table => formula_set_cubic_table
        !> `call formula%get(name, value)`: a constant, or the number that a statement has made in the
        !> last run, real32 or real64.
        generic, public :: get => get_number_f32, get_number_f64

        generic, public :: assignment(=) => formula_refuse_copy
        procedure, private :: set_constant_f32, set_constant_f64, get_number_f32, get_number_f64
        procedure, private :: formula_refuse_copy
        final :: formula_finalize
    end type neargrid_formula

    !> `neargrid_version()`: the version of the library that is linked, such as "0.1.0".
    interface neargrid_version
        module function version_text() result(version)
            character(len=:), allocatable :: version
        end function version_text
    end interface neargrid_version

    !> `neargrid_status_name(status)`: the name of a status, such as "NEARGRID_STATUS_BAD_CUTOFF".
    interface neargrid_status_name
        module function status_text(status) result(name)
            integer(c_int), intent(in) :: status
            character(len=:), allocatable :: name
        end function status_text
    end interface neargrid_status_name

    !> The handle of a variable, for C. It ends the program where the variable is a copy.
    interface owned
        module function owned_search(self) result(handle)
            class(neargrid_search), intent(in) :: self
            type(c_ptr) :: handle
        end function owned_search

        module function owned_list(self) result(handle)
            class(neargrid_list), intent(in) :: self
            type(c_ptr) :: handle
        end function owned_list

        module function owned_formula(self) result(handle)
            class(neargrid_formula), intent(in) :: self
            type(c_ptr) :: handle
        end function owned_formula
    end interface owned

    !> The rows that a call means: all neighbors of each point, unless it says otherwise.
    interface
        pure module function rows_of(kind) result(rows)
            integer(c_int), intent(in), optional :: kind
            integer(c_int) :: rows
        end function rows_of
    end interface

    ! This declares the arguments of the procedures above, for the compiler.

    interface ! neargrid_settings.f90

        module subroutine create_alone(self, by_keyword, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(keywords_only), intent(in), optional :: by_keyword
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine create_alone

        module subroutine create_across(self, comm, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(c_ptr), intent(in) :: comm
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine create_across

        module subroutine destroy(self)
            class(neargrid_search), intent(inout) :: self
        end subroutine destroy

        impure elemental module subroutine finalize(self)
            type(neargrid_search), intent(inout) :: self
        end subroutine finalize

        impure elemental module subroutine refuse_copy(self, other)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_search), intent(in) :: other
        end subroutine refuse_copy

        module subroutine set_tie_rule(self, rule, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: rule
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_tie_rule

        module subroutine set_threads(self, threads, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: threads
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_threads

        module subroutine set_backend(self, backend, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: backend
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_backend

        module subroutine set_device(self, device, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: device
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_device

        module subroutine set_device_turn(self, turn, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: turn
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_device_turn

        module subroutine set_active_first(self, n_active, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: n_active
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_active_first

        module subroutine set_ghost_pairs(self, which, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: which
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_ghost_pairs

        module subroutine set_ghost_rows(self, which, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: which
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_ghost_rows

        module subroutine set_memory_limit(self, bytes, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(in) :: bytes
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_memory_limit

        module subroutine set_active_flags(self, flags, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            logical, intent(in) :: flags(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_active_flags

        module subroutine set_roles(self, roles, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in), contiguous :: roles(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_roles

        module subroutine set_types(self, types, mask, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in), contiguous :: types(:)
            logical, intent(in) :: mask(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_types

        module subroutine exclude_ids(self, offsets, ids, classes, by_keyword, shifts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(in), contiguous :: offsets(:), ids(:)
            integer(c_int), intent(in), contiguous, optional :: classes(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), contiguous, optional :: shifts(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine exclude_ids

        module subroutine exclude_numbers(self, offsets, ids, classes, by_keyword, shifts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(in), contiguous, optional :: offsets(:)
            integer(c_int), intent(in), contiguous, optional :: ids(:), classes(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), contiguous, optional :: shifts(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine exclude_numbers

        module subroutine set_primary_types(self, primary, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            logical, intent(in) :: primary(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_primary_types

        module subroutine set_ids_i32(self, ids, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int32), intent(in), contiguous :: ids(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_ids_i32

        module subroutine set_ids_i64(self, ids, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(in), contiguous :: ids(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_ids_i64

        module subroutine set_cutoff_f32(self, cutoff, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in) :: cutoff
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_cutoff_f32

        module subroutine set_type_cutoffs_f32(self, cutoffs, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), contiguous :: cutoffs(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_type_cutoffs_f32

        module subroutine set_box_f32(self, lo, length, periodic, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), contiguous :: lo(:), length(:)
            logical, intent(in) :: periodic(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_box_f32

        module subroutine set_skin_f32(self, skin, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in) :: skin
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_skin_f32

        module subroutine set_knn_within_f32(self, radius, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in) :: radius
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_knn_within_f32

        module subroutine set_radii_f32(self, radii, rule, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), contiguous :: radii(:)
            integer(c_int), intent(in) :: rule
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_radii_f32

        module subroutine set_query_radii_f32(self, radii, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), contiguous :: radii(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_radii_f32

        module subroutine set_cutoff_f64(self, cutoff, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in) :: cutoff
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_cutoff_f64

        module subroutine set_type_cutoffs_f64(self, cutoffs, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), contiguous :: cutoffs(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_type_cutoffs_f64

        module subroutine set_box_f64(self, lo, length, periodic, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), contiguous :: lo(:), length(:)
            logical, intent(in) :: periodic(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_box_f64

        module subroutine set_skin_f64(self, skin, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in) :: skin
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_skin_f64

        module subroutine set_knn_within_f64(self, radius, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in) :: radius
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_knn_within_f64

        module subroutine set_radii_f64(self, radii, rule, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), contiguous :: radii(:)
            integer(c_int), intent(in) :: rule
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_radii_f64

        module subroutine set_query_radii_f64(self, radii, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), contiguous :: radii(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_radii_f64

        module subroutine clear_radii(self, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine clear_radii

    end interface

    interface ! neargrid_points.f90

        module subroutine set_points_columns_f32( &
            self, pos, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: pos(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_columns_f32

        module subroutine set_points_flat_f32( &
            self, x, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_flat_f32

        module subroutine set_points_axes_f32( &
            self, x, y, z, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:), y(:)
            real(real32), intent(in), target, optional :: z(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_axes_f32

        module subroutine set_points_first_f32( &
            self, x, y, z, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x
            real(real32), intent(in), target, optional :: y, z
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_first_f32

        module subroutine set_points_columns_f64( &
            self, pos, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: pos(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_columns_f64

        module subroutine set_points_flat_f64( &
            self, x, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_flat_f64

        module subroutine set_points_axes_f64( &
            self, x, y, z, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:), y(:)
            real(real64), intent(in), target, optional :: z(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_axes_f64

        module subroutine set_points_first_f64( &
            self, x, y, z, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x
            real(real64), intent(in), target, optional :: y, z
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_points_first_f64

        module subroutine add_points_columns_f32( &
            self, pos, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: pos(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_columns_f32

        module subroutine add_points_flat_f32( &
            self, x, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_flat_f32

        module subroutine add_points_axes_f32( &
            self, x, y, z, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:), y(:)
            real(real32), intent(in), target, optional :: z(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_axes_f32

        module subroutine add_points_first_f32( &
            self, x, y, z, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x
            real(real32), intent(in), target, optional :: y, z
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_first_f32

        module subroutine add_points_columns_f64( &
            self, pos, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: pos(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_columns_f64

        module subroutine add_points_flat_f64( &
            self, x, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_flat_f64

        module subroutine add_points_axes_f64( &
            self, x, y, z, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:), y(:)
            real(real64), intent(in), target, optional :: z(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_axes_f64

        module subroutine add_points_first_f64( &
            self, x, y, z, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x
            real(real64), intent(in), target, optional :: y, z
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine add_points_first_f64

        module subroutine set_queries_columns_f32( &
            self, pos, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: pos(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_columns_f32

        module subroutine set_queries_flat_f32( &
            self, x, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_flat_f32

        module subroutine set_queries_axes_f32( &
            self, x, y, z, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:), y(:)
            real(real32), intent(in), target, optional :: z(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_axes_f32

        module subroutine set_queries_first_f32( &
            self, x, y, z, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x
            real(real32), intent(in), target, optional :: y, z
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_first_f32

        module subroutine set_queries_columns_f64( &
            self, pos, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: pos(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_columns_f64

        module subroutine set_queries_flat_f64( &
            self, x, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_flat_f64

        module subroutine set_queries_axes_f64( &
            self, x, y, z, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:), y(:)
            real(real64), intent(in), target, optional :: z(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_axes_f64

        module subroutine set_queries_first_f64( &
            self, x, y, z, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x
            real(real64), intent(in), target, optional :: y, z
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_queries_first_f64

        module subroutine update_columns_f32( &
            self, pos, rebuilt, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: pos(:, :)
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_columns_f32

        module subroutine update_flat_f32( &
            self, x, rebuilt, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:)
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_flat_f32

        module subroutine update_axes_f32( &
            self, x, y, z, rebuilt, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x(:), y(:)
            real(real32), intent(in), target, optional :: z(:)
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_axes_f32

        module subroutine update_first_f32( &
            self, x, y, z, rebuilt, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: x
            real(real32), intent(in), target, optional :: y, z
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_first_f32

        module subroutine update_columns_f64( &
            self, pos, rebuilt, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: pos(:, :)
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_columns_f64

        module subroutine update_flat_f64( &
            self, x, rebuilt, by_keyword, dim, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:)
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: dim
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_flat_f64

        module subroutine update_axes_f64( &
            self, x, y, z, rebuilt, by_keyword, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x(:), y(:)
            real(real64), intent(in), target, optional :: z(:)
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_axes_f64

        module subroutine update_first_f64( &
            self, x, y, z, rebuilt, by_keyword, stride, n, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: x
            real(real64), intent(in), target, optional :: y, z
            logical, intent(inout), optional :: rebuilt
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in) :: stride, n
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine update_first_f64

        module subroutine skin_used(self, share, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            real(real64), intent(inout) :: share
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine skin_used

    end interface

    interface ! neargrid_pairs.f90

        module subroutine count_pairs(self, npairs, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: npairs
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine count_pairs

        module subroutine pairs_view(self, pair_i, pair_j, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), pointer, intent(inout) :: pair_i(:), pair_j(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pairs_view

        module subroutine pairs_fit(self, pair_i, pair_j, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), allocatable, intent(inout) :: pair_i(:), pair_j(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pairs_fit

        module subroutine pairs_fill(self, npairs, pair_i, pair_j, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: npairs
            integer(c_int), intent(inout), contiguous :: pair_i(:), pair_j(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pairs_fill

    end interface

    interface ! neargrid_cell.f90

        module subroutine set_cell_f32(self, cell, periodic, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), contiguous :: cell(:, :)
            logical, intent(in) :: periodic(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_cell_f32

        module subroutine set_cell_f64(self, cell, periodic, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), contiguous :: cell(:, :)
            logical, intent(in) :: periodic(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_cell_f64

        module subroutine clear_cell(self, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine clear_cell

        module subroutine count_images(self, total, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: total
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine count_images

        module subroutine images_view(self, offsets, ids, shifts, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            integer(c_int), pointer, intent(inout), optional :: shifts(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine images_view

        module subroutine images_fit(self, offsets, ids, shifts, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(c_int), allocatable, intent(inout) :: ids(:)
            integer(c_int), allocatable, intent(inout), optional :: shifts(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine images_fit

        module subroutine images_fill(self, total, offsets, ids, shifts, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: total
            integer(int64), intent(inout), contiguous :: offsets(:)
            integer(c_int), intent(inout), contiguous :: ids(:)
            integer(c_int), intent(inout), contiguous, optional :: shifts(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine images_fill

    end interface

    interface ! neargrid_neighbors.f90

        module subroutine count_neighbors(self, total, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: total
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine count_neighbors

        module subroutine neighbors_view(self, offsets, ids, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine neighbors_view

        module subroutine neighbors_fit(self, offsets, ids, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(c_int), allocatable, intent(inout) :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine neighbors_fit

        module subroutine neighbors_fill(self, total, offsets, ids, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: total
            integer(int64), intent(inout), contiguous :: offsets(:)
            integer(c_int), intent(inout), contiguous :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine neighbors_fill

        module subroutine neighbors_fill_32(self, total, offsets, ids, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(inout) :: total
            integer(c_int), intent(inout), contiguous :: offsets(:)
            integer(c_int), intent(inout), contiguous :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine neighbors_fill_32

        module subroutine padded_neighbors(self, longest, ids, counts, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: longest
            integer(c_int), intent(inout), contiguous :: ids(:, :)
            integer(c_int), intent(inout), contiguous :: counts(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine padded_neighbors

        module subroutine histogram(self, edges, counts, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), contiguous :: edges(:)
            integer(int64), intent(inout), contiguous :: counts(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine histogram

        module subroutine verlet_list(self, offsets, ids, by_keyword, kind, rebuilt, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            logical, intent(inout), optional :: rebuilt
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine verlet_list

    end interface

    interface ! neargrid_systems.f90

        module subroutine systems_f32(self, pos, firsts, cutoffs, offsets, ids, by_keyword, kind, &
                                      lo, length, periodic, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: pos(:, :)
            integer(int64), intent(in), target, contiguous :: firsts(:)
            real(real64), intent(in), target, contiguous :: cutoffs(:)
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            real(real64), intent(in), optional :: lo(:, :), length(:, :)
            logical, intent(in), optional :: periodic(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine systems_f32

        module subroutine systems_f64(self, pos, firsts, cutoffs, offsets, ids, by_keyword, kind, &
                                      lo, length, periodic, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: pos(:, :)
            integer(int64), intent(in), target, contiguous :: firsts(:)
            real(real64), intent(in), target, contiguous :: cutoffs(:)
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            real(real64), intent(in), optional :: lo(:, :), length(:, :)
            logical, intent(in), optional :: periodic(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine systems_f64

    end interface

    interface ! neargrid_solve_radii.f90

        module subroutine solve_radii_f32(self, formula, field, target, smallest, largest, radii, &
                                          by_keyword, tolerance, max_iterations, kind, outcomes, &
                                          nunsolved, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_formula), intent(inout) :: formula
            character(len=*), intent(in) :: field
            real(real32), intent(in) :: target, smallest, largest
            real(real32), allocatable, intent(inout) :: radii(:)
            type(keywords_only), intent(in), optional :: by_keyword
            real(real32), intent(in), optional :: tolerance
            integer(c_int), intent(in), optional :: max_iterations, kind
            integer(c_int), allocatable, intent(inout), optional :: outcomes(:)
            integer(int64), intent(inout), optional :: nunsolved
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine solve_radii_f32

        module subroutine solve_radii_f64(self, formula, field, target, smallest, largest, radii, &
                                          by_keyword, tolerance, max_iterations, kind, outcomes, &
                                          nunsolved, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_formula), intent(inout) :: formula
            character(len=*), intent(in) :: field
            real(real64), intent(in) :: target, smallest, largest
            real(real64), allocatable, intent(inout) :: radii(:)
            type(keywords_only), intent(in), optional :: by_keyword
            real(real64), intent(in), optional :: tolerance
            integer(c_int), intent(in), optional :: max_iterations, kind
            integer(c_int), allocatable, intent(inout), optional :: outcomes(:)
            integer(int64), intent(inout), optional :: nunsolved
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine solve_radii_f64

    end interface

    interface ! neargrid_lists.f90

        module subroutine take_neighbors(self, list, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_list), intent(inout) :: list
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine take_neighbors

        module subroutine take_neighbors_by_cutoffs_f32(self, cutoffs, lists, by_keyword, &
                                                        kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in) :: cutoffs(:)
            type(neargrid_list), intent(inout) :: lists(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine take_neighbors_by_cutoffs_f32

        module subroutine take_neighbors_by_cutoffs_f64(self, cutoffs, lists, by_keyword, &
                                                        kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in) :: cutoffs(:)
            type(neargrid_list), intent(inout) :: lists(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine take_neighbors_by_cutoffs_f64

        module subroutine list_neighbors(self, offsets, ids, stat, errmsg)
            class(neargrid_list), intent(in) :: self
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine list_neighbors

        module subroutine list_swap(self, other)
            class(neargrid_list), intent(inout) :: self
            type(neargrid_list), intent(inout) :: other
        end subroutine list_swap

        module subroutine list_destroy(self)
            class(neargrid_list), intent(inout) :: self
        end subroutine list_destroy

        impure elemental module subroutine list_finalize(self)
            type(neargrid_list), intent(inout) :: self
        end subroutine list_finalize

        impure elemental module subroutine list_refuse_copy(self, other)
            class(neargrid_list), intent(inout) :: self
            type(neargrid_list), intent(in) :: other
        end subroutine list_refuse_copy

    end interface

    interface ! neargrid_chunks.f90

        module subroutine chunks_begin(self, max_entries, total, by_keyword, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(in) :: max_entries
            integer(int64), intent(inout) :: total
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine chunks_begin

        module subroutine chunks_next(self, first_row, nrows, offsets, ids, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: first_row, nrows
            integer(int64), pointer, intent(inout) :: offsets(:)
            integer(c_int), pointer, intent(inout) :: ids(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine chunks_next

        module subroutine chunks_next_pairs(self, npairs, pair_i, pair_j, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout) :: npairs
            integer(c_int), pointer, intent(inout) :: pair_i(:), pair_j(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine chunks_next_pairs

    end interface

    interface ! neargrid_knn.f90

        module subroutine knn_view_f32(self, k, ids, distances, by_keyword, kind, &
                                     measure, counts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: k
            integer(c_int), pointer, intent(inout) :: ids(:, :)
            real(real32), pointer, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind, measure
            integer(c_int), pointer, intent(inout), optional :: counts(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_view_f32

        module subroutine knn_fit_f32(self, k, ids, distances, by_keyword, kind, &
                                     measure, counts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: k
            integer(c_int), allocatable, intent(inout) :: ids(:, :)
            real(real32), allocatable, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind, measure
            integer(c_int), allocatable, intent(inout), optional :: counts(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_fit_f32

        module subroutine knn_fill_f32(self, k, nrows, ids, distances, by_keyword, kind, &
                                     measure, counts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: k
            integer(int64), intent(inout) :: nrows
            integer(c_int), contiguous, intent(inout) :: ids(:, :)
            real(real32), contiguous, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind, measure
            integer(c_int), contiguous, intent(inout), optional :: counts(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_fill_f32

        module subroutine knn_view_f64(self, k, ids, distances, by_keyword, kind, &
                                     measure, counts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: k
            integer(c_int), pointer, intent(inout) :: ids(:, :)
            real(real64), pointer, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind, measure
            integer(c_int), pointer, intent(inout), optional :: counts(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_view_f64

        module subroutine knn_fit_f64(self, k, ids, distances, by_keyword, kind, &
                                     measure, counts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: k
            integer(c_int), allocatable, intent(inout) :: ids(:, :)
            real(real64), allocatable, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind, measure
            integer(c_int), allocatable, intent(inout), optional :: counts(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_fit_f64

        module subroutine knn_fill_f64(self, k, nrows, ids, distances, by_keyword, kind, &
                                     measure, counts, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), intent(in) :: k
            integer(int64), intent(inout) :: nrows
            integer(c_int), contiguous, intent(inout) :: ids(:, :)
            real(real64), contiguous, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind, measure
            integer(c_int), contiguous, intent(inout), optional :: counts(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_fill_f64

    end interface

    interface ! neargrid_knn.f90, across ranks

        module subroutine knn_ghosts_f32(self, ids, ranks, positions, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: ids(:)
            integer(c_int), pointer, intent(inout) :: ranks(:)
            real(real32), pointer, intent(inout) :: positions(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_ghosts_f32

        module subroutine knn_ghosts_f64(self, ids, ranks, positions, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: ids(:)
            integer(c_int), pointer, intent(inout) :: ranks(:)
            real(real64), pointer, intent(inout) :: positions(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine knn_ghosts_f64

    end interface

    interface ! neargrid_groups.f90

        module subroutine fof_view(self, labels, by_keyword, ngroups, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), pointer, intent(inout) :: labels(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(int64), intent(inout), optional :: ngroups
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fof_view

        module subroutine fof_fit(self, labels, by_keyword, ngroups, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(c_int), allocatable, intent(inout) :: labels(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(int64), intent(inout), optional :: ngroups
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fof_fit

        module subroutine fof_ids(self, labels, by_keyword, ngroups, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), allocatable, intent(inout) :: labels(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(int64), intent(inout), optional :: ngroups
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fof_ids

        module subroutine groups_alone(self, found, min_size, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_groups), intent(inout) :: found
            integer(c_int), intent(in) :: min_size
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine groups_alone

        module subroutine groups_f32(self, found, min_size, masses, velocities, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_groups), intent(inout) :: found
            integer(c_int), intent(in) :: min_size
            real(real32), intent(in), target, contiguous :: masses(:)
            real(real32), intent(in), target, optional :: velocities(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine groups_f32

        module subroutine groups_f64(self, found, min_size, masses, velocities, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_groups), intent(inout) :: found
            integer(c_int), intent(in) :: min_size
            real(real64), intent(in), target, contiguous :: masses(:)
            real(real64), intent(in), target, optional :: velocities(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine groups_f64

    end interface

    interface ! neargrid_formulas.f90

        module subroutine run_once(self, formula, by_keyword, errmsg, kind, stat)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_formula), intent(inout) :: formula
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine run_once

        ! Compilers tell it from `run_once` by the place of `times`, where that has a text.
        module subroutine run_i32(self, formula, by_keyword, times, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_formula), intent(inout) :: formula
            type(keywords_only), intent(in), optional :: by_keyword
            integer(int32), intent(in) :: times
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine run_i32

        ! Compilers tell it from `run_once` by the place of `times`, where that has a text.
        module subroutine run_i64(self, formula, by_keyword, times, kind, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            type(neargrid_formula), intent(inout) :: formula
            type(keywords_only), intent(in), optional :: by_keyword
            integer(int64), intent(in) :: times
            integer(c_int), intent(in), optional :: kind
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine run_i64

        module subroutine formula_create(self, text, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            character(len=*), intent(in) :: text
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine formula_create

        module subroutine formula_destroy(self)
            class(neargrid_formula), intent(inout) :: self
        end subroutine formula_destroy

        impure elemental module subroutine formula_finalize(self)
            type(neargrid_formula), intent(inout) :: self
        end subroutine formula_finalize

        impure elemental module subroutine formula_refuse_copy(self, other)
            class(neargrid_formula), intent(inout) :: self
            type(neargrid_formula), intent(in) :: other
        end subroutine formula_refuse_copy

        module subroutine formula_set_precision(self, precision, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            integer(c_int), intent(in) :: precision
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine formula_set_precision

        module subroutine formula_set_include_self(self, include, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            logical, intent(in) :: include
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine formula_set_include_self

        module subroutine formula_set_table(self, name, of, first, last, values, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(c_int), intent(in) :: of
            real(real64), intent(in) :: first, last
            real(real64), intent(in), contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine formula_set_table

        module subroutine formula_set_cubic_table(self, name, of, first, last, values, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(c_int), intent(in) :: of
            real(real64), intent(in) :: first, last
            real(real64), intent(in), contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine formula_set_cubic_table

        module subroutine set_constant_f32(self, name, value, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in) :: value
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_constant_f32

        module subroutine get_number_f32(self, name, value, stat, errmsg)
            class(neargrid_formula), intent(in) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(inout) :: value
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine get_number_f32

        module subroutine set_constant_f64(self, name, value, stat, errmsg)
            class(neargrid_formula), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in) :: value
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_constant_f64

        module subroutine get_number_f64(self, name, value, stat, errmsg)
            class(neargrid_formula), intent(in) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(inout) :: value
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine get_number_f64

    end interface

    interface ! neargrid_fields.f90

        module subroutine set_numbers_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_numbers_f32

        module subroutine set_vectors_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_vectors_f32

        module subroutine set_axes_f32(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in), target :: x(:), y(:)
            real(real32), intent(in), target, optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_axes_f32

        module subroutine set_query_numbers_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_numbers_f32

        module subroutine set_query_vectors_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_vectors_f32

        module subroutine set_query_axes_f32(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real32), intent(in), target :: x(:), y(:)
            real(real32), intent(in), target, optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_axes_f32

        module subroutine fit_numbers_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real32), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_numbers_f32

        module subroutine fit_vectors_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real32), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_vectors_f32

        module subroutine fit_axes_f32(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real32), allocatable, intent(inout) :: x(:), y(:)
            real(real32), allocatable, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_axes_f32

        module subroutine fill_numbers_f32(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real32), target, contiguous, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_numbers_f32

        module subroutine fill_vectors_f32(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real32), target, contiguous, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_vectors_f32

        module subroutine fill_axes_f32(self, name, n, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real32), target, intent(inout) :: x(:), y(:)
            real(real32), target, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_axes_f32

        module subroutine fit_query_numbers_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real32), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_query_numbers_f32

        module subroutine fit_query_vectors_f32(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real32), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_query_vectors_f32

        module subroutine fit_query_axes_f32(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real32), allocatable, intent(inout) :: x(:), y(:)
            real(real32), allocatable, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_query_axes_f32

        module subroutine fill_query_numbers_f32(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real32), target, contiguous, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_query_numbers_f32

        module subroutine fill_query_vectors_f32(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real32), target, contiguous, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_query_vectors_f32

        module subroutine fill_query_axes_f32(self, name, n, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real32), target, intent(inout) :: x(:), y(:)
            real(real32), target, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_query_axes_f32

        module subroutine set_numbers_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_numbers_f64

        module subroutine set_vectors_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_vectors_f64

        module subroutine set_axes_f64(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in), target :: x(:), y(:)
            real(real64), intent(in), target, optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_axes_f64

        module subroutine set_query_numbers_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_numbers_f64

        module subroutine set_query_vectors_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_vectors_f64

        module subroutine set_query_axes_f64(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            real(real64), intent(in), target :: x(:), y(:)
            real(real64), intent(in), target, optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_query_axes_f64

        module subroutine fit_numbers_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real64), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_numbers_f64

        module subroutine fit_vectors_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real64), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_vectors_f64

        module subroutine fit_axes_f64(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real64), allocatable, intent(inout) :: x(:), y(:)
            real(real64), allocatable, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_axes_f64

        module subroutine fill_numbers_f64(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real64), target, contiguous, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_numbers_f64

        module subroutine fill_vectors_f64(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real64), target, contiguous, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_vectors_f64

        module subroutine fill_axes_f64(self, name, n, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real64), target, intent(inout) :: x(:), y(:)
            real(real64), target, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_axes_f64

        module subroutine fit_query_numbers_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real64), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_query_numbers_f64

        module subroutine fit_query_vectors_f64(self, name, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real64), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_query_vectors_f64

        module subroutine fit_query_axes_f64(self, name, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name

            real(real64), allocatable, intent(inout) :: x(:), y(:)
            real(real64), allocatable, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fit_query_axes_f64

        module subroutine fill_query_numbers_f64(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real64), target, contiguous, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_query_numbers_f64

        module subroutine fill_query_vectors_f64(self, name, n, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real64), target, contiguous, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_query_vectors_f64

        module subroutine fill_query_axes_f64(self, name, n, x, y, z, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(inout) :: n
            real(real64), target, intent(inout) :: x(:), y(:)
            real(real64), target, intent(inout), optional :: z(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine fill_query_axes_f64

    end interface

    interface ! neargrid_distances.f90

        module subroutine distances_f32(self, pair_i, pair_j, d, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
            real(real32), intent(inout), contiguous :: d(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine distances_f32

        module subroutine row_distances_f32(self, offsets, ids, d, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(inout), contiguous :: d(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine row_distances_f32

        module subroutine query_distances_f32(self, offsets, ids, d, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(inout), contiguous :: d(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine query_distances_f32

        module subroutine displacements_f32(self, pair_i, pair_j, r, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
            real(real32), intent(inout), contiguous :: r(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine displacements_f32

        module subroutine row_displacements_f32(self, offsets, ids, r, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(inout), contiguous :: r(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine row_displacements_f32

        module subroutine query_displacements_f32(self, offsets, ids, r, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(inout), contiguous :: r(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine query_displacements_f32

        module subroutine distances_f64(self, pair_i, pair_j, d, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
            real(real64), intent(inout), contiguous :: d(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine distances_f64

        module subroutine row_distances_f64(self, offsets, ids, d, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(inout), contiguous :: d(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine row_distances_f64

        module subroutine query_distances_f64(self, offsets, ids, d, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(inout), contiguous :: d(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine query_distances_f64

        module subroutine displacements_f64(self, pair_i, pair_j, r, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
            real(real64), intent(inout), contiguous :: r(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine displacements_f64

        module subroutine row_displacements_f64(self, offsets, ids, r, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(inout), contiguous :: r(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine row_displacements_f64

        module subroutine query_displacements_f64(self, offsets, ids, r, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(inout), contiguous :: r(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine query_displacements_f64

    end interface

    interface ! neargrid_carry.f90

        module subroutine carry_f32(self, old_offsets, old_ids, old_values, offsets, ids, values, &
                                       by_keyword, signs, old_global_ids, global_ids, &
                                       old_first_row, first_row, lost, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: old_offsets(:)
            integer(c_int), intent(in), contiguous :: old_ids(:)
            real(real32), intent(in), contiguous :: old_values(:)
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(inout), contiguous :: values(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), contiguous, optional :: signs(:)
            integer(int64), intent(in), contiguous, optional :: old_global_ids(:), global_ids(:)
            integer(int64), intent(in), optional :: old_first_row, first_row
            integer(int64), allocatable, intent(inout), optional :: lost(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine carry_f32

        module subroutine carry_columns_f32(self, old_offsets, old_ids, old_values, offsets, ids, values, &
                                       by_keyword, signs, old_global_ids, global_ids, &
                                       old_first_row, first_row, lost, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: old_offsets(:)
            integer(c_int), intent(in), contiguous :: old_ids(:)
            real(real32), intent(in), contiguous :: old_values(:, :)
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(inout), contiguous :: values(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), contiguous, optional :: signs(:)
            integer(int64), intent(in), contiguous, optional :: old_global_ids(:), global_ids(:)
            integer(int64), intent(in), optional :: old_first_row, first_row
            integer(int64), allocatable, intent(inout), optional :: lost(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine carry_columns_f32

        module subroutine carry_f64(self, old_offsets, old_ids, old_values, offsets, ids, values, &
                                       by_keyword, signs, old_global_ids, global_ids, &
                                       old_first_row, first_row, lost, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: old_offsets(:)
            integer(c_int), intent(in), contiguous :: old_ids(:)
            real(real64), intent(in), contiguous :: old_values(:)
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(inout), contiguous :: values(:)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), contiguous, optional :: signs(:)
            integer(int64), intent(in), contiguous, optional :: old_global_ids(:), global_ids(:)
            integer(int64), intent(in), optional :: old_first_row, first_row
            integer(int64), allocatable, intent(inout), optional :: lost(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine carry_f64

        module subroutine carry_columns_f64(self, old_offsets, old_ids, old_values, offsets, ids, values, &
                                       by_keyword, signs, old_global_ids, global_ids, &
                                       old_first_row, first_row, lost, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(int64), intent(in), contiguous :: old_offsets(:)
            integer(c_int), intent(in), contiguous :: old_ids(:)
            real(real64), intent(in), contiguous :: old_values(:, :)
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(inout), contiguous :: values(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
            integer(c_int), intent(in), contiguous, optional :: signs(:)
            integer(int64), intent(in), contiguous, optional :: old_global_ids(:), global_ids(:)
            integer(int64), intent(in), optional :: old_first_row, first_row
            integer(int64), allocatable, intent(inout), optional :: lost(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine carry_columns_f64

    end interface

    interface ! neargrid_pair_fields.f90

        module subroutine set_pair_numbers_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(in), contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_numbers_f32

        module subroutine pair_numbers_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(c_int), allocatable, intent(inout) :: ids(:)
            real(real32), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_numbers_f32

        module subroutine set_pair_vectors_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real32), intent(in), contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_vectors_f32

        module subroutine pair_vectors_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(c_int), allocatable, intent(inout) :: ids(:)
            real(real32), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_vectors_f32

        module subroutine set_pair_numbers_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(in), contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_numbers_f64

        module subroutine pair_numbers_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(c_int), allocatable, intent(inout) :: ids(:)
            real(real64), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_numbers_f64

        module subroutine set_pair_vectors_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(c_int), intent(in), contiguous :: ids(:)
            real(real64), intent(in), contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_vectors_f64

        module subroutine pair_vectors_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(c_int), allocatable, intent(inout) :: ids(:)
            real(real64), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_vectors_f64

        module subroutine set_pair_numbers_by_ids_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(int64), intent(in), contiguous :: ids(:)
            real(real32), intent(in), contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_numbers_by_ids_f32

        module subroutine pair_numbers_by_ids_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(int64), allocatable, intent(inout) :: ids(:)
            real(real32), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_numbers_by_ids_f32

        module subroutine set_pair_vectors_by_ids_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(int64), intent(in), contiguous :: ids(:)
            real(real32), intent(in), contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_vectors_by_ids_f32

        module subroutine pair_vectors_by_ids_f32(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(int64), allocatable, intent(inout) :: ids(:)
            real(real32), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_vectors_by_ids_f32

        module subroutine set_pair_numbers_by_ids_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(int64), intent(in), contiguous :: ids(:)
            real(real64), intent(in), contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_numbers_by_ids_f64

        module subroutine pair_numbers_by_ids_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(int64), allocatable, intent(inout) :: ids(:)
            real(real64), allocatable, intent(inout) :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_numbers_by_ids_f64

        module subroutine set_pair_vectors_by_ids_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            character(len=*), intent(in) :: name
            integer(int64), intent(in), contiguous :: offsets(:)
            integer(int64), intent(in), contiguous :: ids(:)
            real(real64), intent(in), contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine set_pair_vectors_by_ids_f64

        module subroutine pair_vectors_by_ids_f64(self, name, offsets, ids, values, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=*), intent(in) :: name
            integer(int64), allocatable, intent(inout) :: offsets(:)
            integer(int64), allocatable, intent(inout) :: ids(:)
            real(real64), allocatable, intent(inout) :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine pair_vectors_by_ids_f64

    end interface

    interface ! neargrid_ranks.f90

        module subroutine ghosts_f32(self, ids, ranks, positions, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: ids(:)
            integer(c_int), pointer, intent(inout) :: ranks(:)
            real(real32), pointer, intent(inout) :: positions(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine ghosts_f32

        module subroutine migration_plan_f32(self, pos, n_new, ids, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(in), target :: pos(:, :)
            integer(c_int), intent(inout) :: n_new
            integer(int64), intent(in), target, contiguous, optional :: ids(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_plan_f32

        module subroutine ghosts_f64(self, ids, ranks, positions, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), pointer, intent(inout) :: ids(:)
            integer(c_int), pointer, intent(inout) :: ranks(:)
            real(real64), pointer, intent(inout) :: positions(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine ghosts_f64

        module subroutine migration_plan_f64(self, pos, n_new, ids, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(in), target :: pos(:, :)
            integer(c_int), intent(inout) :: n_new
            integer(int64), intent(in), target, contiguous, optional :: ids(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_plan_f64

        module subroutine halo_exchange_numbers_f32(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(inout), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_numbers_f32

        module subroutine migration_move_numbers_f32(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), allocatable, target, intent(inout) :: values(:)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_numbers_f32

        module subroutine halo_exchange_vectors_f32(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), intent(inout), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_vectors_f32

        module subroutine migration_move_vectors_f32(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real32), allocatable, target, intent(inout) :: values(:, :)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_vectors_f32

        module subroutine halo_exchange_numbers_f64(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(inout), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_numbers_f64

        module subroutine migration_move_numbers_f64(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), allocatable, target, intent(inout) :: values(:)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_numbers_f64

        module subroutine halo_exchange_vectors_f64(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), intent(inout), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_vectors_f64

        module subroutine migration_move_vectors_f64(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            real(real64), allocatable, target, intent(inout) :: values(:, :)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_vectors_f64

        module subroutine halo_exchange_numbers_i32(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int32), intent(inout), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_numbers_i32

        module subroutine migration_move_numbers_i32(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int32), allocatable, target, intent(inout) :: values(:)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_numbers_i32

        module subroutine halo_exchange_vectors_i32(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int32), intent(inout), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_vectors_i32

        module subroutine migration_move_vectors_i32(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int32), allocatable, target, intent(inout) :: values(:, :)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_vectors_i32

        module subroutine halo_exchange_numbers_i64(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout), target, contiguous :: values(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_numbers_i64

        module subroutine migration_move_numbers_i64(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), allocatable, target, intent(inout) :: values(:)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_numbers_i64

        module subroutine halo_exchange_vectors_i64(self, values, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), intent(inout), target, contiguous :: values(:, :)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine halo_exchange_vectors_i64

        module subroutine migration_move_vectors_i64(self, values, n_new, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            integer(int64), allocatable, target, intent(inout) :: values(:, :)
            integer(c_int), intent(in) :: n_new
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine migration_move_vectors_i64

    end interface

    interface ! neargrid_info.f90

        module subroutine spatial_order(self, perm, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), allocatable, intent(inout) :: perm(:)
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine spatial_order

        module subroutine trim_memory(self, stat, errmsg)
            class(neargrid_search), intent(inout) :: self
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine trim_memory

        module subroutine info(self, text, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            character(len=:), allocatable, intent(inout) :: text
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine info

        module subroutine counter(self, which, value, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), intent(in) :: which
            integer(int64), intent(inout) :: value
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine counter

        module subroutine timing(self, phase, seconds, stat, errmsg)
            class(neargrid_search), intent(in) :: self
            integer(c_int), intent(in) :: phase
            real(real64), intent(inout) :: seconds
            class(*), intent(inout), optional :: stat
            character(len=*), intent(inout), optional :: errmsg
        end subroutine timing

    end interface

end module neargrid
