!> The API of module `neargrid`: every procedure, both kinds, every form of points and results.
program api
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use neargrid_c, only: neargrid_abi, neargrid_abi_version
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish, guard, plain_pairs, &
        rows_of, same, untouched
    implicit none (type, external)

    call library()
    call points_of_each_shape()
    call points_of_each_shape_f32()
    call structures()
    call results_of_each_form()
    call rows_of_each_form()
    call settings()
    call few_points()
    call life()
    call facts()
    call finish("api", 150)

contains

    subroutine library()
        character(len=:), allocatable :: version

        version = neargrid_version()
        call check(index(version, ".") > 0 .and. len(version) < 20, "version: " // version)
        call check(neargrid_abi_version() == neargrid_abi, "ABI version of the library")
        call check(neargrid_status_name(neargrid_status_ok) == "NEARGRID_STATUS_OK", "name of ok")
        call check(neargrid_status_name(neargrid_status_bad_cutoff) &
                   == "NEARGRID_STATUS_BAD_CUTOFF", "name of bad cutoff")
        call check(len(neargrid_status_name(12345_c_int)) > 0, "name of no status")
    end subroutine library

    !> Compares the pairs of the points that `search` has with what the plain loop found.
    subroutine expect(search, want_i, want_j, what)
        type(neargrid_search), intent(inout) :: search
        integer(c_int), intent(in) :: want_i(:), want_j(:)
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: view_i(:), view_j(:)

        call search%pairs(view_i, view_j)
        call check(same(view_i, want_i), what // ": pair_i")
        call check(same(view_j, want_j), what // ": pair_j")
    end subroutine expect

    subroutine points_of_each_shape()
        type(neargrid_search) :: search
        integer, parameter :: n = 150, m = 60, spare = 40
        real(real64), allocatable :: pos(:, :), more(:, :), x(:), y(:), z(:), before(:, :)
        integer(c_int), allocatable :: want_i(:), want_j(:)
        real(real64), parameter :: cutoff(3) = [0.01_real64, 0.08_real64, 0.2_real64]
        real(real64) :: hole
        integer :: dim
        integer(c_int) :: stat

        hole = -1
        hole = sqrt(hole)       ! NaN: were a spare point read, it would be refused
        call search%create(stat=stat)
        call check(stat == neargrid_status_ok, "create with stat")
        do dim = 1, 3
            call search%set_cutoff(cutoff(dim))
            allocate (pos(dim, n), source=cloud_f64(dim, n, 7*dim))
            call plain_pairs(pos, cutoff(dim), want_i, want_j)
            call check(size(want_i) > 100, "a cloud with pairs")
            allocate (before(dim, n), source=pos)
            call search%set_points(pos)
            call check(all(abs(pos - before) <= 0), "points are not changed")
            deallocate (before)
            call expect(search, want_i, want_j, "pos(dim, n)")

            allocate (more(dim, n + spare), source=hole)
            more(:, 1:n) = pos
            call search%set_points(more, n=int(n, c_int), stat=stat)
            call check(stat == neargrid_status_ok, "pos with n")
            call expect(search, want_i, want_j, "pos(dim, maxn), n")
            call search%set_points(more(:, 1:n))
            call expect(search, want_i, want_j, "pos(:, 1:n)")
            deallocate (more)
            allocate (more(dim + 2, n), source=hole)
            more(2:dim + 1, :) = pos
            call search%set_points(more(2:dim + 1, :))
            call expect(search, want_i, want_j, "pos(2:dim+1, :)")
            deallocate (more)

            allocate (x(dim*n + spare), source=hole)
            x(1:dim*n) = reshape(pos, [dim*n])
            call search%set_points(x, dim=int(dim, c_int), n=int(n, c_int))
            call expect(search, want_i, want_j, "x(dim*maxn), n")
            call search%set_points(x(1:dim*n), dim=int(dim, c_int))
            call expect(search, want_i, want_j, "x(dim*n)")
            call search%set_points(x(1:dim*m), dim=int(dim, c_int))
            call search%add_points(x(dim*m + 1:dim*n), dim=int(dim, c_int))
            call expect(search, want_i, want_j, "x(dim*n) in two parts")
            call search%update(x, dim=int(dim, c_int), n=int(n, c_int))
            call expect(search, want_i, want_j, "x(dim*maxn) as an update")
            deallocate (x)

            allocate (x(n + spare), y(n + spare), z(n + spare), source=hole)
            x(1:n) = pos(1, :)
            if (dim > 1) y(1:n) = pos(2, :)
            if (dim > 2) z(1:n) = pos(3, :)
            if (dim == 1) call search%set_points(x, dim=1_c_int, n=int(n, c_int))
            if (dim == 2) call search%set_points(x, y, n=int(n, c_int))
            if (dim == 3) call search%set_points(x, y, z, n=int(n, c_int))
            call expect(search, want_i, want_j, "x, y, z with n")
            if (dim == 1) call search%set_points(x(1:n), dim=1_c_int)
            if (dim == 2) call search%set_points(x(1:n), y(1:n))
            if (dim == 3) call search%set_points(x(1:n), y(1:n), z(1:n))
            call expect(search, want_i, want_j, "x, y, z")
            if (dim == 1) call search%set_points(x(n:1:-1), dim=1_c_int)
            if (dim == 2) call search%set_points(x(n:1:-1), y(n:1:-1))
            if (dim == 3) call search%set_points(x(n:1:-1), y(n:1:-1), z(n:1:-1))
            call plain_pairs(pos(:, n:1:-1), cutoff(dim), want_i, want_j)
            call expect(search, want_i, want_j, "x, y, z backwards")
            deallocate (pos, x, y, z)
        end do
        call search%destroy()
    end subroutine points_of_each_shape

    !> Components of an array of structures, which a compiler may pack or not.
    subroutine structures()
        type :: particle
            integer :: id
            real(real64) :: x, velocity, y, z
        end type particle
        integer, parameter :: n = 150
        type(neargrid_search) :: search
        type(particle) :: p(n)
        real(real64) :: pos(3, n)
        integer(c_int), allocatable :: want_i(:), want_j(:)

        pos = cloud_f64(3, n, 11)
        p%x = pos(1, :)
        p%y = pos(2, :)
        p%z = pos(3, :)
        call plain_pairs(pos, 0.2_real64, want_i, want_j)
        call search%create()
        call search%set_cutoff(0.2_real64)
        call search%set_points(p%x, p%y, p%z)
        call expect(search, want_i, want_j, "components as x, y, z")
        call search%set_points(p%x, pos(2, :), p%z)
        call expect(search, want_i, want_j, "components and rows as x, y, z")
        call plain_pairs(pos(:, 1:n:2), 0.2_real64, want_i, want_j)
        call search%set_points(p(1:n:2)%x, p(1:n:2)%y, p(1:n:2)%z)
        call expect(search, want_i, want_j, "every other structure")
    end subroutine structures

    subroutine points_of_each_shape_f32()
        type(neargrid_search) :: search
        integer, parameter :: n = 150, maxn = 190
        real(real32), allocatable :: pos(:, :), more(:, :)
        integer(c_int), allocatable :: want_i(:), want_j(:)
        real(real32), parameter :: cutoff(3) = [0.01_real32, 0.08_real32, 0.2_real32]
        integer :: dim

        call search%create()
        do dim = 1, 3
            call search%set_cutoff(cutoff(dim))
            allocate (pos(dim, n), source=cloud_f32(dim, n, 11*dim))
            call plain_pairs(pos, cutoff(dim), want_i, want_j)
            call check(size(want_i) > 100, "a real32 cloud with pairs")
            call search%set_points(pos)
            call expect(search, want_i, want_j, "real32 pos(dim, n)")
            allocate (more(dim, maxn), source=0.5_real32)
            more(:, 1:n) = pos
            call search%set_points(more, n=int(n, c_int))
            call expect(search, want_i, want_j, "real32 pos(dim, maxn), n")
            deallocate (more)
            if (dim == 1) call search%set_points(pos(1, :), dim=1_c_int)
            if (dim == 2) call search%set_points(pos(1, :), pos(2, :))
            if (dim == 3) call search%set_points(pos(1, :), pos(2, :), pos(3, :))
            call expect(search, want_i, want_j, "real32 x, y, z")
            deallocate (pos)
        end do
        ! The cutoff as real64 is rounded to the kind of the points: 0.2 is 0.2 again.
        call search%set_cutoff(0.2_real64)
        call expect(search, want_i, want_j, "real64 cutoff, real32 points")
        call search%destroy()
    end subroutine points_of_each_shape_f32

    subroutine results_of_each_form()
        type(neargrid_search) :: search
        integer, parameter :: n = 200, spare = 9
        real(real64), parameter :: cutoff = 0.15_real64
        integer(c_int), allocatable :: want_i(:), want_j(:), fit_i(:), fit_j(:)
        integer(c_int), allocatable :: fill_i(:), fill_j(:)
        integer(c_int), pointer :: view_i(:), view_j(:)
        integer(c_int), pointer, contiguous :: packed_i(:), packed_j(:)
        integer(c_int) :: two(2, 1000)
        integer(int64) :: npairs
        integer(c_int) :: stat
        character(len=200) :: errmsg

        call plain_pairs(cloud_f64(3, n, 5), cutoff, want_i, want_j)
        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_points(cloud_f64(3, n, 5))
        npairs = guard
        errmsg = "as it was"
        stat = guard
        call search%count_pairs(npairs, stat, errmsg)
        call check(npairs == size(want_i) .and. stat == 0, "count_pairs")
        call check(errmsg == "as it was", "errmsg on success")

        call search%pairs(view_i, view_j, stat, errmsg)
        call check(stat == 0 .and. errmsg == "as it was", "stat of a view")
        call check(same(view_i, want_i) .and. same(view_j, want_j), "view")
        call check(lbound(view_i, 1) == 1, "a view starts at 1")
        call search%pairs(packed_i, packed_j)
        call check(same(packed_i, want_i) .and. same(packed_j, want_j), "contiguous view")

        call search%pairs(fit_i, fit_j)
        call check(same(fit_i, want_i) .and. same(fit_j, want_j), "allocatables")
        deallocate (fit_i, fit_j)
        allocate (fit_i(-3:2), fit_j(5))
        call search%pairs(fit_i, fit_j, stat, errmsg)
        call check(stat == 0, "stat of allocatables")
        call check(same(fit_i, want_i) .and. same(fit_j, want_j), "allocatables, again")
        call check(lbound(fit_i, 1) == 1, "allocatables start at 1")

        allocate (fill_i(size(want_i) + spare), fill_j(size(want_i) + spare), source=guard)
        npairs = guard
        call search%pairs(npairs, fill_i, fill_j, stat, errmsg)
        call check(stat == 0 .and. npairs == size(want_i), "npairs of arrays")
        call check(same(fill_i(1:npairs), want_i) .and. same(fill_j(1:npairs), want_j), "arrays")
        call check(untouched(fill_i(npairs + 1:)) .and. untouched(fill_j(npairs + 1:)), &
                   "arrays beyond npairs")
        fill_i = guard
        call search%pairs(npairs, fill_i(3:size(want_i) + 2), fill_j(3:size(want_i) + 2))
        call check(same(fill_i(3:size(want_i) + 2), want_i), "arrays that just fit")
        call check(untouched(fill_i(1:2)) .and. untouched(fill_i(size(want_i) + 3:)), &
                   "around arrays that just fit")
        call check(size(want_i) < size(two, 2), "room for this test")
        two = guard
        call search%pairs(npairs, two(1, :), two(2, :))
        call check(same(two(1, 1:npairs), want_i) .and. same(two(2, 1:npairs), want_j), &
                   "strided arrays")
        call check(untouched(two(1, npairs + 1:)), "strided arrays beyond npairs")
        call search%destroy()
    end subroutine results_of_each_form

    subroutine rows_of_each_form()
        type(neargrid_search) :: search
        integer, parameter :: n = 200, spare = 9
        real(real64), parameter :: cutoff = 0.15_real64
        integer(c_int), allocatable :: pair_i(:), pair_j(:), want(:), fit(:), fill(:)
        integer(int64), allocatable :: want_offsets(:), fit_offsets(:), fill_offsets(:)
        integer(int64), pointer :: view_offsets(:)
        integer(c_int), pointer :: view(:)
        integer(int64) :: total
        integer(c_int) :: kind, stat
        logical :: full
        integer :: round

        call plain_pairs(cloud_f64(3, n, 6), cutoff, pair_i, pair_j)
        call search%create()
        call search%set_cutoff(cutoff)
        call search%set_points(cloud_f64(3, n, 6))
        do round = 1, 4
            full = mod(round, 2) == 0
            call rows_of(n, pair_i, pair_j, full, want_offsets, want)
            kind = merge(neargrid_neighbors_full, neargrid_neighbors_half, full)
            call search%neighbors(view_offsets, view, kind=kind)
            call check(size(view_offsets) == n + 1, "size of offsets of a view")
            call check(all(view_offsets == want_offsets), "offsets of a view")
            call check(same(view, want), "ids of a view")
            call search%neighbors(fit_offsets, fit, kind=kind, stat=stat)
            call check(stat == 0 .and. size(fit_offsets) == n + 1, "size of offsets that fit")
            call check(all(fit_offsets == want_offsets), "offsets that fit")
            call check(same(fit, want), "ids that fit")
            total = guard
            call search%count_neighbors(total, kind=kind)
            call check(total == size(want), "count_neighbors")
            fill_offsets = spread(int(guard, int64), 1, n + 1 + spare)
            fill = spread(guard, 1, size(want) + spare)
            total = guard
            call search%neighbors(total, fill_offsets, fill, kind=kind, stat=stat)
            call check(stat == 0 .and. total == size(want), "total of arrays")
            call check(all(fill_offsets(1:n + 1) == want_offsets), "offsets in arrays")
            call check(all(fill_offsets(n + 2:) == guard), "beyond offsets in arrays")
            call check(same(fill(1:total), want), "ids in arrays")
            call check(untouched(fill(total + 1:)), "beyond ids in arrays")
        end do
        call rows_of(n, pair_i, pair_j, .true., want_offsets, want)
        call search%neighbors(fit_offsets, fit)
        call check(same(fit, want), "rows are full rows unless told")
        call search%count_neighbors(total)
        call check(total == size(want), "count_neighbors counts full rows unless told")
        call expect(search, pair_i, pair_j, "pairs after neighbors")
        call search%destroy()
    end subroutine rows_of_each_form

    subroutine settings()
        type(neargrid_search) :: search
        integer(c_int), allocatable :: want_i(:), want_j(:)
        integer(int64) :: value
        integer(c_int) :: threads

        call plain_pairs(cloud_f64(3, 300, 8), 0.1_real64, want_i, want_j)
        call search%create()
        call search%set_cutoff(0.1_real64)
        call search%set_points(cloud_f64(3, 300, 8))
        call search%set_backend(neargrid_backend_cpu)
        do threads = 0, 3
            call search%set_threads(threads)
            call expect(search, want_i, want_j, "pairs on some threads")
            call search%counter(neargrid_counter_backend, value)
            call check(value == neargrid_backend_cpu, "backend of the query")
        end do
        call search%set_backend(neargrid_backend_auto)
        call search%set_device_turn(3_c_int)
        call search%set_device(neargrid_device_auto)
        call search%set_memory_limit(0_int64)
        call search%trim()
        call search%set_tie_rule(neargrid_tie_exclusive)
        call expect(search, want_i, want_j, "pairs with all settings at their defaults")
        call search%destroy()
    end subroutine settings

    subroutine few_points()
        type(neargrid_search) :: search
        real(real64) :: nothing(3, 0), none(0), one(2, 1)
        real(real32) :: nothing_f32(2, 0)
        integer(c_int), pointer :: view_i(:), view_j(:), ids(:)
        integer(c_int), allocatable :: fit_i(:), fit_j(:)
        integer(int64), pointer :: offsets(:)
        integer(int64) :: npairs
        integer(c_int) :: empty(0)

        one = 0.5_real64
        call search%create()
        call search%set_cutoff(1.0_real32)
        call search%set_points(nothing)
        call search%count_pairs(npairs)
        call check(npairs == 0, "pairs of no points")
        nullify (view_i, view_j)
        call search%pairs(view_i, view_j)
        call check(associated(view_i) .and. associated(view_j), "views of no pairs are associated")
        call check(size(view_i) == 0 .and. size(view_j) == 0, "views of no pairs are empty")
        call search%pairs(fit_i, fit_j)
        call check(allocated(fit_i) .and. size(fit_i) == 0 .and. size(fit_j) == 0, "none to fit")
        npairs = guard
        call search%pairs(npairs, empty, empty)
        call check(npairs == 0, "no pairs into arrays of no size")
        call search%neighbors(offsets, ids)
        call check(size(offsets) == 1 .and. size(ids) == 0, "rows of no points")
        call check(offsets(1) == 1, "the first offset is 1")
        call search%set_points(none, dim=1_c_int)
        call search%set_points(none, none)
        call search%set_points(none, none, none, n=0_c_int)
        call search%set_points(nothing_f32)
        call search%count_pairs(npairs)
        call check(npairs == 0, "pairs of no points of rank 1")
        call search%set_points(one)
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_half)
        call check(size(offsets) == 2 .and. all(offsets == 1) .and. size(ids) == 0, "one point")
        call search%destroy()
    end subroutine few_points

    subroutine life()
        type(neargrid_search) :: search
        type(neargrid_search), allocatable :: several(:)
        integer(c_int), allocatable :: want_i(:), want_j(:)
        integer :: i
        integer(c_int) :: stat
        character(len=80) :: errmsg

        call plain_pairs(cloud_f64(2, 50, 3), 0.2_real64, want_i, want_j)
        call search%destroy()                   ! never created
        call search%create()
        call search%destroy()
        call search%destroy()                   ! twice
        call search%set_cutoff(1.0_real64, stat, errmsg)
        call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "destroyed")
        call search%create()
        call search%set_cutoff(5.0_real64)
        call search%create()                    ! on a live one: all over again
        call search%set_points(cloud_f64(2, 50, 3))
        call search%pairs(want_i, want_j, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "cutoff", "created anew")
        call search%set_cutoff(0.2_real64)
        call plain_pairs(cloud_f64(2, 50, 3), 0.2_real64, want_i, want_j)
        call expect(search, want_i, want_j, "after create, destroy, create, create")
        allocate (several(8))
        do i = 1, 8
            call several(i)%create()
            call several(i)%set_cutoff(0.2_real64)
            call several(i)%set_points(cloud_f64(2, 50, 3))
        end do
        do i = 8, 1, -1
            call expect(several(i), want_i, want_j, "one of several searches")
        end do
        deallocate (several)                    ! finalizes each: valgrind sees no leak
        call left_to_the_finalizer()
        call search%destroy()
    end subroutine life

    subroutine left_to_the_finalizer()
        type(neargrid_search) :: search
        integer(int64) :: npairs

        call search%create()
        call search%set_cutoff(0.5_real64)
        call search%set_points(cloud_f64(3, 100, 9))
        call search%count_pairs(npairs)
        call check(npairs > 0, "pairs of a search that is finalized")
    end subroutine left_to_the_finalizer

    subroutine facts()
        type(neargrid_search) :: search
        character(len=:), allocatable :: text
        integer(c_int), pointer :: view_i(:), view_j(:)
        integer(int64) :: npairs, value, builds
        integer(c_int) :: phase
        real(real64) :: seconds, total

        call search%create()
        call search%set_cutoff(0.2_real64)
        call search%set_points(cloud_f64(3, 500, 21))
        call search%count_pairs(npairs)
        call search%counter(neargrid_counter_index_builds, builds)
        call search%pairs(view_i, view_j)
        call search%counter(neargrid_counter_points, value)
        call check(value == 500, "counter: points")
        call search%counter(neargrid_counter_entries, value)
        call check(value == npairs .and. size(view_i) == npairs, "counter: entries")
        call search%counter(neargrid_counter_index_builds, value)
        call check(value == builds, "a list after its count builds no index")
        call search%counter(neargrid_counter_threads, value)
        call check(value >= 1, "counter: threads")
        call search%counter(neargrid_counter_cells, value)
        call check(value >= 1, "counter: cells")
        call search%counter(neargrid_counter_bytes_held, value)
        call check(value >= 500*3*8, "counter: bytes held")
        call search%counter(neargrid_counter_counts, value)
        call check(value >= 1, "counter: counts")
        call search%counter(neargrid_counter_fills, value)
        call check(value >= 1, "counter: fills")
        call search%timing(neargrid_phase_total, total)
        call check(total >= 0 .and. total < 3600, "time of all phases")
        do phase = neargrid_phase_upload, neargrid_phase_download
            seconds = -1
            call search%timing(phase, seconds)
            call check(seconds >= 0 .and. seconds <= total, "time of a phase")
        end do
        call search%info(text)
        call check(len(text) > 10, "info: " // text)
        call check(index(text, achar(0)) == 0, "info without a final NUL")
        call search%info(text)
        call check(len_trim(text) == len(text), "info twice")
        call search%destroy()
    end subroutine facts

end program api
