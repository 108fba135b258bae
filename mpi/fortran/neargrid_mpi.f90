! Made from neargrid_mpi.fypp: change that file, then `make fortran`.
!> Module `neargrid_mpi`: neargrid across MPI ranks. Pairs, neighbor lists, k nearest neighbors and
!> groups do not depend on how points are spread over ranks; fields of points travel to their ghosts
!> and back.
!>
!> Type `neargrid_mpi_search` below documents every call. The communicator is the plain integer,
!> `comm` of module mpi or `comm%MPI_VAL` of mpi_f08; this module needs neither. Compile the modules
!> of neargrid first, then these, in the order of `sources.txt` (installed as `sources_mpi.txt`).
!> Module `neargrid` has the values of settings, and its rules for kinds, indices, units, errors and
!> threads hold here too.
!>
!> Collective procedures are called by all ranks, in the same order, and fail on all of them alike.
!> Pointers view memory of the search: read them only, never deallocate them.
module neargrid_mpi
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_loc, c_null_ptr, &
        c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid, only: neargrid_device_auto, neargrid_device_index, neargrid_device_turn
    use neargrid_arrays, only: addresses_of, stride_of, view_ids, widened
    use neargrid_errors, only: differ, owned_by, place_of
    use neargrid_c, only: neargrid_neighbors_full
    use neargrid_mpi_c
    use neargrid_mpi_fields
    use neargrid_mpi_fof, only: fof_view, groups_of, groups_plain, neargrid_mpi_groups
    use neargrid_mpi_knn, only: ghosts_view, knn_ghosts_view, knn_view
    use neargrid_mpi_migration, only: move
    use neargrid_mpi_points, only: address_of_ids, must_be_columns
    implicit none (type, external)

    private
    public :: neargrid_mpi_search, neargrid_mpi_groups
    public :: neargrid_mpi_sides_once, neargrid_mpi_sides_both, neargrid_mpi_counter_owned, &
        neargrid_mpi_counter_ghosts, neargrid_mpi_counter_near_ranks, neargrid_mpi_counter_plans, &
        neargrid_mpi_counter_plan_messages, neargrid_mpi_counter_plan_bytes, &
        neargrid_mpi_counter_halo_messages, neargrid_mpi_counter_halo_bytes, &
        neargrid_mpi_counter_sent, neargrid_mpi_counter_backend, neargrid_mpi_counter_dim, &
        neargrid_mpi_counter_knn_ghosts, neargrid_mpi_counter_knn_questions, &
        neargrid_mpi_counter_knn_messages, neargrid_mpi_counter_knn_bytes, &
        neargrid_mpi_counter_fof_rounds, neargrid_mpi_counter_fof_messages, &
        neargrid_mpi_counter_fof_bytes, neargrid_mpi_counter_migration_before, &
        neargrid_mpi_counter_migration_after, neargrid_mpi_counter_migration_messages, &
        neargrid_mpi_counter_migration_bytes, neargrid_mpi_status_communication, &
        neargrid_mpi_status_disagreement

    ! No program has a value of this type.
    type :: keywords_only
    end type keywords_only

    !> A search across ranks: settings, points and buffers, kept from step to step. Declare it,
    !> `create` it, use it, `destroy` it before MPI_Finalize. It has no finalizer, since all ranks
    !> must end a search together. Assignment stops the program, unless neither side has been
    !> created.
    type :: neargrid_mpi_search
        private
        type(c_ptr) :: handle = c_null_ptr
        type(c_ptr) :: owner = c_null_ptr   ! where the variable was when it was created
    contains
        !> `call search%create(comm)`: makes a search of all ranks of a communicator (default
        !> integer), which it duplicates. A search that exists starts over. Collective.
        procedure, public :: create
        !> `call search%destroy()`: frees the search; views of it dangle from then on. It does
        !> nothing for a search that was never created. Collective.
        procedure, public :: destroy

        ! --- settings, as those of neargrid_search; not collective ---

        !> `call search%set_cutoff(cutoff)`: the search radius, real32 or real64.
        generic, public :: set_cutoff => set_cutoff_f32, set_cutoff_f64
        !> As those of `neargrid_search`.
        procedure, public :: set_tie_rule, set_threads, set_backend
        !> `call search%set_device(device)`: the index of the GPU that this rank uses, where it uses
        !> one, **from 0 on**, or `neargrid_device_auto` (default): the ranks of a node take its
        !> GPUs in turn.
        procedure, public :: set_device
        !> `call search%set_box(lo, length, periodic)`: an axis-aligned box: `lo(dim)`,
        !> `length(dim)` of one real kind, and `periodic(dim)` (logical).
        generic, public :: set_box => set_box_f32, set_box_f64
        !> `call search%set_skin(skin)`: real32 or real64, in the unit of the coordinates; 0
        !> (default) is none. Plan and lists then reach that much farther than the cutoff, and
        !> `update` keeps them while that is exact. A periodic axis of the box must be at least two
        !> cutoffs plus two skins long.
        generic, public :: set_skin => set_skin_f32, set_skin_f64

        ! --- points and queries; collective ---

        !> `call search%set_points(pos, ids)`: the points of this rank, `pos(dim, n)`, and
        !> optionally their global ids, `ids(n)` of int64: any numbers, each on one point of one
        !> rank. If no rank gives ids, points are numbered rank by rank from 1.
        generic, public :: set_points => set_points_f32, set_points_f64
        !> `call search%update(pos, ids, rebuilt)`: the points of this rank in the next time step,
        !> in the same order. It does what `set_points` does, but with a skin it keeps plan, ghosts
        !> and list if no point of any rank has moved by more than half the skin since the plan was
        !> made. `rebuilt`, an optional logical: whether they were given up, the same on all ranks.
        generic, public :: update => update_f32, update_f64
        !> `call search%skin_used(share)`: how close the last `update` came to a new plan, real64: twice the
        !> largest displacement on any rank, as a share of the skin; above 1 where the plan was
        !> given up.
        procedure, public :: skin_used
        !> `call search%pairs(pair_i, pair_j)`: the pairs of this rank. Numbers up to `size(pos, 2)`
        !> are points of this rank, larger ones are its ghosts. `sides`, by keyword:
        !> `neargrid_mpi_sides_once` (default: a pair is on the rank of the smaller global id, which is
        !> the left one) or `neargrid_mpi_sides_both`. `pair_i` and `pair_j` are `integer(c_int)`
        !> pointers, valid until the next call that is not about halos.
        procedure, public :: pairs
        !> `call search%neighbors(offsets, ids)`: the rows of the points of this rank: that of point
        !> i is `ids(offsets(i) : offsets(i + 1) - 1)`, by global id. `kind`, by keyword:
        !> `neargrid_neighbors_full` (default) or `neargrid_neighbors_half` (larger global ids only).
        !> `offsets` (int64) and `ids` (c_int) are pointers as those of `pairs`.
        procedure, public :: neighbors
        !> `call search%ghosts(ids, ranks, pos)`: the ghosts of this rank, in the order of their
        !> numbers (those of ranks behind this one first, then those of ranks before it): global ids
        !> (int64), the ranks that own them (c_int), and their positions as the owners gave them,
        !> `pos(dim, nghosts)`; all pointers as those of `pairs`.
        generic, public :: ghosts => ghosts_f32, ghosts_f64
        !> `call search%knn(k, ids, distances)`: the k nearest of each point of this rank over all
        !> ranks, `ids(k, n)` and `distances(k, n)`, the nearest first and equally near ones by
        !> global id. Numbers up to `size(pos, 2)` are points of this rank, larger ones are the
        !> ghosts of this query (`knn_ghosts`). Optional, by keyword: `kind`, `neargrid_knn_others`
        !> (default) or `neargrid_knn_all`, which lists the point itself too; `measure`,
        !> `neargrid_measure_distance` (default), `neargrid_measure_square`, or `neargrid_measure_radius`, which
        !> gives the smallest cutoffs that find the neighbors; and `counts(n)`, which receives how
        !> many neighbors there are; other ids are 0 and their distances infinite. No cutoff is needed.
        !> The pointers are valid until the next query for k nearest, or until points or settings
        !> change.
        generic, public :: knn => knn_f32, knn_f64
        !> `call search%knn_ghosts(ids, ranks, pos)`: the ghosts of the last query for k nearest, in
        !> the form of `ghosts`.
        generic, public :: knn_ghosts => knn_ghosts_f32, knn_ghosts_f64
        !> `call search%fof(labels)`: the friends-of-friends group of each point of this rank, over
        !> all ranks: the smallest global id of its points, an int64 pointer. The cutoff is the
        !> linking length. `ngroups`, by keyword, receives the number of groups over all ranks,
        !> those of one point included.
        procedure, public :: fof
        !> `call search%groups(found, min_size, masses, velocities)`: the groups of at least
        !> `min_size` points over all ranks whose label is a point of this rank, in
        !> `type(neargrid_mpi_groups)`, with sums over their members on all ranks, exact and rounded
        !> once. `masses(n)` is optional (1 without it), and `velocities(dim, n)` with it: on all
        !> ranks or on none.
        generic, public :: groups => groups_alone, groups_f32, groups_f64

        ! --- fields of points and ghosts: real32, real64, int32, int64; collective ---

        !> `call search%halo(field)`: sends what `field` has for the points of this rank to their
        !> ghosts on other ranks, and receives that of its own ghosts: `field(.., n + nghosts)`, the
        !> points of this rank first, of any shape before the last dimension.
        generic, public :: halo => halo_f32, halo_f64, halo_i32, halo_i64
        !> `call search%halo_begin(field)`: begins a halo exchange and returns at once; the program
        !> may use `field` again. Until `halo_finish` the search answers no other call than
        !> `counter`.
        generic, public :: halo_begin => &
            halo_begin_f32, halo_begin_f64, halo_begin_i32, halo_begin_i64
        !> `call search%halo_finish(field)`: waits for the halo exchange that has begun and writes
        !> what arrived to the ghosts of `field`.
        generic, public :: halo_finish => &
            halo_finish_f32, halo_finish_f64, halo_finish_i32, halo_finish_i64
        !> `call search%halo_sum(field)`: adds what `field` has for ghosts to the points that they
        !> are copies of, rank after rank; the part of the ghosts stays. Integers wrap around.
        generic, public :: halo_sum => halo_sum_f32, halo_sum_f64, halo_sum_i32, halo_sum_i64

        ! --- migration; collective ---

        !> `call search%plan_migration(pos, ids, n_after)`: plans where the points `pos(dim, n)` go,
        !> so that each rank has the same number, up to one, of points near each other: along the
        !> Hilbert curve, and by global id at one place of it. With ids the result does not depend
        !> on how points were spread before. `n_after` (int64) receives how many points this rank
        !> will have. Nothing moves yet, and the points of the search stay.
        generic, public :: plan_migration => plan_migration_f32, plan_migration_f64
        !> `call search%migrate(before, after)`: moves a field of the points to where the plan sends
        !> them: `before(.., n)` of the points of the plan, `after(.., n_after)` of those that this
        !> rank then has, of one shape before the last dimension. One call for each field:
        !> positions, ids, whatever belongs to points.
        generic, public :: migrate => migrate_f32, migrate_f64, migrate_i32, migrate_i64

        !> `call search%counter(which, value)`: a number about the search on this rank, int64; `which`
        !> is one of `neargrid_mpi_counter_*`. Not collective.
        procedure, public :: counter

        generic, public :: assignment(=) => refuse_copy
        procedure, private :: set_cutoff_f32, set_cutoff_f64, set_box_f32, set_box_f64
        procedure, private :: set_skin_f32, set_skin_f64, set_points_f32, set_points_f64
        procedure, private :: update_f32, update_f64, ghosts_f32, ghosts_f64
        procedure, private :: knn_f32, knn_f64, knn_ghosts_f32, knn_ghosts_f64
        procedure, private :: groups_alone, groups_f32, groups_f64
        procedure, private :: plan_migration_f32, plan_migration_f64
        procedure, private :: halo_f32, halo_f64, halo_i32, halo_i64
        procedure, private :: halo_begin_f32, halo_begin_f64, halo_begin_i32, halo_begin_i64
        procedure, private :: halo_finish_f32, halo_finish_f64, halo_finish_i32, halo_finish_i64
        procedure, private :: halo_sum_f32, halo_sum_f64, halo_sum_i32, halo_sum_i64
        procedure, private :: migrate_f32, migrate_f64, migrate_i32, migrate_i64
        procedure, private :: refuse_copy
    end type neargrid_mpi_search

