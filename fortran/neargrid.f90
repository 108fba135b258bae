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
!> What holds everywhere:
!>
!> * **Kinds.** real32 and real64 coordinates, never converted into each other. Ids and small
!>   integers are `integer(c_int)`, counts and offsets `integer(int64)`, whatever the compiler's
!>   default integer is. `logical` arguments are default logicals: where flags such as
!>   `-fdefault-integer-8` change these, compile this file with the flags of its users.
!> * **Index base.** All that is an index counts from 1, also in messages.
!> * **Units.** Coordinates and cutoff share one unit of the caller's choice.
!> * **Errors.** Every procedure has `stat` and `errmsg`, optional as in `allocate`:
!>   `stat` is `integer(c_int)`, 0 on success, else one of `neargrid_status_*`; `errmsg` is
!>   a character variable of any length, left alone on success. Without `stat` a failure stops
!>   the program with the text. On a failure outputs are as they were (with two exceptions: the
!>   count of a capacity that is too small; arrays that a GPU was filling when it was lost are
!>   undefined up to the need), and the search stays usable. Stopping aside, nothing here
!>   prints.
!> * **Threads.** Searches are independent of each other; one search is used by one thread at
!>   a time, and refuses a second one (neargrid_status_busy). Inside a parallel region a search runs on the calling thread.
!>
!> The file is long because every real kind is written out. The modules it uses are in files of
!> their names; `sources.txt` names all in the order in which they are compiled.
module neargrid
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, &
        c_null_char, c_null_ptr, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid_c, c_version => neargrid_version, c_status_name => neargrid_status_name, &
        c_reorder => neargrid_reorder, c_restore => neargrid_restore
    use neargrid_errors, only: conclude, differ, last_error, no_memory, report_on, text_length, &
        too_few
    use neargrid_points, only: addresses_of, element_f32, element_f64, send_axes, send_columns, &
        send_flat, to_points, to_more, to_queries, to_update
    use neargrid_order, only: neargrid_reorder, neargrid_restore
    use neargrid_knn, only: knn_fit, knn_view
    use neargrid_sums, only: neargrid_sum, neargrid_sum_words
    use neargrid_fof, only: fof_fit, fof_view, groups_of, groups_plain, neargrid_groups
    implicit none (type, external)

    private
    public :: neargrid_search, neargrid_groups, neargrid_version, neargrid_status_name
    public :: neargrid_reorder, neargrid_restore
    public :: neargrid_inclusive, neargrid_exclusive
    public :: neargrid_backend_auto, neargrid_backend_cpu, neargrid_backend_gpu
    public :: neargrid_device_auto
    public :: neargrid_counter_points, neargrid_counter_entries, neargrid_counter_index_builds, &
        neargrid_counter_counts, neargrid_counter_fills, neargrid_counter_threads, &
        neargrid_counter_cells, neargrid_counter_bytes_held, neargrid_counter_backend, &
        neargrid_counter_device_bytes, neargrid_counter_device_allocations, &
        neargrid_counter_dim, neargrid_counter_skin_lists, neargrid_counter_queries
    public :: neargrid_all_active, neargrid_ghost_pairs_all, neargrid_ghost_pairs_larger_ids
    public :: neargrid_knn_max, neargrid_sum, neargrid_sum_words
    public :: neargrid_neighbors_half, neargrid_neighbors_full, neargrid_neighbors_queries
    public :: neargrid_radius_gather, neargrid_radius_scatter, neargrid_radius_max, &
        neargrid_radius_min, neargrid_radius_mean
    public :: neargrid_phase_upload, neargrid_phase_index, neargrid_phase_count, &
        neargrid_phase_fill, neargrid_phase_download, neargrid_phase_total
    public :: neargrid_status_ok, neargrid_status_null_pointer, neargrid_status_bad_dim, &
        neargrid_status_bad_count, neargrid_status_bad_cutoff, neargrid_status_non_finite, &
        neargrid_status_bad_value, neargrid_status_bad_state, neargrid_status_capacity, &
        neargrid_status_bad_environment, neargrid_status_bad_domain, &
        neargrid_status_bad_radius, neargrid_status_busy, neargrid_status_not_supported, &
        neargrid_status_out_of_memory, neargrid_status_too_many_pairs, &
        neargrid_status_no_device, neargrid_status_device_lost, neargrid_status_threads, &
        neargrid_status_memory_limit, neargrid_status_abi_mismatch, neargrid_status_internal

    !> Version of the library that is linked, such as "0.1.0".
    interface neargrid_version
        procedure :: version_text
    end interface neargrid_version

    !> `neargrid_status_name(status)`: its name, such as "NEARGRID_STATUS_BAD_CUTOFF".
    interface neargrid_status_name
        procedure :: status_text
    end interface neargrid_status_name

    integer(c_int), target, save :: no_ids(1) = 0       ! what views of empty lists point at

    !> A neighbor search: settings, points and buffers, kept from step to step so that a steady
    !> time loop allocates nothing. Declare it, `create` it, use it, `destroy` it.
    !>
    !> The variable owns its search. Going out of scope or being deallocated destroys it, but
    !> variables of a main program, `save`d ones and those of modules are never finalized:
    !> destroy them. A search cannot be copied: assignment stops the program, unless neither side
    !> has been created. Pass it by reference (`class(neargrid_search), intent(inout)`).
    type :: neargrid_search
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure, public :: create, destroy
        procedure, public :: set_tie_rule, set_threads, set_backend, set_memory_limit
        procedure, public :: set_device, set_device_turn
        procedure, public :: set_active, set_ghost_pairs, set_types, set_primary_types
        generic, public :: set_ids => set_ids_i32, set_ids_i64
        generic, public :: set_cutoff => set_cutoff_f32, set_cutoff_f64
        generic, public :: set_skin => set_skin_f32, set_skin_f64
        procedure, public :: skin_used
        generic, public :: set_box => set_box_f32, set_box_f64
        generic, public :: set_radii => set_radii_f32, set_radii_f64
        generic, public :: set_query_radii => set_query_radii_f32, set_query_radii_f64
        procedure, public :: clear_radii
        generic, public :: set_points => &
            set_points_f32, set_points_x_f32, set_points_xy_f32, set_points_xyz_f32, &
            set_points_f64, set_points_x_f64, set_points_xy_f64, set_points_xyz_f64
        generic, public :: add_points => &
            add_points_f32, add_points_x_f32, add_points_xy_f32, add_points_xyz_f32, &
            add_points_f64, add_points_x_f64, add_points_xy_f64, add_points_xyz_f64
        generic, public :: set_queries => &
            set_queries_f32, set_queries_x_f32, set_queries_xy_f32, set_queries_xyz_f32, &
            set_queries_f64, set_queries_x_f64, set_queries_xy_f64, set_queries_xyz_f64
        generic, public :: update => &
            update_f32, update_x_f32, update_xy_f32, update_xyz_f32, &
            update_f64, update_x_f64, update_xy_f64, update_xyz_f64
        procedure, public :: count_pairs
        generic, public :: pairs => pairs_view, pairs_fit, pairs_fill
        procedure, public :: count_neighbors
        generic, public :: neighbors => neighbors_view, neighbors_fit, neighbors_fill
        procedure, public :: count_queries
        generic, public :: queries => queries_view, queries_fit, queries_fill
        generic, public :: knn => knn_view_f32, knn_view_f64, knn_fit_f32, knn_fit_f64
        generic, public :: fof => fof_view_labels, fof_fit_labels
        generic, public :: groups => groups_unweighted, groups_f32, groups_f64
        generic, public :: distances => distances_f32, distances_f64, &
            row_distances_f32, row_distances_f64
        generic, public :: displacements => displacements_f32, displacements_f64, &
            row_displacements_f32, row_displacements_f64
        procedure, public :: chunks_begin, chunks_next, chunks_next_pairs
        procedure, public :: order => spatial_order
        procedure, public :: trim => trim_memory
        procedure, public :: info, counter, timing
        generic, public :: assignment(=) => refuse_copy
        procedure, private :: set_cutoff_f32, set_cutoff_f64
        procedure, private :: set_box_f32, set_box_f64
        procedure, private :: set_ids_i32, set_ids_i64
        procedure, private :: set_radii_f32, set_radii_f64
        procedure, private :: set_query_radii_f32, set_query_radii_f64
        procedure, private :: set_points_f32, set_points_x_f32, set_points_xy_f32
        procedure, private :: set_points_f64, set_points_x_f64, set_points_xy_f64
        procedure, private :: set_points_xyz_f32, set_points_xyz_f64
        procedure, private :: add_points_f32, add_points_x_f32, add_points_xy_f32
        procedure, private :: add_points_f64, add_points_x_f64, add_points_xy_f64
        procedure, private :: add_points_xyz_f32, add_points_xyz_f64
        procedure, private :: set_queries_f32, set_queries_x_f32, set_queries_xy_f32
        procedure, private :: set_queries_f64, set_queries_x_f64, set_queries_xy_f64
        procedure, private :: set_queries_xyz_f32, set_queries_xyz_f64
        procedure, private :: update_f32, update_x_f32, update_xy_f32, update_xyz_f32
        procedure, private :: update_f64, update_x_f64, update_xy_f64, update_xyz_f64
        procedure, private :: set_skin_f32, set_skin_f64
        procedure, private :: pairs_view, pairs_fit, pairs_fill
        procedure, private :: queries_view, queries_fit, queries_fill
        procedure, private :: neighbors_view, neighbors_fit, neighbors_fill
        procedure, private :: knn_view_f32, knn_view_f64, knn_fit_f32, knn_fit_f64
        procedure, private :: fof_view_labels, fof_fit_labels
        procedure, private :: groups_unweighted, groups_f32, groups_f64
        procedure, private :: distances_f32, distances_f64, row_distances_f32, row_distances_f64
        procedure, private :: displacements_f32, displacements_f64
        procedure, private :: row_displacements_f32, row_displacements_f64
        procedure, private :: refuse_copy
        final :: finalize
    end type neargrid_search

