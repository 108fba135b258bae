!> neargrid across MPI ranks: pairs and rows of neighbors, k nearest and groups that do not depend
!> on how points are spread over ranks, and fields of their ghosts.
!>
!> The communicator is the plain integer, `comm` of module mpi or `comm%MPI_VAL` of mpi_f08; this
!> module needs neither. Compile the modules of neargrid first, then these, in the order of
!> `sources.txt` (installed as `sources_mpi.txt`). Settings' values are those of module `neargrid`.
!> Procedures said to be collective are called by all ranks, in the same order, and fail on all of
!> them alike.
module neargrid_mpi
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_loc, c_null_ptr, &
        c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid_errors, only: differ
    use neargrid_mpi_c
    use neargrid_mpi_fields
    use neargrid_mpi_fof, only: fof_view, groups_of, groups_plain, neargrid_mpi_groups
    use neargrid_mpi_knn, only: knn_ghosts_view, knn_view
    use neargrid_mpi_migration, only: move
    use neargrid_mpi_points, only: address_of_ids, addresses_of, must_be_columns
    implicit none (type, external)

    private
    public :: neargrid_mpi_search, neargrid_mpi_groups
    public :: neargrid_mpi_once, neargrid_mpi_both
    public :: neargrid_mpi_counter_owned, neargrid_mpi_counter_ghosts, &
        neargrid_mpi_counter_near_ranks, neargrid_mpi_counter_plans, &
        neargrid_mpi_counter_plan_messages, neargrid_mpi_counter_plan_bytes, &
        neargrid_mpi_counter_halo_messages, neargrid_mpi_counter_halo_bytes, &
        neargrid_mpi_counter_sent, neargrid_mpi_counter_backend, &
        neargrid_mpi_counter_knn_ghosts, neargrid_mpi_counter_knn_questions, &
        neargrid_mpi_counter_knn_messages, neargrid_mpi_counter_knn_bytes, &
        neargrid_mpi_counter_fof_rounds, neargrid_mpi_counter_fof_messages, &
        neargrid_mpi_counter_fof_bytes, &
        neargrid_mpi_counter_migration_before, neargrid_mpi_counter_migration_after, &
        neargrid_mpi_counter_migration_messages, neargrid_mpi_counter_migration_bytes
    public :: neargrid_mpi_status_communication, neargrid_mpi_status_disagreement

    !> A search across ranks: settings, points and buffers, kept from step to step. Declare it,
    !> `create` it, use it, `destroy` it before MPI_Finalize. There is no finalizer, since the end
    !> of a search is collective; it cannot be copied, unless neither side has been created.
    type :: neargrid_mpi_search
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure, public :: create, destroy
        generic, public :: set_cutoff => set_cutoff_f32, set_cutoff_f64
        procedure, public :: set_tie_rule, set_threads, set_backend, set_device
        generic, public :: set_box => set_box_f32, set_box_f64
        generic, public :: set_skin => set_skin_f32, set_skin_f64
        generic, public :: set_points => set_points_f32, set_points_f64
        generic, public :: update => update_f32, update_f64
        procedure, public :: skin_used
        procedure, private :: set_skin_f32, set_skin_f64, update_f32, update_f64
        procedure, public :: pairs, neighbors
        generic, public :: ghosts => ghosts_f32, ghosts_f64
        generic, public :: knn => knn_f32, knn_f64
        generic, public :: knn_ghosts => knn_ghosts_f32, knn_ghosts_f64
        procedure, public :: fof
        generic, public :: groups => groups_alone, groups_f32, groups_f64
        procedure, private :: knn_f32, knn_f64, knn_ghosts_f32, knn_ghosts_f64
        procedure, private :: groups_alone, groups_f32, groups_f64
        generic, public :: halo => halo_f32, halo_f64, halo_i32, halo_i64
        generic, public :: halo_begin => halo_begin_f32, halo_begin_f64, &
            halo_begin_i32, halo_begin_i64
        generic, public :: halo_finish => halo_finish_f32, halo_finish_f64, &
            halo_finish_i32, halo_finish_i64
        generic, public :: halo_sum => halo_sum_f32, halo_sum_f64, halo_sum_i32, halo_sum_i64
        procedure, private :: halo_f32, halo_f64, halo_i32, halo_i64
        procedure, private :: halo_begin_f32, halo_begin_f64, halo_begin_i32, halo_begin_i64
        procedure, private :: halo_finish_f32, halo_finish_f64, halo_finish_i32, halo_finish_i64
        procedure, private :: halo_sum_f32, halo_sum_f64, halo_sum_i32, halo_sum_i64
        generic, public :: plan_migration => plan_migration_f32, plan_migration_f64
        generic, public :: migrate => migrate_f32, migrate_f64, migrate_i32, migrate_i64
        procedure, private :: plan_migration_f32, plan_migration_f64
        procedure, private :: migrate_f32, migrate_f64, migrate_i32, migrate_i64
        procedure, public :: counter
        generic, public :: assignment(=) => refuse_copy
        procedure, private :: set_cutoff_f32, set_cutoff_f64, set_box_f32, set_box_f64
        procedure, private :: set_points_f32, set_points_f64, ghosts_f32, ghosts_f64
        procedure, private :: refuse_copy
    end type neargrid_mpi_search

    integer(c_int), target, save :: no_numbers(1) = 0      ! what empty views point at
    integer(int64), target, save :: no_ids(1) = 0