contains

    subroutine create(self, comm, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer, intent(in) :: comm
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: fresh
        integer(c_int) :: status

        fresh = c_null_ptr
        status = neargrid_mpi_search_create_f(neargrid_mpi_abi, int(comm, c_int), fresh)
        if (status == 0) then
            status = neargrid_mpi_search_set_index_base(fresh, 1_c_int)
            call destroy(self)
            self%handle = fresh
            self%owner = place_of(self%handle)
        end if
        call report(fresh, status, "create", stat, errmsg)
    end subroutine create

    subroutine destroy(self)
        class(neargrid_mpi_search), intent(inout) :: self

        call neargrid_mpi_search_destroy(owned(self))
        self%handle = c_null_ptr
    end subroutine destroy

    ! The handle of a variable, for C. It ends the program where the variable is a copy.
    function owned(self) result(handle)
        class(neargrid_mpi_search), intent(in) :: self
        type(c_ptr) :: handle

        handle = owned_by(self%handle, self%owner, "neargrid_mpi_search")
    end function owned

    ! Two variables with one handle would free it twice. Two empty ones share nothing.
    impure elemental subroutine refuse_copy(self, other)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_search), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) &
            error stop "neargrid: a neargrid_mpi_search cannot be copied by assignment"
    end subroutine refuse_copy

    ! --- settings ---

    subroutine set_tie_rule(self, rule, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: rule
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_set_tie_rule(owned(self), rule), &
                    "set_tie_rule", stat, errmsg)
    end subroutine set_tie_rule

    subroutine set_threads(self, threads, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: threads
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_set_threads(owned(self), threads), &
                    "set_threads", stat, errmsg)
    end subroutine set_threads

    subroutine set_backend(self, backend, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: backend
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_set_backend(owned(self), backend), &
                    "set_backend", stat, errmsg)
    end subroutine set_backend

    subroutine set_device(self, device, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: device
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: choice

        choice = merge(neargrid_device_turn, neargrid_device_index, device == neargrid_device_auto)
        call report(owned(self), neargrid_mpi_search_set_device(owned(self), choice, device), &
                    "set_device", stat, errmsg)
    end subroutine set_device

    subroutine set_cutoff_f64(self, cutoff, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in) :: cutoff
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_set_cutoff(owned(self), cutoff), &
                    "set_cutoff", stat, errmsg)
    end subroutine set_cutoff_f64

    subroutine set_cutoff_f32(self, cutoff, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in) :: cutoff
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_cutoff_f64(self, widened(cutoff), stat, errmsg)
    end subroutine set_cutoff_f32

    subroutine set_skin_f64(self, skin, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in) :: skin
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_set_skin(owned(self), skin), &
                    "set_skin", stat, errmsg)
    end subroutine set_skin_f64

    subroutine set_skin_f32(self, skin, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in) :: skin
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_skin_f64(self, widened(skin), stat, errmsg)
    end subroutine set_skin_f32

    subroutine set_box_f64(self, lo, length, periodic, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), contiguous :: lo(:), length(:)
        logical, intent(in) :: periodic(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (differ("length", size(length, kind=int64), "size(lo)", size(lo, kind=int64), &
                   "set_box", stat, errmsg)) return
        if (differ("periodic", size(periodic, kind=int64), "size(lo)", size(lo, kind=int64), &
                   "set_box", stat, errmsg)) return
        call report(owned(self), neargrid_mpi_search_set_box(owned(self), size(lo, kind=c_int), &
                    lo, length, merge(1_c_int, 0_c_int, periodic)), "set_box", stat, errmsg)
    end subroutine set_box_f64

    subroutine set_box_f32(self, lo, length, periodic, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in) :: lo(:), length(:)
        logical, intent(in) :: periodic(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_box_f64(self, widened(lo), widened(length), periodic, stat, errmsg)
    end subroutine set_box_f32

    subroutine skin_used(self, share, stat, errmsg)
        class(neargrid_mpi_search), intent(in) :: self
        real(real64), intent(inout) :: share
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_skin_used(owned(self), share), "skin_used", &
                    stat, errmsg)
    end subroutine skin_used

    ! --- points and queries ---

    subroutine set_points_f32(self, pos, ids, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(owned(self), shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_search_set_points_f32(owned(self), size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), stride_of(pos), &
            address_of_ids(owned(self), ids, size(pos, 2, int64)))
        call report(owned(self), status, "set_points", stat, errmsg)
    end subroutine set_points_f32

    subroutine update_f32(self, pos, ids, rebuilt, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        logical, intent(inout), optional :: rebuilt
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status, flag

        call must_be_columns(owned(self), shape(pos, int64))
        at = addresses_of(pos)
        flag = 0
        status = neargrid_mpi_search_update_f32(owned(self), size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), stride_of(pos), &
            address_of_ids(owned(self), ids, size(pos, 2, int64)), flag)
        if (status == 0 .and. present(rebuilt)) rebuilt = flag /= 0
        call report(owned(self), status, "update", stat, errmsg)
    end subroutine update_f32

    subroutine ghosts_f32(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real32), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call ghosts_view(owned(self), ids, ranks, pos, stat, errmsg)
    end subroutine ghosts_f32

    subroutine knn_f32(self, k, ids, distances, by_keyword, kind, measure, counts, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real32), pointer, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
        integer(c_int), intent(in), optional :: kind, measure
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (present(by_keyword)) continue
        call knn_view(owned(self), k, ids, distances, kind, measure, counts, stat, errmsg)
    end subroutine knn_f32

    subroutine knn_ghosts_f32(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real32), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_ghosts_view(owned(self), ids, ranks, pos, stat, errmsg)
    end subroutine knn_ghosts_f32

    subroutine groups_f32(self, found, min_size, masses, velocities, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real32), intent(in), contiguous :: masses(:)
        real(real32), intent(in), optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_of(owned(self), found, min_size, masses, velocities, stat, errmsg)
    end subroutine groups_f32

    subroutine plan_migration_f32(self, pos, ids, n_after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(int64), intent(inout) :: n_after
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(owned(self), shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_migration_plan_f32(owned(self), size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), stride_of(pos), &
            address_of_ids(owned(self), ids, size(pos, 2, int64)), n_after)
        call report(owned(self), status, "plan_migration", stat, errmsg)
    end subroutine plan_migration_f32

    subroutine set_points_f64(self, pos, ids, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(owned(self), shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_search_set_points_f64(owned(self), size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), stride_of(pos), &
            address_of_ids(owned(self), ids, size(pos, 2, int64)))
        call report(owned(self), status, "set_points", stat, errmsg)
    end subroutine set_points_f64

    subroutine update_f64(self, pos, ids, rebuilt, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        logical, intent(inout), optional :: rebuilt
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status, flag

        call must_be_columns(owned(self), shape(pos, int64))
        at = addresses_of(pos)
        flag = 0
        status = neargrid_mpi_search_update_f64(owned(self), size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), stride_of(pos), &
            address_of_ids(owned(self), ids, size(pos, 2, int64)), flag)
        if (status == 0 .and. present(rebuilt)) rebuilt = flag /= 0
        call report(owned(self), status, "update", stat, errmsg)
    end subroutine update_f64

    subroutine ghosts_f64(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real64), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call ghosts_view(owned(self), ids, ranks, pos, stat, errmsg)
    end subroutine ghosts_f64

    subroutine knn_f64(self, k, ids, distances, by_keyword, kind, measure, counts, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real64), pointer, intent(inout) :: distances(:, :)
            type(keywords_only), intent(in), optional :: by_keyword
        integer(c_int), intent(in), optional :: kind, measure
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (present(by_keyword)) continue
        call knn_view(owned(self), k, ids, distances, kind, measure, counts, stat, errmsg)
    end subroutine knn_f64

    subroutine knn_ghosts_f64(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real64), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_ghosts_view(owned(self), ids, ranks, pos, stat, errmsg)
    end subroutine knn_ghosts_f64

    subroutine groups_f64(self, found, min_size, masses, velocities, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real64), intent(in), contiguous :: masses(:)
        real(real64), intent(in), optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_of(owned(self), found, min_size, masses, velocities, stat, errmsg)
    end subroutine groups_f64

    subroutine plan_migration_f64(self, pos, ids, n_after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(int64), intent(inout) :: n_after
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(owned(self), shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_migration_plan_f64(owned(self), size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), stride_of(pos), &
            address_of_ids(owned(self), ids, size(pos, 2, int64)), n_after)
        call report(owned(self), status, "plan_migration", stat, errmsg)
    end subroutine plan_migration_f64

    subroutine pairs(self, pair_i, pair_j, by_keyword, sides, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), pointer, intent(inout) :: pair_i(:), pair_j(:)
            type(keywords_only), intent(in), optional :: by_keyword
        integer(c_int), intent(in), optional :: sides
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_i, at_j
        integer(int64) :: npairs
        integer(c_int) :: status, asked

        if (present(by_keyword)) continue
        asked = neargrid_mpi_sides_once
        if (present(sides)) asked = sides
        at_i = c_null_ptr
        at_j = c_null_ptr
        status = neargrid_mpi_pairs_view(owned(self), asked, npairs, at_i, at_j)
        if (status == 0) call view_ids(at_i, npairs, pair_i)
        if (status == 0) call view_ids(at_j, npairs, pair_j)
        call report(owned(self), status, "pairs", stat, errmsg)
    end subroutine pairs

    subroutine neighbors(self, offsets, ids, by_keyword, kind, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: offsets(:)
        integer(c_int), pointer, intent(inout) :: ids(:)
            type(keywords_only), intent(in), optional :: by_keyword
        integer(c_int), intent(in), optional :: kind
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status, rows

        if (present(by_keyword)) continue
        rows = neargrid_neighbors_full
        if (present(kind)) rows = kind
        at_offsets = c_null_ptr
        at_ids = c_null_ptr
        status = neargrid_mpi_neighbors_view(owned(self), rows, n, total, at_offsets, at_ids)
        if (status == 0) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == 0) call view_ids(at_ids, total, ids)
        call report(owned(self), status, "neighbors", stat, errmsg)
    end subroutine neighbors

    subroutine fof(self, labels, by_keyword, ngroups, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: labels(:)
            type(keywords_only), intent(in), optional :: by_keyword
        integer(int64), intent(inout), optional :: ngroups
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (present(by_keyword)) continue
        call fof_view(owned(self), labels, ngroups, stat, errmsg)
    end subroutine fof

    subroutine groups_alone(self, found, min_size, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_plain(owned(self), found, min_size, stat, errmsg)
    end subroutine groups_alone

    ! --- fields ---

    subroutine halo_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), exchange, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_f32

    subroutine halo_begin_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), begin, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_f32

    subroutine halo_finish_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), finish, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_f32

    subroutine halo_sum_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), sum_f32, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_f32

    subroutine migrate_f32(self, before, after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: before(..)
        real(real32), intent(inout), target, contiguous :: after(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: from, to

        from = c_null_ptr
        to = c_null_ptr
        if (size(before, kind=int64) > 0) from = c_loc(before)
        if (size(after, kind=int64) > 0) to = c_loc(after)
        call move(owned(self), 4, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_f32

    subroutine halo_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), exchange, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_f64

    subroutine halo_begin_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), begin, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_f64

    subroutine halo_finish_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), finish, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_f64

    subroutine halo_sum_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), sum_f64, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_f64

    subroutine migrate_f64(self, before, after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: before(..)
        real(real64), intent(inout), target, contiguous :: after(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: from, to

        from = c_null_ptr
        to = c_null_ptr
        if (size(before, kind=int64) > 0) from = c_loc(before)
        if (size(after, kind=int64) > 0) to = c_loc(after)
        call move(owned(self), 8, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_f64

    subroutine halo_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), exchange, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_i32

    subroutine halo_begin_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), begin, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_i32

    subroutine halo_finish_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), finish, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_i32

    subroutine halo_sum_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), sum_i32, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_i32

    subroutine migrate_i32(self, before, after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(in), target, contiguous :: before(..)
        integer(int32), intent(inout), target, contiguous :: after(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: from, to

        from = c_null_ptr
        to = c_null_ptr
        if (size(before, kind=int64) > 0) from = c_loc(before)
        if (size(after, kind=int64) > 0) to = c_loc(after)
        call move(owned(self), 4, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_i32

    subroutine halo_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), exchange, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_i64

    subroutine halo_begin_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), begin, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_i64

    subroutine halo_finish_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), finish, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_i64

    subroutine halo_sum_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(owned(self), sum_i64, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_i64

    subroutine migrate_i64(self, before, after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(in), target, contiguous :: before(..)
        integer(int64), intent(inout), target, contiguous :: after(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: from, to

        from = c_null_ptr
        to = c_null_ptr
        if (size(before, kind=int64) > 0) from = c_loc(before)
        if (size(after, kind=int64) > 0) to = c_loc(after)
        call move(owned(self), 8, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_i64

    subroutine counter(self, which, value, stat, errmsg)
        class(neargrid_mpi_search), intent(in) :: self
        integer(c_int), intent(in) :: which
        integer(int64), intent(inout) :: value
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(owned(self), neargrid_mpi_search_counter(owned(self), which, value), &
                    "counter", stat, errmsg)
    end subroutine counter

end module neargrid_mpi
