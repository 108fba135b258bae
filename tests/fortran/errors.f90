!> Failures, from Fortran: the status, a text that names the argument and its value,
!> outputs as they were, and a search that works afterwards.
program errors
    use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use cellList_m, only: cellList, cellList_compact
    use neargrid
    use neargrid_c, only: neargrid_celllist_release
    use support, only: check, check_failure, cloud_f64, finish, guard, plain_pairs, same, untouched
    implicit none (type, external)
    integer, parameter :: n = 60
    real(real64), parameter :: cutoff = 0.3_real64
    real(real64) :: x(3, n), nan, inf
    integer(c_int), allocatable :: want_i(:), want_j(:)
    type(neargrid_search) :: search
    integer(c_int) :: stat
    character(len=300) :: errmsg

    nan = ieee_value(nan, ieee_quiet_nan)
    inf = ieee_value(inf, ieee_positive_inf)
    x = cloud_f64(3, n, 77)
    call plain_pairs(x, cutoff, want_i, want_j)

    call search%create()
    call bad_order()
    call search%set_cutoff(cutoff)
    call search%set_points(x)
    call bad_cutoffs()
    call bad_settings()
    call bad_points()
    call bad_sizes()
    call bad_queries()
    call search%destroy()
    call never_created()

    call dropin_errors()
    call dropin_capacity()
    call dropin_allocatables()
    call dropin_compact()
    call neargrid_celllist_release()
    deallocate (want_i, want_j)     ! a main program frees nothing by itself
    call finish("errors", 250)