contains

    !> Makes a search of all ranks of a communicator, which is duplicated. On one that exists it
    !> starts over. Collective.
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
        end if
        call report(fresh, status, "create", stat, errmsg)
    end subroutine create

    !> Frees the search; views taken from it are dangling from here on. On one that was never
    !> created it does nothing. Collective.
    subroutine destroy(self)
        class(neargrid_mpi_search), intent(inout) :: self

        call neargrid_mpi_search_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine destroy

    ! Two variables with one handle would free it twice. Two empty ones share nothing.
    impure elemental subroutine refuse_copy(self, other)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_search), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) &
            error stop "neargrid: a neargrid_mpi_search cannot be copied by assignment"
    end subroutine refuse_copy

    ! --- settings, as those of neargrid_search; not collective ---

    subroutine set_cutoff_f64(self, cutoff, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in) :: cutoff
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self%handle, neargrid_mpi_search_set_cutoff(self%handle, cutoff), &
                    "set_cutoff", stat, errmsg)
    end subroutine set_cutoff_f64

    subroutine set_cutoff_f32(self, cutoff, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in) :: cutoff
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_cutoff_f64(self, real(cutoff, real64), stat, errmsg)
    end subroutine set_cutoff_f32

    subroutine set_tie_rule(self, rule, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: rule
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self%handle, neargrid_mpi_search_set_tie_rule(self%handle, rule), &
                    "set_tie_rule", stat, errmsg)
    end subroutine set_tie_rule

    subroutine set_threads(self, threads, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: threads
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self%handle, neargrid_mpi_search_set_threads(self%handle, threads), &
                    "set_threads", stat, errmsg)
    end subroutine set_threads

    subroutine set_backend(self, backend, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: backend
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self%handle, neargrid_mpi_search_set_backend(self%handle, backend), &
                    "set_backend", stat, errmsg)
    end subroutine set_backend

    !> `device`: the index of the GPU that this rank uses, where it uses one, or
    !> `neargrid_device_auto` (default): the ranks of a node take its GPUs in turn.
    subroutine set_device(self, device, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: device
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self%handle, neargrid_mpi_search_set_device(self%handle, device), &
                    "set_device", stat, errmsg)
    end subroutine set_device

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
        call report(self%handle, neargrid_mpi_search_set_box(self%handle, size(lo, kind=c_int), &
                    lo, length, merge(1_c_int, 0_c_int, periodic)), "set_box", stat, errmsg)
    end subroutine set_box_f64

    subroutine set_box_f32(self, lo, length, periodic, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in) :: lo(:), length(:)
        logical, intent(in) :: periodic(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_box_f64(self, real(lo, real64), real(length, real64), periodic, stat, errmsg)
    end subroutine set_box_f32

    !> A skin, in the unit of the coordinates; 0 (default) is none. Plan and lists then reach that
    !> much farther than the cutoff, and `update` keeps them while that is exact. Along a periodic axis
    !> the box must be at least two cutoffs and two skins long.
    subroutine set_skin_f64(self, skin, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in) :: skin
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call report(self%handle, neargrid_mpi_search_set_skin(self%handle, skin), "set_skin", &
                    stat, errmsg)
    end subroutine set_skin_f64

    subroutine set_skin_f32(self, skin, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in) :: skin
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call set_skin_f64(self, real(skin, real64), stat, errmsg)
    end subroutine set_skin_f32

    !> How close the last `update` came to a new plan: twice the largest displacement on any rank as a
    !> share of the skin; above 1 the plan was given up.
    function skin_used(self, stat, errmsg) result(share)
        class(neargrid_mpi_search), intent(in) :: self
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        real(real64) :: share

        share = 0
        call report(self%handle, neargrid_mpi_search_skin_used(self%handle, share), "skin_used", &
                    stat, errmsg)
    end function skin_used

    ! --- points and queries; collective ---

    !> This rank's points, `pos(dim, n)`, and their global ids, any numbers, each on one point of
    !> one rank. Without ids on any rank, points are numbered rank by rank from 1.
    subroutine set_points_f32(self, pos, ids, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(self%handle, shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_search_set_points_f32(self%handle, size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), 4*size(pos, 1, int64), &
            address_of_ids(self%handle, ids, size(pos, 2, int64)))
        call report(self%handle, status, "set_points", stat, errmsg)
    end subroutine set_points_f32

    subroutine set_points_f64(self, pos, ids, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(self%handle, shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_search_set_points_f64(self%handle, size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), 8*size(pos, 1, int64), &
            address_of_ids(self%handle, ids, size(pos, 2, int64)))
        call report(self%handle, status, "set_points", stat, errmsg)
    end subroutine set_points_f64

    !> This rank's points of the next time step, in the same order: as `set_points`, but with a skin
    !> plan, ghosts and list are kept if no point of any rank has moved by more than half of it since
    !> the plan was made. `rebuilt`: whether they were given up, the same on all ranks.
    subroutine update_f32(self, pos, ids, rebuilt, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        logical, intent(inout), optional :: rebuilt
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status, flag

        call must_be_columns(self%handle, shape(pos, int64))
        at = addresses_of(pos)
        flag = 0
        status = neargrid_mpi_search_update_f32(self%handle, size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), 4*size(pos, 1, int64), &
            address_of_ids(self%handle, ids, size(pos, 2, int64)), flag)
        if (status == 0 .and. present(rebuilt)) rebuilt = flag /= 0
        call report(self%handle, status, "update", stat, errmsg)
    end subroutine update_f32

    subroutine update_f64(self, pos, ids, rebuilt, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        logical, intent(inout), optional :: rebuilt
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status, flag

        call must_be_columns(self%handle, shape(pos, int64))
        at = addresses_of(pos)
        flag = 0
        status = neargrid_mpi_search_update_f64(self%handle, size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), 8*size(pos, 1, int64), &
            address_of_ids(self%handle, ids, size(pos, 2, int64)), flag)
        if (status == 0 .and. present(rebuilt)) rebuilt = flag /= 0
        call report(self%handle, status, "update", stat, errmsg)
    end subroutine update_f64

    !> This rank's pairs, by numbers of its points, and from size(pos, 2) + 1 on of its ghosts.
    !> `sides`, by keyword: `neargrid_mpi_once` (default: a pair is on the rank of the smaller global
    !> id, which is left) or `neargrid_mpi_both`. The pointers are good until the next call that is
    !> not about halos. `errmsg` comes first so that no integer is taken for another by position.
    subroutine pairs(self, pair_i, pair_j, errmsg, stat, sides)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), pointer, intent(inout) :: pair_i(:), pair_j(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(c_int), intent(in), optional :: sides
        type(c_ptr) :: at_i, at_j
        integer(int64) :: npairs
        integer(c_int) :: status, asked

        asked = neargrid_mpi_once
        if (present(sides)) asked = sides
        at_i = c_null_ptr
        at_j = c_null_ptr
        status = neargrid_mpi_pairs_view(self%handle, asked, npairs, at_i, at_j)
        if (status == 0) call view(at_i, npairs, pair_i)
        if (status == 0) call view(at_j, npairs, pair_j)
        call report(self%handle, status, "pairs", stat, errmsg)
    end subroutine pairs

    !> The rows of this rank's points: that of point i is `ids(offsets(i) : offsets(i + 1) - 1)`,
    !> by global id. `kind`: `neargrid_neighbors_full` or `neargrid_neighbors_half` (larger global
    !> ids only).
    subroutine neighbors(self, kind, offsets, ids, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: kind
        integer(int64), pointer, intent(inout) :: offsets(:)
        integer(c_int), pointer, intent(inout) :: ids(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_offsets, at_ids
        integer(int64) :: n, total
        integer(c_int) :: status

        at_offsets = c_null_ptr
        at_ids = c_null_ptr
        status = neargrid_mpi_neighbors_view(self%handle, kind, n, total, at_offsets, at_ids)
        if (status == 0) call c_f_pointer(at_offsets, offsets, [n + 1])
        if (status == 0) call view(at_ids, total, ids)
        call report(self%handle, status, "neighbors", stat, errmsg)
    end subroutine neighbors

    !> This rank's ghosts, in the order of their numbers (ranks behind this one first, then those
    !> before it): global ids, ranks that own them,
    !> positions as their owners gave them.
    subroutine ghosts_f32(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real32), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        real(real32), target, save :: nowhere(3) = 0
        type(c_ptr) :: at_ids, at_ranks, at_pos
        integer(int64) :: n
        integer(c_int) :: status

        at_ids = c_null_ptr
        at_ranks = c_null_ptr
        at_pos = c_null_ptr
        status = neargrid_mpi_ghosts_view_f32(self%handle, n, at_ids, at_ranks, at_pos)
        if (status == 0) then
            if (n == 0) at_ids = c_loc(no_ids)
            if (n == 0) at_pos = c_loc(nowhere)
            call c_f_pointer(at_ids, ids, [n])
            call view(at_ranks, n, ranks)
            call c_f_pointer(at_pos, pos, [known(self%handle, neargrid_mpi_counter_dim), n])
        end if
        call report(self%handle, status, "ghosts", stat, errmsg)
    end subroutine ghosts_f32

    subroutine ghosts_f64(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real64), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        real(real64), target, save :: nowhere(3) = 0
        type(c_ptr) :: at_ids, at_ranks, at_pos
        integer(int64) :: n
        integer(c_int) :: status

        at_ids = c_null_ptr
        at_ranks = c_null_ptr
        at_pos = c_null_ptr
        status = neargrid_mpi_ghosts_view_f64(self%handle, n, at_ids, at_ranks, at_pos)
        if (status == 0) then
            if (n == 0) at_ids = c_loc(no_ids)
            if (n == 0) at_pos = c_loc(nowhere)
            call c_f_pointer(at_ids, ids, [n])
            call view(at_ranks, n, ranks)
            call c_f_pointer(at_pos, pos, [known(self%handle, neargrid_mpi_counter_dim), n])
        end if
        call report(self%handle, status, "ghosts", stat, errmsg)
    end subroutine ghosts_f64

    !> The k nearest of each of this rank's points over all ranks: `ids(k, n)` and
    !> `distances(k, n)`, nearest first, of equally near ones by global id. Numbers are those of this
    !> rank's points, and from size(pos, 2) + 1 on of the ghosts of this query (`knn_ghosts`). Missing
    !> ids are 0, infinitely far; `counts(n)` tells how many there are. `squared`: distances squared;
    !> `with_self`: a point is its own neighbor. Needs no cutoff. The pointers are good until the next
    !> query for k nearest, or until points or settings change.
    subroutine knn_f32(self, k, ids, distances, squared, with_self, counts, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real32), pointer, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_view(self%handle, k, ids, distances, squared, with_self, counts, stat, errmsg)
    end subroutine knn_f32

    subroutine knn_f64(self, k, ids, distances, squared, with_self, counts, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(c_int), intent(in) :: k
        integer(c_int), pointer, intent(inout) :: ids(:, :)
        real(real64), pointer, intent(inout) :: distances(:, :)
        logical, intent(in), optional :: squared, with_self
        integer(c_int), pointer, intent(inout), optional :: counts(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_view(self%handle, k, ids, distances, squared, with_self, counts, stat, errmsg)
    end subroutine knn_f64

    !> The ghosts of the last query for k nearest, as `ghosts` gives those of the plan.
    subroutine knn_ghosts_f32(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real32), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_ghosts_view(self%handle, ids, ranks, pos, stat, errmsg)
    end subroutine knn_ghosts_f32

    subroutine knn_ghosts_f64(self, ids, ranks, pos, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: ids(:)
        integer(c_int), pointer, intent(inout) :: ranks(:)
        real(real64), pointer, intent(inout) :: pos(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call knn_ghosts_view(self%handle, ids, ranks, pos, stat, errmsg)
    end subroutine knn_ghosts_f64

    !> The group of friends of friends of each of this rank's points, over all ranks: the smallest
    !> global id of its points. The cutoff is the linking length. `ngroups`, by keyword: groups over
    !> all ranks, points alone among them.
    subroutine fof(self, labels, errmsg, stat, ngroups)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), pointer, intent(inout) :: labels(:)
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), intent(out), optional :: stat
        integer(int64), intent(inout), optional :: ngroups

        call fof_view(self%handle, labels, ngroups, stat, errmsg)
    end subroutine fof

    !> The groups of at least `min_size` points over all ranks whose label is a point of this rank,
    !> with sums over their members on all ranks: exact, and rounded once. `masses(n)` are 1 where
    !> they are not given, `velocities(dim, n)` may be given with them; on all ranks, or on none.
    subroutine groups_alone(self, found, min_size, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_plain(self%handle, found, min_size, stat, errmsg)
    end subroutine groups_alone

    subroutine groups_f32(self, found, min_size, masses, velocities, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real32), intent(in), contiguous :: masses(:)
        real(real32), intent(in), contiguous, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_of(self%handle, found, min_size, masses, velocities, stat, errmsg)
    end subroutine groups_f32

    subroutine groups_f64(self, found, min_size, masses, velocities, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        type(neargrid_mpi_groups), intent(inout) :: found
        integer(c_int), intent(in) :: min_size
        real(real64), intent(in), contiguous :: masses(:)
        real(real64), intent(in), contiguous, optional :: velocities(:, :)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call groups_of(self%handle, found, min_size, masses, velocities, stat, errmsg)
    end subroutine groups_f64

    ! --- fields ---

    !> Sends what `field` has of this rank's points to their ghosts on other ranks, and receives
    !> that of its own ghosts: `field(.., n + nghosts)`, this rank's points first, of any shape
    !> before the last dimension. Collective, as all below.
    subroutine halo_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, exchange, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_f32

    subroutine halo_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, exchange, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_f64

    subroutine halo_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, exchange, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_i32

    subroutine halo_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, exchange, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_i64

    !> Begins a halo exchange; `field` may be used until `halo_finish`, but for no other call.
    subroutine halo_begin_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, begin, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_f32

    subroutine halo_begin_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, begin, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_f64

    subroutine halo_begin_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, begin, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_i32

    subroutine halo_begin_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(in), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, begin, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_begin_i64

    !> Waits for the halo exchange that was begun, and writes what came to the ghosts of `field`.
    subroutine halo_finish_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, finish, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_f32

    subroutine halo_finish_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, finish, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_f64

    subroutine halo_finish_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, finish, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_i32

    subroutine halo_finish_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, finish, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_finish_i64

    !> Adds what `field` has of ghosts to the points that they are of, rank after rank; the
    !> ghosts' part stays. Integers wrap around.
    subroutine halo_sum_f32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, sum_f32, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_f32

    subroutine halo_sum_f64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, sum_f64, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_f64

    subroutine halo_sum_i32(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int32), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, sum_i32, at, 4, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_i32

    subroutine halo_sum_i64(self, field, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer(int64), intent(inout), target, contiguous :: field(..)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at

        at = c_null_ptr
        if (size(field, kind=int64) > 0) at = c_loc(field)
        call travel(self%handle, sum_i64, at, 8, extent(shape(field, int64)), stat, errmsg)
    end subroutine halo_sum_i64

    ! --- migration; collective ---

    !> Plans where the points `pos(dim, n)` go so that each rank has as many, up to one, near each
    !> other in space: along Hilbert's curve, and at the same place of it by global id. So the result
    !> does not depend on how points were spread before; without ids it does. `n_after`: how many
    !> this rank will have. Nothing moves yet, and the points of the search stay what they are.
    subroutine plan_migration_f32(self, pos, ids, n_after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real32), intent(in), target, contiguous :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(int64), intent(inout) :: n_after
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(self%handle, shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_migration_plan_f32(self%handle, size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), 4*size(pos, 1, int64), &
            address_of_ids(self%handle, ids, size(pos, 2, int64)), n_after)
        call report(self%handle, status, "plan_migration", stat, errmsg)
    end subroutine plan_migration_f32

    subroutine plan_migration_f64(self, pos, ids, n_after, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        real(real64), intent(in), target, contiguous :: pos(:, :)
        integer(int64), intent(in), target, contiguous, optional :: ids(:)
        integer(int64), intent(inout) :: n_after
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at(3)
        integer(c_int) :: status

        call must_be_columns(self%handle, shape(pos, int64))
        at = addresses_of(pos)
        status = neargrid_mpi_migration_plan_f64(self%handle, size(pos, 1, c_int), &
            size(pos, 2, int64), at(1), at(2), at(3), 8*size(pos, 1, int64), &
            address_of_ids(self%handle, ids, size(pos, 2, int64)), n_after)
        call report(self%handle, status, "plan_migration", stat, errmsg)
    end subroutine plan_migration_f64

    !> Moves a field of the points to where the plan has them go: `before(.., n)` of those planned
    !> for, `after(.., n_after)` of those that this rank then has, of the same shape before the last
    !> dimension. Positions, ids, whatever belongs to points: a call each.
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
        call move(self%handle, 4, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_f32

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
        call move(self%handle, 8, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_f64

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
        call move(self%handle, 4, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_i32

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
        call move(self%handle, 8, from, extent(shape(before, int64)), to, &
                  extent(shape(after, int64)), stat, errmsg)
    end subroutine migrate_i64

    !> A number about the search on this rank, one of `neargrid_mpi_counter_*`; 0 on failure. Not
    !> collective.
    function counter(self, which, stat, errmsg) result(value)
        class(neargrid_mpi_search), intent(in) :: self
        integer(c_int), intent(in) :: which
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64) :: value

        value = 0
        call report(self%handle, neargrid_mpi_search_counter(self%handle, which, value), &
                    "counter", stat, errmsg)
    end function counter

    ! Numbers of points in memory of the library; of none something to point at.
    subroutine view(at, n, numbers)
        type(c_ptr), intent(in) :: at
        integer(int64), intent(in) :: n
        integer(c_int), pointer, intent(inout) :: numbers(:)

        if (n == 0) then
            numbers => no_numbers(1:0)
        else
            call c_f_pointer(at, numbers, [n])
        end if
    end subroutine view

end module neargrid_mpi