contains

    ! --- life of a search ---

    !> Makes a search with default settings. On one that exists it starts over: settings, points
    !> and results of the old one are gone.
    subroutine create(self, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: fresh
        integer(c_int) :: status

        fresh = c_null_ptr
        status = neargrid_search_create(neargrid_abi, fresh)
        if (status == neargrid_status_ok) status = neargrid_search_set_index_base(fresh, 1_c_int)
        if (status == neargrid_status_ok) then
            call destroy(self)
            self%handle = fresh
        end if
        call conclude(status, "create", last_error(status), stat, errmsg)
        if (status /= neargrid_status_ok) call neargrid_search_destroy(fresh)
    end subroutine create

    !> Frees the search; views taken from it are dangling from here on. On one that was never
    !> created, or is destroyed already, it does nothing. It cannot fail.
    subroutine destroy(self)
        class(neargrid_search), intent(inout) :: self

        call neargrid_search_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine destroy

    impure elemental subroutine finalize(self)
        type(neargrid_search), intent(inout) :: self

        call self%destroy()
    end subroutine finalize

    ! Two variables with one handle would free it twice. Two empty ones share nothing.
    impure elemental subroutine refuse_copy(self, other)
        class(neargrid_search), intent(inout) :: self
        type(neargrid_search), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) &
            error stop "neargrid: a neargrid_search cannot be copied by assignment"
    end subroutine refuse_copy

    ! --- settings; each holds until it is set again ---

    !> `cutoff`: search radius, finite and greater than 0, in the unit of the coordinates, either
    !> real kind. With real32 points its value rounded to real32 is what counts.
    subroutine set_cutoff_f64(self, cutoff, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in) :: cutoff
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_cutoff(self%handle, cutoff), "set_cutoff", &
                    stat, errmsg)
    end subroutine set_cutoff_f64

    subroutine set_cutoff_f32(self, cutoff, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in) :: cutoff
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_cutoff_f64(self, real(cutoff, real64), stat, errmsg)
    end subroutine set_cutoff_f32

    !> `rule`: `neargrid_inclusive` (default; a pair exactly at the cutoff counts) or
    !> `neargrid_exclusive`.
    subroutine set_tie_rule(self, rule, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: rule
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_tie_rule(self%handle, rule), "set_tie_rule", &
                    stat, errmsg)
    end subroutine set_tie_rule

    !> `threads`: 0 lets the library choose (default), else how many threads a search may use.
    subroutine set_threads(self, threads, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: threads
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_threads(self%handle, threads), "set_threads", &
                    stat, errmsg)
    end subroutine set_threads

    !> `backend`: `neargrid_backend_auto` (default: a GPU where there is one and the points are
    !> many, otherwise the CPU), `neargrid_backend_cpu` or `neargrid_backend_gpu`. A forced
    !> backend that is missing makes queries fail with `neargrid_status_no_device`.
    subroutine set_backend(self, backend, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: backend
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_backend(self%handle, backend), "set_backend", &
                    stat, errmsg)
    end subroutine set_backend

    !> `device`: the index of the GPU that the search uses, where it uses one, from 0 on as the
    !> example device_info lists them, or `neargrid_device_auto` (default) for the best. Whether
    !> there is such a one turns out at the first query that wants a GPU. NEARGRID_DEVICE in the
    !> environment overrides this.
    subroutine set_device(self, device, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: device
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_device(self%handle, device), "set_device", &
                    stat, errmsg)
    end subroutine set_device

    !> Has the search take number `turn`, from 0 on, counted round and round, of the GPUs of the best
    !> kind that is there: for processes that share a machine. Undoes `set_device`.
    subroutine set_device_turn(self, turn, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: turn
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_device_turn(self%handle, turn), "set_device_turn", &
                    stat, errmsg)
    end subroutine set_device_turn

    !> `bytes`: what the handle may take for a result, 0 for no limit (default): lists in its own
    !> memory and what it keeps to fill them, chunks, on a GPU too (at least 16 MiB each there), but
    !> not points, index, some megabytes for each thread, or arrays of the caller's. A list that would
    !> take more is refused with `neargrid_status_memory_limit`: it can be had by `chunks_begin`, or
    !> in the caller's arrays.
    subroutine set_memory_limit(self, bytes, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(in) :: bytes
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_memory_limit(self%handle, bytes), &
                    "set_memory_limit", stat, errmsg)
    end subroutine set_memory_limit

    !> An axis-aligned box: `lo(dim)` its lower corner, `length(dim)` its edges, `periodic(dim)`
    !> which axes wrap. Points may lie anywhere; along a periodic axis a point inside the box, `lo <= x
    !> < lo + length`, keeps its coordinate, copies of those outside are wrapped into it, and pairs are
    !> those of nearest images. `dim` is then that of the points, and such an axis at least two
    !> cutoffs long, which queries check (`neargrid_status_bad_domain`). In the points' precision
    !> `lo + length` is finite and above `lo`. Where periodic axes change, the search forgets its
    !> points: set the box, then the points.
    subroutine set_box_f64(self, lo, length, periodic, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), contiguous :: lo(:), length(:)
        logical, intent(in) :: periodic(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (differ("length", size(length, kind=int64), "size(lo)", size(lo, kind=int64), &
                   "set_box", stat, errmsg)) return
        if (differ("periodic", size(periodic, kind=int64), "size(lo)", size(lo, kind=int64), &
                   "set_box", stat, errmsg)) return
        call report(self, neargrid_search_set_box(self%handle, size(lo, kind=c_int), lo, length, &
                    merge(1_c_int, 0_c_int, periodic)), "set_box", stat, errmsg)
    end subroutine set_box_f64

    subroutine set_box_f32(self, lo, length, periodic, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in) :: lo(:), length(:)
        logical, intent(in) :: periodic(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_box_f64(self, real(lo, real64), real(length, real64), periodic, stat, errmsg)
    end subroutine set_box_f32

    !> `n_active`: the first so many points are active, the rest are ghosts: neighbors of active
    !> points but not of one another. `neargrid_all_active` (default): no ghosts. Each pair of an
    !> active point and a ghost is listed once; rows there are for all points, and in full rows
    !> those of ghosts list active ones. More than there are points is refused by the query. It
    !> stays when points are set anew.
    subroutine set_active(self, n_active, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: n_active
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_active(self%handle, int(n_active, int64)), &
                    "set_active", stat, errmsg)
    end subroutine set_active

    !> Which pairs of an active point and a ghost are in pairs and half rows:
    !> `neargrid_ghost_pairs_all` (default) or `neargrid_ghost_pairs_larger_ids`, only those where
    !> the ghost has the larger global id (`set_ids`): then processes that hold each other's points
    !> as ghosts have each pair once among them. Full rows hold all in either case. It stays when
    !> points are set anew.
    subroutine set_ghost_pairs(self, which, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: which
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_ghost_pairs(self%handle, which), &
                    "set_ghost_pairs", stat, errmsg)
    end subroutine set_ghost_pairs

    !> `types(n)`: type of each point, from 1; `mask(ntypes, ntypes)`: which types interact,
    !> symmetric, at most 32 types. Points of types that do not are no neighbors. Both are copied
    !> and stay when points are set anew; another number of types than of points is refused by the
    !> query. No types (`types(1:0)`) undo them, whatever the mask.
    subroutine set_types(self, types, mask, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in), contiguous :: types(:)
        logical, intent(in) :: mask(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=*), parameter :: me = "set_types"

        if (differ("mask, 2", size(mask, 2, int64), "size(mask, 1)", size(mask, 1, int64), &
                   me, stat, errmsg)) return
        call report(self, neargrid_search_set_types(self%handle, size(types, kind=int64), types, &
                    size(mask, 1, kind=c_int), merge(1_c_int, 0_c_int, mask)), me, stat, errmsg)
    end subroutine set_types

    !> `primary(ntypes)`: which types link into groups (`fof`). Points of the others attach to the
    !> group of the nearest point that links, within the cutoff; they connect nothing. Checked
    !> against the types by `fof`; other queries do not know of it. None (`primary(1:0)`): all link.
    subroutine set_primary_types(self, primary, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        logical, intent(in) :: primary(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_primary_types(self%handle, size(primary, kind=c_int), &
                    merge(1_c_int, 0_c_int, primary)), "set_primary_types", stat, errmsg)
    end subroutine set_primary_types

    !> `ids(n)`: a global id per point, each once, any numbers. Ties and order then follow them, not
    !> the points' numbers, while what is delivered stays the numbers: `pair_i` is the point of the
    !> smaller id, or of an active point and a ghost the active one; pairs ascend by the ids of
    !> `pair_i` and `pair_j`, rows by the ids of the points in them; a half row lists what has a
    !> larger id than its point, that of an active point all its ghosts too. Row `i` remains that of
    !> point `i`. The ids are copied and stay when points are set anew; another number of ids than
    !> of points is refused by the query. No ids (`ids(1:0)`) undo them.
    subroutine set_ids_i64(self, ids, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(in), contiguous :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_ids(self%handle, size(ids, kind=int64), ids), &
                    "set_ids", stat, errmsg)
    end subroutine set_ids_i64

    subroutine set_ids_i32(self, ids, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int32), intent(in) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: wide(:)
        integer :: unallocated

        allocate (wide(size(ids)), stat=unallocated)
        if (no_memory(unallocated, size(ids, kind=int64), "set_ids", stat, errmsg)) return
        wide(:) = ids
        call self%set_ids(wide, stat, errmsg)
    end subroutine set_ids_i32

    !> `radii(n)`: a radius per point, in the kind of the points; `rule`: which cutoff the point `i`
    !> of a row and a point `j` have, `neargrid_radius_max`, `_min`, `_mean`, or for `neighbors` and
    !> `queries` only `neargrid_radius_gather` (that of `i`), `_scatter` (that of `j`). While radii
    !> are set, cutoff and skin are not used. They are copied and stay when points are set anew;
    !> another number than of points is refused by the query. Each is finite, greater than 0, and
    !> at most half of a periodic length. With `neargrid_backend_gpu` status
    !> `neargrid_status_not_supported` where global ids do not ascend.
    subroutine set_radii_f64(self, radii, rule, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), contiguous :: radii(:)
        integer(c_int), intent(in) :: rule
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_radii_f64(self%handle, size(radii, kind=int64), &
                    radii, rule), "set_radii", stat, errmsg)
    end subroutine set_radii_f64

    subroutine set_radii_f32(self, radii, rule, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), contiguous :: radii(:)
        integer(c_int), intent(in) :: rule
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_radii_f32(self%handle, size(radii, kind=int64), &
                    radii, rule), "set_radii", stat, errmsg)
    end subroutine set_radii_f32

    !> `radii(nq)`: a radius per query, which all rules but `neargrid_radius_scatter` ask for.
    subroutine set_query_radii_f64(self, radii, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), contiguous :: radii(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_query_radii_f64(self%handle, &
                    size(radii, kind=int64), radii), "set_query_radii", stat, errmsg)
    end subroutine set_query_radii_f64

    subroutine set_query_radii_f32(self, radii, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), contiguous :: radii(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_query_radii_f32(self%handle, &
                    size(radii, kind=int64), radii), "set_query_radii", stat, errmsg)
    end subroutine set_query_radii_f32

    !> Forgets all radii, those of queries too: the cutoff counts again.
    subroutine clear_radii(self, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_clear_radii(self%handle), "clear_radii", stat, errmsg)
    end subroutine clear_radii

    !> `skin`: how much farther than the cutoff lists reach, finite and at least 0, in the unit of
    !> the coordinates; 0 is none (default). `pairs` and `neighbors` then make a list of all within
    !> cutoff plus skin, `update` keeps it while points move little, and what they deliver is
    !> filtered from it: exact, bit for bit that of a search without a skin. Periodic axes must be
    !> two cutoffs and two skins long.
    subroutine set_skin_f64(self, skin, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in) :: skin
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_set_skin(self%handle, skin), "set_skin", stat, errmsg)
    end subroutine set_skin_f64

    subroutine set_skin_f32(self, skin, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in) :: skin
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_skin_f64(self, real(skin, real64), stat, errmsg)
    end subroutine set_skin_f32

    !> `share`: how close the last `update` came to a new list: twice the largest displacement since
    !> the list was made, as a share of the skin. 0 where there is no list; above 1 it was given up.
    subroutine skin_used(self, share, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        real(real64), intent(inout) :: share
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_skin_used(self%handle, share), "skin_used", stat, errmsg)
    end subroutine skin_used

    ! --- points ---

    !> The points, real32 or real64, in one of these forms, dim 1..3:
    !>
    !>     call search%set_points(pos)                     ! pos(dim, n)
    !>     call search%set_points(x, y)                    ! x(n), y(n); or x, y, z
    !>     call search%set_points(x, dim=3)                ! x(3*n), point after point; x(n) is dim=1
    !>     call search%set_points(pos, n=n)                ! the first n points of any form
    !>     call search%set_points(pos, n=n, stat=stat, errmsg=errmsg)
    !>
    !> Arguments behind the coordinates go by keyword. By position the compiler refuses an integer
    !> there, so that `stat` is never taken for `n`; this is why `errmsg` comes first.
    !>
    !> `n`: what stands behind the first `n` points is never read. Without it `x`, `y`, `z` have one
    !> size, and the size of `x(dim*n)` is a multiple of `dim`. The arrays are copied: they are the
    !> caller's again at return. Actual arguments that are not contiguous, such as `pos(1:2, :)` of
    !> `pos(3, n)` or `particle(:)%x`, are right, but the compiler packs them into a temporary array
    !> first; separate `x(:)`, `y(:)` avoid that for a part of the axes.
    subroutine set_points_f64(self, pos, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_points, 8_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg)
    end subroutine set_points_f64

    subroutine set_points_f32(self, pos, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_points, 4_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg)
    end subroutine set_points_f32

    subroutine set_points_x_f64(self, x, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_points, 8_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg)
    end subroutine set_points_x_f64

    subroutine set_points_x_f32(self, x, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_points, 4_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg)
    end subroutine set_points_x_f32

    subroutine set_points_xy_f64(self, x, y, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_points, 8_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f64(x), element_f64(y)], n, stat, errmsg)
    end subroutine set_points_xy_f64

    subroutine set_points_xy_f32(self, x, y, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_points, 4_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f32(x), element_f32(y)], n, stat, errmsg)
    end subroutine set_points_xy_f32

    subroutine set_points_xyz_f64(self, x, y, z, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_points, 8_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f64(x), element_f64(y), element_f64(z)], n, stat, errmsg)
    end subroutine set_points_xyz_f64

    subroutine set_points_xyz_f32(self, x, y, z, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_points, 4_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f32(x), element_f32(y), element_f32(z)], n, stat, errmsg)
    end subroutine set_points_xyz_f32

    !> More points behind those that are there, ghosts that come later, say: in all the forms and with
    !> the arguments of `set_points`, of the points' dim and kind. They are copied, and their numbers
    !> follow on those of the others. Queries are forgotten; all else stays.
    subroutine add_points_f64(self, pos, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_more, 8_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg)
    end subroutine add_points_f64

    subroutine add_points_f32(self, pos, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_more, 4_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg)
    end subroutine add_points_f32

    subroutine add_points_x_f64(self, x, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_more, 8_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg)
    end subroutine add_points_x_f64

    subroutine add_points_x_f32(self, x, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_more, 4_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg)
    end subroutine add_points_x_f32

    subroutine add_points_xy_f64(self, x, y, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_more, 8_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f64(x), element_f64(y)], n, stat, errmsg)
    end subroutine add_points_xy_f64

    subroutine add_points_xy_f32(self, x, y, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_more, 4_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f32(x), element_f32(y)], n, stat, errmsg)
    end subroutine add_points_xy_f32

    subroutine add_points_xyz_f64(self, x, y, z, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_more, 8_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f64(x), element_f64(y), element_f64(z)], n, stat, errmsg)
    end subroutine add_points_xyz_f64

    subroutine add_points_xyz_f32(self, x, y, z, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_more, 4_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f32(x), element_f32(y), element_f32(z)], n, stat, errmsg)
    end subroutine add_points_xyz_f32

    !> Queries: a second set of points, whose neighbors among the points are sought, in the forms
    !> and with the arguments of `set_points`, of the points' dim and kind. They are copied. Points
    !> must be set before, and setting them again forgets the queries.
    subroutine set_queries_f64(self, pos, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_queries, 8_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg)
    end subroutine set_queries_f64

    subroutine set_queries_f32(self, pos, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_queries, 4_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg)
    end subroutine set_queries_f32

    subroutine set_queries_x_f64(self, x, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_queries, 8_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg)
    end subroutine set_queries_x_f64

    subroutine set_queries_x_f32(self, x, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_queries, 4_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg)
    end subroutine set_queries_x_f32

    subroutine set_queries_xy_f64(self, x, y, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_queries, 8_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f64(x), element_f64(y)], n, stat, errmsg)
    end subroutine set_queries_xy_f64

    subroutine set_queries_xy_f32(self, x, y, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_queries, 4_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f32(x), element_f32(y)], n, stat, errmsg)
    end subroutine set_queries_xy_f32

    subroutine set_queries_xyz_f64(self, x, y, z, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_queries, 8_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f64(x), element_f64(y), element_f64(z)], n, stat, errmsg)
    end subroutine set_queries_xyz_f64

    subroutine set_queries_xyz_f32(self, x, y, z, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:), z(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_queries, 4_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f32(x), element_f32(y), element_f32(z)], n, stat, errmsg)
    end subroutine set_queries_xyz_f32

    !> The points of the next time step, in the forms of `set_points`, with an optional `rebuilt`
    !> behind the coordinates:
    !>
    !>     call search%update(pos, rebuilt)
    !>     call search%update(x, y, rebuilt, n=n, stat=stat)
    !>
    !> As `set_points`, but with a skin the list is kept if no point has moved by more than half
    !> the skin since it was made. `rebuilt`: whether the next query must make it anew, which is
    !> also so without a skin, at first, and where the number or kind of points or a setting has
    !> changed. Points keep their order from step to step.
    subroutine update_f64(self, pos, rebuilt, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_update, 8_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg, rebuilt)
    end subroutine update_f64

    subroutine update_f32(self, pos, rebuilt, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_columns(self%handle, to_update, 4_c_int, shape(pos, int64), addresses_of(pos), &
                          n, stat, errmsg, rebuilt)
    end subroutine update_f32

    subroutine update_x_f64(self, x, rebuilt, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_update, 8_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg, rebuilt)
    end subroutine update_x_f64

    subroutine update_x_f32(self, x, rebuilt, errmsg, stat, dim, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in) :: dim
        integer(c_int), intent(in), optional :: n

        call send_flat(self%handle, to_update, 4_c_int, dim, size(x, kind=int64), addresses_of(x), &
                       n, stat, errmsg, rebuilt)
    end subroutine update_x_f32

    subroutine update_xy_f64(self, x, y, rebuilt, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_update, 8_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f64(x), element_f64(y)], n, stat, errmsg, rebuilt)
    end subroutine update_xy_f64

    subroutine update_xy_f32(self, x, y, rebuilt, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_update, 4_c_int, &
                       [shape(x, int64), shape(y, int64)], &
                       [element_f32(x), element_f32(y)], n, stat, errmsg, rebuilt)
    end subroutine update_xy_f32

    subroutine update_xyz_f64(self, x, y, z, rebuilt, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: x(:), y(:), z(:)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_update, 8_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f64(x), element_f64(y), element_f64(z)], n, stat, errmsg, rebuilt)
    end subroutine update_xyz_f64

    subroutine update_xyz_f32(self, x, y, z, rebuilt, errmsg, stat, n)
        class(neargrid_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: x(:), y(:), z(:)
        logical, intent(inout), optional :: rebuilt
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: n

        call send_axes(self%handle, to_update, 4_c_int, &
                       [shape(x, int64), shape(y, int64), shape(z, int64)], &
                       [element_f32(x), element_f32(y), element_f32(z)], n, stat, errmsg, rebuilt)
    end subroutine update_xyz_f32

    ! --- pairs ---

    !> `npairs`: how many pairs there are. Asking for the list afterwards does not start over.
    subroutine count_pairs(self, npairs, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: npairs
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_pairs_count(self%handle, npairs), "count_pairs", stat, errmsg)
    end subroutine count_pairs

    !> All pairs i < j within the cutoff, ordered by i, then j, or by global ids (`set_ids`); ids are
    !> 1-based positions in the caller's arrays. Three forms, chosen by the arguments:
    !>
    !>     call search%pairs(pair_i, pair_j)             ! integer(c_int), pointer
    !>     call search%pairs(pair_i, pair_j)             ! integer(c_int), allocatable
    !>     call search%pairs(npairs, pair_i, pair_j)     ! integer(int64) and the caller's arrays
    !>
    !> Pointers view the library's own list without a copy: read only, never deallocate, valid
    !> until the next call on this search that is not `info`, `counter`, `timing`, `distances`,
    !> `displacements` or `order`. (They may be declared `contiguous`.) Allocatables are the
    !> caller's, allocated anew to fit. Arrays of one size receive the first `npairs` elements and
    !> are untouched beyond; when they are too small, status `neargrid_status_capacity`, `npairs`
    !> is the need and they are untouched altogether: enlarge them and ask again, which does not
    !> search again.
    subroutine pairs_view(self, pair_i, pair_j, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), pointer, intent(inout) :: pair_i(:), pair_j(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_i, at_j
        integer(int64) :: npairs
        integer(c_int) :: status

        status = neargrid_pairs_view(self%handle, npairs, at_i, at_j)
        if (status == neargrid_status_ok) call view_ids(at_i, npairs, pair_i)
        if (status == neargrid_status_ok) call view_ids(at_j, npairs, pair_j)
        call report(self, status, "pairs", stat, errmsg)
    end subroutine pairs_view

    subroutine pairs_fit(self, pair_i, pair_j, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: new_i(:), new_j(:)
        integer(int64) :: npairs
        integer(c_int) :: status
        integer :: unallocated

        status = neargrid_pairs_count(self%handle, npairs)
        if (status == neargrid_status_ok) then
            allocate (new_i(npairs), new_j(npairs), stat=unallocated)
            if (no_memory(unallocated, npairs, "pairs", stat, errmsg)) return
            status = neargrid_pairs_copy(self%handle, npairs, npairs, new_i, new_j)
        end if
        if (status == neargrid_status_ok) call move_alloc(new_i, pair_i)
        if (status == neargrid_status_ok) call move_alloc(new_j, pair_j)
        call report(self, status, "pairs", stat, errmsg)
    end subroutine pairs_fit

    subroutine pairs_fill(self, npairs, pair_i, pair_j, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: npairs
        integer(c_int), intent(inout), contiguous :: pair_i(:), pair_j(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (differ("pair_j", size(pair_j, kind=int64), "size(pair_i)", &
                   size(pair_i, kind=int64), "pairs", stat, errmsg)) return
        call report(self, neargrid_pairs_copy(self%handle, size(pair_i, kind=int64), npairs, &
                    pair_i, pair_j), "pairs", stat, errmsg)
    end subroutine pairs_fill

    ! --- neighbors ---

    !> `total`: how many entries the rows of `neighbors` hold; `full` as there.
    subroutine count_neighbors(self, total, full, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: total
        logical, intent(in), optional :: full
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_neighbors_count(self%handle, row_kind(full), total), &
                    "count_neighbors", stat, errmsg)
    end subroutine count_neighbors

    !> The same pairs as one row per point: the neighbors of point i, ascending (see `set_ids`), are
    !> `ids(offsets(i) : offsets(i+1)-1)`, and `offsets` has n + 1 elements. `full` (default
    !> `.false.`): rows list all neighbors, not only those with j > i. Three forms:
    !>
    !>     call search%neighbors(offsets, ids, full)           ! pointers: a view, see `pairs`
    !>     call search%neighbors(offsets, ids, full)           ! allocatables, sized to fit
    !>     call search%neighbors(total, offsets, ids, full)    ! the caller's arrays
    !>
    !> `offsets` and `total` are `integer(int64)`, `ids` `integer(c_int)`. In the third form
    !> `offsets` has at least n + 1 elements; when `ids` is smaller than `total`, status
    !> `neargrid_status_capacity`, `total` is the need and both arrays are untouched.
    subroutine neighbors_view(self, offsets, ids, full, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: offsets(:)
        integer(c_int), pointer, intent(inout) :: ids(:)
        logical, intent(in), optional :: full
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status

        status = neargrid_neighbors_view(self%handle, row_kind(full), n, total, at_offsets, at_ids)
        if (status == neargrid_status_ok) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == neargrid_status_ok) call view_ids(at_ids, total, ids)
        call report(self, status, "neighbors", stat, errmsg)
    end subroutine neighbors_view

    subroutine neighbors_fit(self, offsets, ids, full, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), allocatable, intent(inout) :: offsets(:)
        integer(c_int), allocatable, intent(inout) :: ids(:)
        logical, intent(in), optional :: full
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        integer(int64) :: n, total
        integer(c_int) :: status
        integer :: unallocated

        status = measure_rows(self, row_kind(full), n, total)
        if (status == neargrid_status_ok) then
            allocate (new_offsets(n + 1), new_ids(total), stat=unallocated)
            if (no_memory(unallocated, total, "neighbors", stat, errmsg)) return
            status = neargrid_neighbors_copy(self%handle, row_kind(full), total, total, &
                                             new_offsets, new_ids)
        end if
        if (status == neargrid_status_ok) call move_alloc(new_offsets, offsets)
        if (status == neargrid_status_ok) call move_alloc(new_ids, ids)
        call report(self, status, "neighbors", stat, errmsg)
    end subroutine neighbors_fit

    subroutine neighbors_fill(self, total, offsets, ids, full, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: total
        integer(int64), intent(inout), contiguous :: offsets(:)
        integer(c_int), intent(inout), contiguous :: ids(:)
        logical, intent(in), optional :: full
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: n, need
        integer(c_int) :: status

        status = measure_rows(self, row_kind(full), n, need)
        if (status == neargrid_status_ok) then
            if (too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, "neighbors", &
                        stat, errmsg)) return
            status = neargrid_neighbors_copy(self%handle, row_kind(full), &
                                             size(ids, kind=int64), total, offsets, ids)
        end if
        call report(self, status, "neighbors", stat, errmsg)
    end subroutine neighbors_fill

    ! --- chunks ---

    !> Begins to deliver rows in chunks of whole rows with at most `max_entries` entries each, in
    !> memory that is bounded by the number of points and `max_entries`, whatever the result.
    !>
    !>     call search%chunks_begin(neargrid_neighbors_half, 1000000_int64, total)
    !>     do
    !>         call search%chunks_next_pairs(npairs, pair_i, pair_j)
    !>         if (npairs == 0) exit
    !>         ...
    !>     end do
    !>
    !> `kind`: `neargrid_neighbors_half` (each pair once), `neargrid_neighbors_full` or
    !> `neargrid_neighbors_queries`. `total` receives the entries of all chunks. A row that is longer
    !> than `max_entries`: status `neargrid_status_capacity`, its length in the text. The last chunk,
    !> calls that change points or settings, other queries and `trim` end it; questions do not.
    subroutine chunks_begin(self, kind, max_entries, total, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: kind
        integer(int64), intent(in) :: max_entries
        integer(int64), intent(inout) :: total
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_chunks_begin(self%handle, kind, max_entries, total), &
                    "chunks_begin", stat, errmsg)
    end subroutine chunks_begin

    !> The next `nrows` rows, 0 behind the last: the neighbors of point (or query) `first_row + k - 1`
    !> are `ids(offsets(k) : offsets(k+1)-1)`, k from 1 on. Pointers into the library's memory, valid
    !> until the next call that is not a question. Status `neargrid_status_bad_state` where no
    !> chunks are begun with the points and settings of now.
    subroutine chunks_next(self, first_row, nrows, offsets, ids, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: first_row, nrows
        integer(int64), pointer, intent(inout) :: offsets(:)
        integer(c_int), pointer, intent(inout) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_offsets, at_ids
        integer(c_int) :: status

        status = neargrid_chunks_next(self%handle, first_row, nrows, at_offsets, at_ids)
        if (status == neargrid_status_ok) then
            nullify (offsets, ids)
            if (nrows > 0) then
                call c_f_pointer(at_offsets, offsets, [nrows + 1])
                call view_ids(at_ids, offsets(nrows + 1) - offsets(1), ids)
            end if
        end if
        call report(self, status, "chunks_next", stat, errmsg)
    end subroutine chunks_next

    !> The next rows as `npairs` pairs, 0 behind the last; else as `chunks_next`, and in turns with it where
    !> points have no global ids, by which pairs come in another order than rows.
    subroutine chunks_next_pairs(self, npairs, pair_i, pair_j, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: npairs
        integer(c_int), pointer, intent(inout) :: pair_i(:), pair_j(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_i, at_j
        integer(c_int) :: status

        status = neargrid_chunks_next_pairs(self%handle, npairs, at_i, at_j)
        if (status == neargrid_status_ok) call view_ids(at_i, npairs, pair_i)
        if (status == neargrid_status_ok) call view_ids(at_j, npairs, pair_j)
        call report(self, status, "chunks_next_pairs", stat, errmsg)
    end subroutine chunks_next_pairs

    ! --- queries ---

    !> `total`: how many entries the rows of `queries` hold; 0 where no queries are set.
    subroutine count_queries(self, total, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: total
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_neighbors_count(self%handle, neargrid_neighbors_queries, total), &
                    "count_queries", stat, errmsg)
    end subroutine count_queries

    !> The points within the cutoff of each query: those of query q, ascending, are
    !> `ids(offsets(q) : offsets(q+1)-1)`, also ones that coincide with it, and `offsets` has one
    !> element more than there are queries. Three forms, as of `neighbors`:
    !>
    !>     call search%queries(offsets, ids)           ! pointers: a view, see `pairs`
    !>     call search%queries(offsets, ids)           ! allocatables, sized to fit
    !>     call search%queries(total, offsets, ids)    ! the caller's arrays
    subroutine queries_view(self, offsets, ids, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: offsets(:)
        integer(c_int), pointer, intent(inout) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status

        status = neargrid_neighbors_view(self%handle, neargrid_neighbors_queries, n, total, &
                                         at_offsets, at_ids)
        if (status == neargrid_status_ok) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == neargrid_status_ok) call view_ids(at_ids, total, ids)
        call report(self, status, "queries", stat, errmsg)
    end subroutine queries_view

    subroutine queries_fit(self, offsets, ids, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), allocatable, intent(inout) :: offsets(:)
        integer(c_int), allocatable, intent(inout) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: new_offsets(:)
        integer(c_int), allocatable :: new_ids(:)
        integer(int64) :: n, total
        integer(c_int) :: status
        integer :: unallocated

        status = measure_queries(self, n, total)
        if (status == neargrid_status_ok) then
            allocate (new_offsets(n + 1), new_ids(total), stat=unallocated)
            if (no_memory(unallocated, total, "queries", stat, errmsg)) return
            status = neargrid_neighbors_copy(self%handle, neargrid_neighbors_queries, total, total, &
                                             new_offsets, new_ids)
        end if
        if (status == neargrid_status_ok) call move_alloc(new_offsets, offsets)
        if (status == neargrid_status_ok) call move_alloc(new_ids, ids)
        call report(self, status, "queries", stat, errmsg)
    end subroutine queries_fit

    subroutine queries_fill(self, total, offsets, ids, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(int64), intent(inout) :: total
        integer(int64), intent(inout), contiguous :: offsets(:)
        integer(c_int), intent(inout), contiguous :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: n, need
        integer(c_int) :: status

        status = measure_queries(self, n, need)
        if (status == neargrid_status_ok) then
            if (too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, "queries", &
                        stat, errmsg)) return
            status = neargrid_neighbors_copy(self%handle, neargrid_neighbors_queries, &
                                             size(ids, kind=int64), total, offsets, ids)
        end if
        call report(self, status, "queries", stat, errmsg)
    end subroutine queries_fill

    ! --- k nearest ---

    !> The k nearest points of each active point, 1 to 1024: those of point i are `ids(:, i)`,
    !> nearest first and of equally near ones by number, and `distances(:, i)` how far they are, in
    !> the kind of the points. Two forms:
    !>
    !>     call search%knn(k, ids, distances)      ! pointers: a view, see `pairs`
    !>     call search%knn(k, ids, distances)      ! allocatables, sized to (k, n)
    !>
    !> and optional arguments: `squared=.true.` for distances squared; `with_self=.true.` for rows
    !> that list the point itself too; `queries=.true.` for the points nearest to each query;
    !> `counts(i)` receives how many neighbors row i has. Where that is less than k, the rest of
    !> the ids is 0 and infinitely far. No cutoff is needed. Along a periodic axis, of any length,
    !> each point counts once, where it is nearest. Every point may be a neighbor, a ghost too,
    !> whatever its type; ghosts have no row. With `neargrid_backend_gpu`
    !> status `neargrid_status_not_supported` where global ids do not ascend, or where the points are
    !> on more scales than real32 has.
    subroutine knn_view_f64(self, k, ids, distances, squared, with_self, queries, counts, &
                            stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real64), pointer, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_view(self%handle, k, ids, distances, squared, with_self, queries, counts, &
                      stat, errmsg)
    end subroutine knn_view_f64

    subroutine knn_view_f32(self, k, ids, distances, squared, with_self, queries, counts, &
                            stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real32), pointer, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_view(self%handle, k, ids, distances, squared, with_self, queries, counts, &
                      stat, errmsg)
    end subroutine knn_view_f32

    subroutine knn_fit_f64(self, k, ids, distances, squared, with_self, queries, counts, &
                            stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), allocatable, intent(inout) :: ids(:, :)
        real(real64), allocatable, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), allocatable, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_fit(self%handle, k, ids, distances, squared, with_self, queries, counts, &
                      stat, errmsg)
    end subroutine knn_fit_f64

    subroutine knn_fit_f32(self, k, ids, distances, squared, with_self, queries, counts, &
                            stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), allocatable, intent(inout) :: ids(:, :)
        real(real32), allocatable, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self, queries
        integer(c_int), allocatable, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_fit(self%handle, k, ids, distances, squared, with_self, queries, counts, &
                      stat, errmsg)
    end subroutine knn_fit_f32

    ! --- groups of friends of friends ---

    !> Which group of friends of friends each point is in. Two points are friends if they are a pair
    !> within the cutoff, which is the linking length, by the tie rule; a group is what chains of
    !> friends connect, and `labels(i)` is its point with the smallest number, or the smallest global
    !> id. Two forms:
    !>
    !>     call search%fof(labels)        ! a pointer: a view, see `pairs`
    !>     call search%fof(labels)        ! an allocatable, sized to n
    !>
    !> and an optional argument, by keyword: `ngroups` receives the number of groups, points alone
    !> among them.
    !> Every point is in a group, ghosts too, whatever types interact; see `set_primary_types`.
    !> Groups of primary types are searched on the CPU for now: with `neargrid_backend_gpu` status
    !> `neargrid_status_not_supported`, as where points have radii.
    subroutine fof_view_labels(self, labels, errmsg, stat, ngroups)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), pointer, intent(inout) :: labels(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(int64), intent(inout), optional :: ngroups

        call fof_view(self%handle, labels, ngroups, stat, errmsg)
    end subroutine fof_view_labels

    subroutine fof_fit_labels(self, labels, errmsg, stat, ngroups)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), allocatable, intent(inout) :: labels(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(int64), intent(inout), optional :: ngroups

        call fof_fit(self%handle, labels, ngroups, stat, errmsg)
    end subroutine fof_fit_labels

    !> The groups of at least `min_size` points (1 or more) with sums over their members:
    !>
    !>     type(neargrid_groups) :: found
    !>     call search%groups(found, min_size)                        ! each point's mass is 1
    !>     call search%groups(found, min_size, masses)                ! masses(n), greater than 0
    !>     call search%groups(found, min_size, masses, velocities)    ! velocities(dim, n)
    !>
    !> Masses and velocities are of the kind of the points, sums real64. Positions are taken relative
    !> to the label, along a periodic axis to the nearest image. Sums of masses, and of masses times
    !> positions, velocities and distances squared, are exact and rounded once: they do not depend on
    !> threads or on how points are numbered. On a failure `found` is as it was.
    subroutine groups_unweighted(self, found, min_size, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_plain(self%handle, found, min_size, stat, errmsg)
    end subroutine groups_unweighted

    subroutine groups_f64(self, found, min_size, masses, velocities, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real64), intent(in), target, contiguous :: masses(:)
        real(real64), intent(in), target, contiguous, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_of(self%handle, found, min_size, masses, velocities, stat, errmsg)
    end subroutine groups_f64

    subroutine groups_f32(self, found, min_size, masses, velocities, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        type(neargrid_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real32), intent(in), target, contiguous :: masses(:)
        real(real32), intent(in), target, contiguous, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_of(self%handle, found, min_size, masses, velocities, stat, errmsg)
    end subroutine groups_f32

    ! --- data of pairs, without searching ---

    !> Distances of pairs the caller holds, in the kind of the points:
    !>
    !>     call search%distances(pair_i, pair_j, d)     ! d(k) of pair_i(k) and pair_j(k)
    !>     call search%distances(offsets, ids, d)       ! d(k) of ids(k) and the point of its row
    !>
    !> as `pairs` and `neighbors` (half or full rows) give them, or any other pairs of 1-based
    !> numbers. `d` is the correctly rounded root of `dx*dx + dy*dy + dz*dz` with dx as by
    !> `displacements`, summed left to right, every operation rounded, without fused
    !> multiply-add; infinite where the sum overflows. `d` has room for as many as there are pairs
    !> or ids, and is untouched beyond. No cutoff is needed, views stay valid. A real kind other
    !> than that of the points, or a number that is no point's, is `neargrid_status_bad_value`.
    subroutine distances_f64(self, pair_i, pair_j, d, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
        real(real64), intent(inout), contiguous :: d(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (pairs_misfit(self, pair_i, pair_j, "d", shape(d, int64), stat, errmsg)) return
        call report(self, neargrid_pairs_distances_f64(self%handle, size(pair_i, kind=int64), &
                    pair_i, pair_j, d), "distances", stat, errmsg)
    end subroutine distances_f64

    subroutine distances_f32(self, pair_i, pair_j, d, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
        real(real32), intent(inout), contiguous :: d(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (pairs_misfit(self, pair_i, pair_j, "d", shape(d, int64), stat, errmsg)) return
        call report(self, neargrid_pairs_distances_f32(self%handle, size(pair_i, kind=int64), &
                    pair_i, pair_j, d), "distances", stat, errmsg)
    end subroutine distances_f32

    subroutine row_distances_f64(self, offsets, ids, d, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(c_int), intent(in), contiguous :: ids(:)
        real(real64), intent(inout), contiguous :: d(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (rows_misfit(self, offsets, ids, "d", shape(d, int64), stat, errmsg)) return
        call report(self, neargrid_neighbors_distances_f64(self%handle, offsets, ids, d), &
                    "distances", stat, errmsg)
    end subroutine row_distances_f64

    subroutine row_distances_f32(self, offsets, ids, d, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(c_int), intent(in), contiguous :: ids(:)
        real(real32), intent(inout), contiguous :: d(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (rows_misfit(self, offsets, ids, "d", shape(d, int64), stat, errmsg)) return
        call report(self, neargrid_neighbors_distances_f32(self%handle, offsets, ids, d), &
                    "distances", stat, errmsg)
    end subroutine row_distances_f32

    !> Displacements of pairs the caller holds, in the kind of the points:
    !>
    !>     call search%displacements(pair_i, pair_j, r)
    !>         ! r(:, k) = x(:, pair_i(k)) - x(:, pair_j(k))
    !>     call search%displacements(offsets, ids, r)
    !>         ! r(:, k) = x(:, i) - x(:, ids(k)), i the point whose row holds ids(k)
    !>
    !> `r(dim, :)`, `dim` that of the points. Along a periodic axis the difference is that of the
    !> wrapped coordinates to the nearest image. All else as for `distances`.
    subroutine displacements_f64(self, pair_i, pair_j, r, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
        real(real64), intent(inout), contiguous :: r(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (pairs_misfit(self, pair_i, pair_j, "r", shape(r, int64), stat, errmsg)) return
        call report(self, neargrid_pairs_displacements_f64(self%handle, &
                    size(pair_i, kind=int64), pair_i, pair_j, r), "displacements", stat, errmsg)
    end subroutine displacements_f64

    subroutine displacements_f32(self, pair_i, pair_j, r, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in), contiguous :: pair_i(:), pair_j(:)
        real(real32), intent(inout), contiguous :: r(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (pairs_misfit(self, pair_i, pair_j, "r", shape(r, int64), stat, errmsg)) return
        call report(self, neargrid_pairs_displacements_f32(self%handle, &
                    size(pair_i, kind=int64), pair_i, pair_j, r), "displacements", stat, errmsg)
    end subroutine displacements_f32

    subroutine row_displacements_f64(self, offsets, ids, r, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(c_int), intent(in), contiguous :: ids(:)
        real(real64), intent(inout), contiguous :: r(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (rows_misfit(self, offsets, ids, "r", shape(r, int64), stat, errmsg)) return
        call report(self, neargrid_neighbors_displacements_f64(self%handle, offsets, ids, r), &
                    "displacements", stat, errmsg)
    end subroutine row_displacements_f64

    subroutine row_displacements_f32(self, offsets, ids, r, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(c_int), intent(in), contiguous :: ids(:)
        real(real32), intent(inout), contiguous :: r(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (rows_misfit(self, offsets, ids, "r", shape(r, int64), stat, errmsg)) return
        call report(self, neargrid_neighbors_displacements_f32(self%handle, offsets, ids, r), &
                    "displacements", stat, errmsg)
    end subroutine row_displacements_f32

    !> `perm`: the 1-based numbers of the points in spatial order, along a z-order curve (Morton)
    !> over them: `perm(k)` stands k-th. Coincident points go by number; strays and clusters do not
    !> coarsen the order of the others. Allocated anew to fit. `neargrid_reorder` applies it to
    !> arrays, `neargrid_restore` undoes that. No cutoff is needed, views stay valid.
    subroutine spatial_order(self, perm, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), allocatable, intent(inout) :: perm(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: new(:)
        integer(int64) :: n
        integer(c_int) :: status
        integer :: unallocated

        status = neargrid_search_counter(self%handle, neargrid_counter_points, n)
        if (status == neargrid_status_ok) then
            allocate (new(n), stat=unallocated)
            if (no_memory(unallocated, n, "order", stat, errmsg)) return
            status = neargrid_search_order(self%handle, n, new)
        end if
        if (status == neargrid_status_ok) call move_alloc(new, perm)
        call report(self, status, "order", stat, errmsg)
    end subroutine spatial_order

    !> Gives back all memory that points and settings do not need. The next query makes what it
    !> needs anew, with the same result. Views are dangling from here on.
    subroutine trim_memory(self, stat, errmsg)
        class(neargrid_search), intent(inout) :: self
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_trim(self%handle), "trim", stat, errmsg)
    end subroutine trim_memory

    ! --- what the last query did ---

    !> `text`: which backend ran and why, threads, cells, memory, for people to read.
    subroutine info(self, text, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        character(len=:), allocatable, intent(inout) :: text
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(kind=c_char, len=:), allocatable :: buffer
        integer(c_size_t) :: length
        integer(c_int) :: status

        allocate (character(kind=c_char, len=1) :: buffer)
        status = neargrid_search_info(self%handle, buffer, 0_c_size_t, length)
        if (status == neargrid_status_ok) then
            deallocate (buffer)
            allocate (character(kind=c_char, len=length + 1) :: buffer)
            status = neargrid_search_info(self%handle, buffer, length + 1, length)
        end if
        if (status == neargrid_status_ok) text = buffer(1:length)
        call report(self, status, "info", stat, errmsg)
    end subroutine info

    !> `value`: one number about the last query; `which` is one of `neargrid_counter_*`.
    subroutine counter(self, which, value, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in) :: which
        integer(int64), intent(inout) :: value
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_counter(self%handle, which, value), "counter", &
                    stat, errmsg)
    end subroutine counter

    !> `seconds`: what one phase of the last query took; `phase` is one of `neargrid_phase_*`.
    subroutine timing(self, phase, seconds, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in) :: phase
        real(real64), intent(inout) :: seconds
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self, neargrid_search_timing(self%handle, phase, seconds), "timing", &
                    stat, errmsg)
    end subroutine timing

    function version_text() result(version)
        character(len=:), allocatable :: version

        version = to_string(c_version())
    end function version_text

    function status_text(status) result(name)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: name

        name = to_string(c_status_name(status))
    end function status_text

    ! --- helpers: results on their way back ---

    ! An empty list may have no address; its view is associated all the same.
    subroutine view_ids(address, length, ids)
        type(c_ptr), intent(in) :: address
        integer(int64), intent(in) :: length
        integer(c_int), pointer, intent(inout) :: ids(:)

        if (length > 0) then
            call c_f_pointer(address, ids, [length])
        else
            ids => no_ids(1:0)
        end if
    end subroutine view_ids

    pure function row_kind(full) result(kind)
        logical, intent(in), optional :: full
        integer(c_int) :: kind

        kind = neargrid_neighbors_half
        if (present(full)) kind = merge(neargrid_neighbors_full, neargrid_neighbors_half, full)
    end function row_kind

    ! Sizes of the rows: `n` points, `total` entries.
    function measure_rows(self, kind, n, total) result(status)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in) :: kind
        integer(int64), intent(inout) :: n, total
        integer(c_int) :: status

        status = neargrid_neighbors_count(self%handle, kind, total)
        if (status == neargrid_status_ok) &
            status = neargrid_search_counter(self%handle, neargrid_counter_points, n)
    end function measure_rows

    ! The same of the rows of queries.
    function measure_queries(self, n, total) result(status)
        class(neargrid_search), intent(in) :: self
        integer(int64), intent(inout) :: n, total
        integer(c_int) :: status

        status = neargrid_neighbors_count(self%handle, neargrid_neighbors_queries, total)
        if (status == neargrid_status_ok) &
            status = neargrid_search_counter(self%handle, neargrid_counter_queries, n)
    end function measure_queries

    ! --- helpers: arrays for data of pairs ---

    ! Whether arrays for data of pairs do not fit each other; says so if they do not. `extent`
    ! is that of the one to write, `d(:)` or `r(:, :)`, whose name is `name`.
    function pairs_misfit(self, pair_i, pair_j, name, extent, stat, errmsg) result(is_wrong)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in) :: pair_i(:), pair_j(:)
        character(len=*), intent(in) :: name
        integer(int64), intent(in) :: extent(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong

        is_wrong = differ("pair_j", size(pair_j, kind=int64), "size(pair_i)", &
                          size(pair_i, kind=int64), quantity(extent), stat, errmsg)
        if (.not. is_wrong) is_wrong = values_misfit(self, name, extent, "size(pair_i)", &
            size(pair_i, kind=int64), stat, errmsg)
    end function pairs_misfit

    ! The same of rows. Without points the library refuses before it reads any array.
    function rows_misfit(self, offsets, ids, name, extent, stat, errmsg) result(is_wrong)
        class(neargrid_search), intent(in) :: self
        integer(int64), intent(in) :: offsets(:)
        integer(c_int), intent(in) :: ids(:)
        character(len=*), intent(in) :: name
        integer(int64), intent(in) :: extent(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        integer(int64) :: n, total

        is_wrong = .false.
        if (neargrid_search_counter(self%handle, neargrid_counter_points, n) &
            /= neargrid_status_ok) return
        if (dim_of(self) == 0) return
        is_wrong = too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, &
                           quantity(extent), stat, errmsg)
        if (is_wrong) return
        total = offsets(n + 1) - 1
        is_wrong = too_few("ids", size(ids, kind=int64), "offsets(n + 1) - 1", total, &
                           quantity(extent), stat, errmsg)
        if (.not. is_wrong) is_wrong = values_misfit(self, name, extent, "offsets(n + 1) - 1", &
            total, stat, errmsg)
    end function rows_misfit

    function values_misfit(self, name, extent, wanted_name, wanted, stat, errmsg) result(is_wrong)
        class(neargrid_search), intent(in) :: self
        character(len=*), intent(in) :: name, wanted_name
        integer(int64), intent(in) :: extent(:), wanted
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong

        if (size(extent) == 1) then
            is_wrong = too_few(name, extent(1), wanted_name, wanted, quantity(extent), stat, errmsg)
            return
        end if
        is_wrong = .false.
        if (dim_of(self) > 0) is_wrong = differ(name // ", 1", extent(1), "dim", dim_of(self), &
            quantity(extent), stat, errmsg)
        if (.not. is_wrong) is_wrong = too_few(name // ", 2", extent(2), wanted_name, wanted, &
            quantity(extent), stat, errmsg)
    end function values_misfit

    ! What an array of this rank is asked for.
    pure function quantity(extent) result(caller)
        integer(int64), intent(in) :: extent(:)
        character(len=:), allocatable :: caller

        caller = "displacements"
        if (size(extent) == 1) caller = "distances"
    end function quantity

    ! Axes of the points set, 0 where there are none.
    function dim_of(self) result(dim)
        class(neargrid_search), intent(in) :: self
        integer(int64) :: dim

        if (neargrid_search_counter(self%handle, neargrid_counter_dim, dim) &
            /= neargrid_status_ok) dim = 0
    end function dim_of

    ! --- helpers: errors ---

    ! Every status of the library passes here on its way to the caller.
    subroutine report(self, status, caller, stat, errmsg)
        class(neargrid_search), intent(in) :: self
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report_on(self%handle, status, caller, stat, errmsg)
    end subroutine report

    ! A static C string of the library.
    function to_string(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: length, letter

        call c_f_pointer(address, letters, [text_length])
        length = 0
        do while (letters(length + 1) /= c_null_char)
            length = length + 1
        end do
        allocate (character(len=length) :: text)
        do letter = 1, length
            text(letter:letter) = letters(letter)
        end do
    end function to_string

end module neargrid