contains

    !> The failure just seen, and that the search has all it had.
    subroutine failed(wanted, words, what)
        integer(c_int), intent(in) :: wanted
        character(len=*), intent(in) :: words, what
        integer(c_int), pointer :: pair_i(:), pair_j(:)

        call check_failure(stat, wanted, errmsg, words, what)
        call search%pairs(pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), what // ": pairs afterwards")
        stat = guard
        errmsg = ""
    end subroutine failed

    subroutine bad_order()
        integer(int64) :: npairs

        npairs = guard
        call search%count_pairs(npairs, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "set", "nothing set")
        call search%set_cutoff(cutoff)
        call search%count_pairs(npairs, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "points", "no points")
        call search%create()
        call search%set_points(x)
        call search%count_pairs(npairs, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "cutoff", "no cutoff")
        call check(npairs == guard, "npairs after a failure")
    end subroutine bad_order

    subroutine bad_cutoffs()
        real(real64) :: values(5)
        character(len=8) :: words(5)
        integer :: i

        values = [0.0_real64, -1.5_real64, nan, inf, -inf]
        words = [character(len=8) :: "0", "-1.5", "NaN", "inf", "-inf"]
        do i = 1, size(values)
            call search%set_cutoff(values(i), stat, errmsg)
            call failed(neargrid_status_bad_cutoff, "cutoff|" // trim(words(i)), "a cutoff")
        end do
        call search%set_cutoff(-2.0_real32, stat, errmsg)
        call failed(neargrid_status_bad_cutoff, "cutoff|-2", "a real32 cutoff")
        call bad_square(1.0e-160_real64, .false., "real64")
        call bad_square(1.0e160_real64, .false., "real64")
        call bad_square(1.0e-30_real64, .true., "real32")
        call bad_square(1.0e30_real64, .true., "real32")
    end subroutine bad_cutoffs

    !> A cutoff whose square leaves the range of the points' kind, which the query knows.
    subroutine bad_square(value, single, words)
        real(real64), intent(in) :: value
        logical, intent(in) :: single
        character(len=*), intent(in) :: words
        integer(int64) :: npairs

        npairs = guard
        if (single) call search%set_points(real(x, real32))
        call search%set_cutoff(value, stat, errmsg)
        if (stat == neargrid_status_ok) call search%count_pairs(npairs, stat, errmsg)
        call search%set_cutoff(cutoff)
        call search%set_points(x)
        call failed(neargrid_status_bad_cutoff, "cutoff|" // words, "a square of a cutoff")
        call check(npairs == guard, "npairs of such a cutoff")
    end subroutine bad_square

    subroutine bad_settings()
        call search%set_tie_rule(7_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "rule|7", "a tie rule")
        call search%set_tie_rule(-1_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "rule|-1", "a negative tie rule")
        call search%set_threads(-3_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "threads|-3", "negative threads")
        call search%set_threads(100000_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "threads|100000", "too many threads")
        call search%set_backend(9_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "backend|9", "a backend")
        call search%set_device(-5_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "number|-5", "a device")
        call search%set_device_turn(-1_c_int, stat, errmsg)
        call failed(neargrid_status_bad_value, "number|-1", "a turn")
    end subroutine bad_settings

    subroutine bad_points()
        real(real64) :: bad(3, n), wide(4, n), none(0, n)
        real(real32) :: bad_f32(2, n)
        integer :: axis
        character(len=*), parameter :: name = "xyz"

        do axis = 1, 3
            bad = x
            bad(axis, 17) = nan
            call search%set_points(bad, stat=stat, errmsg=errmsg)
            call failed(neargrid_status_non_finite, name(axis:axis) // "|17|NaN", "a NaN")
        end do
        bad = x
        bad(2, n) = -inf
        call search%set_points(bad(1, :), bad(2, :), bad(3, :), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_non_finite, "y|60|-inf", "an infinity")
        call search%set_points(bad, n=int(n - 1, c_int), stat=stat, errmsg=errmsg)
        call check(stat == 0, "what is beyond n is not read")
        call search%set_points(x)
        bad_f32 = real(x(1:2, :), real32)
        bad_f32(1, 1) = real(inf, real32)
        call search%set_points(bad_f32, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_non_finite, "x|1|inf", "a real32 infinity")

        wide = 0
        call search%set_points(wide, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "dim|4", "four dimensions")
        call search%set_points(none, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "dim|0", "no dimension")
        call search%set_points(x, n=-5_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "n|-5", "a negative n")
        call search%set_points(x(1, :), x(2, :), n=-6_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "n|-6", "a negative n of x, y")
    end subroutine bad_points

    !> Points in an array of another shape than `pos(dim, n)`.
    subroutine bad_shapes()
        real(real64) :: flat(3*n), columns(n, 3), pair(n, 2)

        flat = 0
        columns = transpose(x)
        pair = columns(:, 1:2)
        call search%set_points(columns, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "size(pos, 1) = 60|transpose(pos)|columns", "pos(n, 3)")
        call search%set_points(columns, n=int(n, c_int), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "size(pos, 1) = 60|transpose(pos)", "pos(n, 3) with n")
        call search%add_points(real(pair, real32), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "size(pos, 1) = 60|transpose(pos)", "real32 pos(n, 2)")
        call search%update(columns(:, 1:1), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "size(pos, 1) = 60|transpose(pos)", "pos(n, 1)")
        ! The advice of the text is right: the failures that follow look at the pairs.
        call search%set_points(columns(:, 1), columns(:, 2), columns(:, 3))
        call search%set_points(flat(2:), dim=3_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(x) = 179|multiple of dim = 3", "x(3*n - 1)")
        call search%set_points(transpose(columns))
        call search%set_points(flat, dim=3_c_int, n=int(n + 1, c_int), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(x) = 180|dim*n = 183", "n beyond x(3*n)")
        call search%set_points(flat, dim=4_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "dim = 4", "x of 4 dimensions")
        call search%set_points(flat, dim=0_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_dim, "dim = 0", "x of no dimension")
        call search%set_points(flat, dim=3_c_int, n=-2_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "n = -2", "a negative n of x(3*n)")
    end subroutine bad_shapes

    !> Sizes that do not fit each other: seen by the Fortran layer.
    subroutine bad_sizes()
        integer(c_int) :: pair_i(7), pair_j(8), types(n)
        integer(c_int), allocatable :: ids(:)
        integer(int64) :: npairs, offsets(n)

        call search%set_points(x, n=int(n + 1, c_int), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(pos, 2) = 60|n = 61", "n beyond pos")
        call search%set_points(x(1, :), x(2, 1:50), x(3, :), stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(y) = 50|size(x) = 60", "a shorter y")
        call search%set_points(x(1, :), x(2, :), x(3, 1:50), n=51_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(z) = 50|n = 51", "n beyond z")
        call search%set_points(x(1, 1:0), dim=1_c_int, n=1_c_int, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(x) = 0|dim*n = 1", "n beyond no x")
        call bad_shapes()

        pair_i = guard
        pair_j = guard
        npairs = guard
        call search%pairs(npairs, pair_i, pair_j, stat, errmsg)
        call failed(neargrid_status_bad_count, "size(pair_j) = 8|size(pair_i) = 7", "pair arrays")
        call check(npairs == guard .and. untouched(pair_i) .and. untouched(pair_j), &
                   "pair arrays of two sizes are untouched")
        offsets = guard
        allocate (ids(n*n), source=guard)
        call search%neighbors(npairs, offsets, ids, stat=stat, errmsg=errmsg)
        call failed(neargrid_status_bad_count, "size(offsets) = 60|n + 1 = 61", "offsets")
        call check(npairs == guard .and. all(offsets == guard) .and. untouched(ids), &
                   "offsets too short are untouched")

        types = 1
        call search%set_box(x(:, 1), x(1:2, 1), [.true., .true., .true.], stat, errmsg)
        call failed(neargrid_status_bad_count, "size(length) = 2|size(lo) = 3", "length of a box")
        call search%set_box(x(:, 1), x(:, 1), [.true., .true.], stat, errmsg)
        call failed(neargrid_status_bad_count, "size(periodic) = 2", "axes of a box")
        call search%set_types(types, reshape([.true., .true.], [1, 2]), stat, errmsg)
        call failed(neargrid_status_bad_count, "size(mask, 2) = 2", "mask of types")
    end subroutine bad_sizes

    subroutine bad_queries()
        integer(c_int), allocatable :: pair_i(:), pair_j(:)
        integer(int64) :: npairs, value, offsets(n + 1), builds, builds_before
        real(real64) :: seconds
        integer :: short

        call search%counter(neargrid_counter_index_builds, builds_before)
        do short = 1, size(want_i), size(want_i)/3
            pair_i = spread(guard, 1, size(want_i) - short)
            pair_j = pair_i
            npairs = guard
            call search%pairs(npairs, pair_i, pair_j, stat, errmsg)
            call check(npairs == size(want_i), "the need of a capacity too small")
            call check(untouched(pair_i) .and. untouched(pair_j), "arrays too small are untouched")
            call failed(neargrid_status_capacity, "capacity", "pairs of a capacity too small")
            offsets = guard
            npairs = guard
            call search%neighbors(npairs, offsets, pair_i, kind=neargrid_neighbors_half, stat=stat, errmsg=errmsg)
            call check(npairs == size(want_i), "the need of rows")
            call check(untouched(pair_i) .and. all(offsets == guard), "rows are untouched")
            call failed(neargrid_status_capacity, "capacity", "rows of a capacity too small")
        end do
        pair_i = spread(guard, 1, size(want_i))
        pair_j = pair_i
        call search%pairs(npairs, pair_i, pair_j)
        call check(same(pair_i, want_i) .and. same(pair_j, want_j), "pairs at the second try")
        call search%counter(neargrid_counter_index_builds, builds)
        call check(builds == builds_before, "a second try builds no index")

        value = guard
        call search%counter(99_c_int, value, stat, errmsg)
        call check(value == guard, "value of no counter")
        call failed(neargrid_status_bad_value, "counter|99", "no such counter")
        seconds = 5
        call search%timing(-1_c_int, seconds, stat, errmsg)
        call check(abs(seconds - 5) <= 0, "seconds of no phase")
        call failed(neargrid_status_bad_value, "phase|-1", "no such phase")
    end subroutine bad_queries

    !> Every procedure of a search without create: refused, and nothing is written.
    subroutine never_created()
        type(neargrid_search) :: nobody
        integer(c_int), pointer :: view_i(:), view_j(:)
        integer(c_int), allocatable :: fit_i(:), fit_j(:)
        integer(int64), allocatable :: fit_offsets(:)
        integer(int64), pointer :: view_offsets(:)
        integer(c_int) :: fill(3)
        integer(int64) :: value, offsets(4)
        character(len=:), allocatable :: text
        real(real64) :: seconds
        character(len=5) :: short

        nullify (view_i, view_j, view_offsets)
        fill = guard
        offsets = guard
        value = guard
        seconds = 5
        call nobody%set_cutoff(1.0_real64, stat, errmsg)
        call refused("set_cutoff")
        call nobody%set_tie_rule(neargrid_tie_inclusive, stat, errmsg)
        call refused("set_tie_rule")
        call nobody%set_threads(1_c_int, stat, errmsg)
        call refused("set_threads")
        call nobody%set_backend(neargrid_backend_cpu, stat, errmsg)
        call refused("set_backend")
        call nobody%set_device(0_c_int, stat, errmsg)
        call refused("set_device")
        call nobody%set_device_turn(0_c_int, stat, errmsg)
        call refused("set_device_turn")
        call nobody%set_memory_limit(0_int64, stat, errmsg)
        call refused("set_memory_limit")
        call nobody%set_points(x, stat=stat, errmsg=errmsg)
        call refused("set_points")
        call nobody%set_points(real(x, real32), stat=stat, errmsg=errmsg)
        call refused("set_points, real32")
        call nobody%count_pairs(value, stat, errmsg)
        call refused("count_pairs")
        call nobody%pairs(view_i, view_j, stat, errmsg)
        call refused("pairs, view")
        call nobody%pairs(fit_i, fit_j, stat, errmsg)
        call refused("pairs, allocatables")
        call nobody%pairs(value, fill, fill, stat, errmsg)
        call refused("pairs, arrays")
        call nobody%count_neighbors(value, stat=stat, errmsg=errmsg)
        call refused("count_neighbors")
        call nobody%neighbors(view_offsets, view_i, kind=neargrid_neighbors_half, stat=stat, errmsg=errmsg)
        call refused("neighbors, view")
        call nobody%neighbors(fit_offsets, fit_i, kind=neargrid_neighbors_half, stat=stat, errmsg=errmsg)
        call refused("neighbors, allocatables")
        call nobody%neighbors(value, offsets, fill, kind=neargrid_neighbors_half, stat=stat, errmsg=errmsg)
        call refused("neighbors, arrays")
        call nobody%info(text, stat, errmsg)
        call refused("info")
        call nobody%counter(neargrid_counter_points, value, stat, errmsg)
        call refused("counter")
        call nobody%timing(neargrid_phase_total, seconds, stat, errmsg)
        call refused("timing")
        call check(.not. (associated(view_i) .or. associated(view_j) .or. &
                          associated(view_offsets)), "pointers after failures")
        call check(.not. (allocated(fit_i) .or. allocated(fit_j) .or. allocated(fit_offsets) &
                          .or. allocated(text)), "allocatables after failures")
        call check(value == guard .and. untouched(fill) .and. all(offsets == guard), &
                   "values after failures")
        call nobody%count_pairs(value, stat)
        call check(stat == neargrid_status_null_pointer, "stat without errmsg")
        call nobody%count_pairs(value, stat, errmsg)
        call nobody%count_pairs(value, stat, short)
        call check(short == errmsg(1:5) .and. len_trim(short) > 0, "a text cut to a short errmsg")
    end subroutine never_created

    subroutine refused(what)
        character(len=*), intent(in) :: what

        call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", what)
        stat = guard
        errmsg = ""
    end subroutine refused

    ! --- the drop-in ---

    !> One call that must fail, through both kinds and both ranks, and leave its outputs alone.
    subroutine refuse(dim, npoints, values, c, wanted, words, what)
        integer, intent(in) :: dim, npoints
        real(real64), intent(in) :: values(:, :), c
        integer(c_int), intent(in) :: wanted
        character(len=*), intent(in) :: words, what
        integer :: npairs, pair_i(9), pair_j(9), maxnpair

        npairs = guard
        pair_i = guard
        pair_j = guard
        maxnpair = 9
        call cellList(dim, npoints, 1, values, c, maxnpair, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, wanted, errmsg, words, what // ", real64, rank 2")
        call cellList(dim, npoints, 1, [values], c, maxnpair, npairs, pair_i, pair_j, &
                      stat=stat, errmsg=errmsg)
        call check_failure(stat, wanted, errmsg, words, what // ", real64, rank 1")
        call cellList(dim, npoints, 1, real(values, real32), real(c, real32), maxnpair, npairs, &
                      pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, wanted, errmsg, words, what // ", real32, rank 2")
        call cellList(dim, npoints, 1, [real(values, real32)], real(c, real32), maxnpair, npairs, &
                      pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, wanted, errmsg, words, what // ", real32, rank 1")
        call check(npairs == guard .and. untouched(pair_i) .and. untouched(pair_j), &
                   what // ": outputs of a failure")
        call cellList(dim, npoints, 1, values, c, maxnpair, npairs, pair_i, pair_j, stat=stat)
        call check(stat == wanted, what // ": stat without errmsg")
    end subroutine refuse

    subroutine dropin_errors()
        real(real64) :: bad(3, n), wide(4, n)
        integer :: pair_i(2), pair_j(2), npairs

        wide = 0
        call refuse(4, n, wide, cutoff, neargrid_status_bad_dim, "dim|4", "four dimensions")
        call refuse(0, n, x, cutoff, neargrid_status_bad_dim, "dim|0", "no dimension")
        call refuse(-2, n, x, cutoff, neargrid_status_bad_dim, "dim|-2", "negative dimension")
        call refuse(3, -4, x, cutoff, neargrid_status_bad_count, "npoints|-4", "negative npoints")
        call refuse(3, n, x, 0.0_real64, neargrid_status_bad_cutoff, "cutoff|0", "no cutoff")
        call refuse(3, n, x, -0.5_real64, neargrid_status_bad_cutoff, "cutoff|-0.5", "negative")
        call refuse(3, n, x, nan, neargrid_status_bad_cutoff, "cutoff|NaN", "cutoff NaN")
        call refuse(3, n, x, inf, neargrid_status_bad_cutoff, "cutoff|inf", "cutoff infinite")
        bad = x
        bad(3, 23) = nan
        call refuse(3, n, bad, cutoff, neargrid_status_non_finite, "z|23|NaN", "a NaN")
        bad = x
        bad(1, 1) = inf
        call refuse(3, n, bad, cutoff, neargrid_status_non_finite, "x|1|inf", "an infinity")

        npairs = guard
        pair_i = guard
        pair_j = guard
        call cellList(3, n, 1, x, cutoff, -1, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "maxnpair|-1", "maxnpair")
        call check(npairs == guard .and. untouched(pair_i) .and. untouched(pair_j), &
                   "outputs of a negative maxnpair")
    end subroutine dropin_errors

    subroutine dropin_capacity()
        integer, allocatable :: pair_i(:), pair_j(:)
        integer :: npairs, maxnpair, try

        do try = 0, 2
            maxnpair = try*(size(want_i) - 1)/2
            pair_i = spread(guard, 1, size(want_i))
            pair_j = pair_i
            npairs = guard
            call cellList(3, n, 1, x, cutoff, maxnpair, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
            call check_failure(stat, neargrid_status_capacity, errmsg, "maxnpair", "capacity")
            call check(npairs == size(want_i), "the need of the drop-in")
            call check(untouched(pair_i) .and. untouched(pair_j), "a list too small is untouched")
        end do
        maxnpair = npairs
        call cellList(3, n, 1, x, cutoff, maxnpair, npairs, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. same(pair_i, want_i) .and. same(pair_j, want_j), &
                   "the list after a capacity too small")
    end subroutine dropin_capacity

    subroutine dropin_allocatables()
        integer, allocatable :: pair_i(:), pair_j(:)
        real(real64) :: bad(3, n)

        call cellList(3, -1, x, cutoff, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "npoints|-1", "to fit")
        call check(.not. (allocated(pair_i) .or. allocated(pair_j)), "unallocated stays so")
        allocate (pair_i(-2:4), pair_j(3), source=guard)
        bad = x
        bad(2, 4) = nan
        call cellList(3, n, bad, cutoff, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_non_finite, errmsg, "y|4|NaN", "a NaN, to fit")
        call cellList(3, n, [bad], cutoff, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_non_finite, errmsg, "y|4|NaN", "rank 1, to fit")
        call cellList(3, n, real(x, real32), -1.0_real32, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "cutoff|-1", "real32, to fit")
        call cellList(3, n, [real(x, real32)], -1.0_real32, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "cutoff|-1", "rank 1, to fit")
        call check(size(pair_i) == 7 .and. lbound(pair_i, 1) == -2 .and. size(pair_j) == 3, &
                   "sizes of allocatables after a failure")
        call check(untouched(pair_i) .and. untouched(pair_j), "allocatables after a failure")
        call cellList(3, n, x, cutoff, pair_i, pair_j, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. same(pair_i, want_i), "allocatables after all")
    end subroutine dropin_allocatables

    subroutine dropin_compact()
        integer, allocatable :: endpos(:), pair_j(:)
        integer :: npairs

        allocate (endpos(n), pair_j(size(want_j)), source=guard)
        npairs = guard
        call cellList_compact(3, n, x, nan, size(want_j), npairs, endpos, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "cutoff|NaN", "folded")
        call cellList_compact(3, n, [x], -cutoff, size(want_j), npairs, endpos, pair_j, &
                              stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "cutoff|-0.3", "rank 1")
        call cellList_compact(3, n, real(x, real32), -1.0_real32, size(want_j), npairs, endpos, &
                              pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "cutoff|-1", "real32")
        call cellList_compact(3, n, [real(x, real32)], -1.0_real32, size(want_j), npairs, endpos, &
                              pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "cutoff|-1", "real32, rank 1")
        call cellList_compact(3, n, x, cutoff, -7, npairs, endpos, pair_j, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "maxnpair|-7", "folded")
        call check(npairs == guard .and. untouched(endpos) .and. untouched(pair_j), &
                   "folded: outputs of a failure")
        call cellList_compact(3, n, x, cutoff, size(want_j) - 1, npairs, endpos, pair_j, &
                              stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, "maxnpair", "folded")
        call check(npairs == size(want_j), "folded: the need")
        call check(untouched(endpos) .and. untouched(pair_j), "folded: untouched")
        call cellList_compact(3, n, x, cutoff, size(pair_j), npairs, endpos, pair_j, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. same(pair_j, want_j) .and. endpos(n) == size(want_j), &
                   "folded: the list after all")
    end subroutine dropin_compact

end program errors
