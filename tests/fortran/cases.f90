!> Checks the Fortran API and the drop-ins against a file of cases, bit for bit.
!>
!> The file, in native byte order and without padding: int64 ncases; then per case int32 dim,
!> int32 kind (4 or 8 bytes a real), int32 rule (0 inclusive, 1 exclusive), int64 n,
!> real64 cutoff, int32 periodic(3), real64 lo(3), real64 length(3), int64 n_active (-1 for all),
!> int32 ntypes (0 for none), with types int32 types(n) from 0 on and int32 mask(ntypes, ntypes),
!> n*dim reals of that kind, point after point, int64 npairs, int32 pair_i(npairs),
!> int32 pair_j(npairs), both from 0.
program cases
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, output_unit, real32, real64
    use cellList_m, only: cellList, cellList_compact
    use neargrid, only: neargrid_search, neargrid_neighbors_queries, neargrid_neighbors_full, &
        neargrid_neighbors_half
    use neargrid_c, only: neargrid_celllist_release
    use support, only: rows_of, same
    implicit none (type, external)
    type(neargrid_search) :: search
    character(len=1000) :: path
    integer :: unit, ios
    integer(int64) :: ncases, number
    ! the case in hand
    integer(int32) :: dim, kind_of_reals, rule
    integer(int64) :: n, npairs
    real(real64) :: cutoff, lo(3), length(3)
    integer(int32) :: periodic(3), ntypes
    integer(int64) :: n_active
    integer(int32), allocatable :: types(:), mask(:, :)
    real(real64), allocatable :: pos(:, :)
    real(real32), allocatable :: pos_f32(:, :)
    integer(int32), allocatable :: want_i(:), want_j(:)
    integer :: wrong = 0, comparisons = 0, seen(2, 0:1) = 0, others = 0
    logical :: is_plain

    call get_command_argument(1, path)
    open (newunit=unit, file=trim(path), access="stream", form="unformatted", action="read", &
          status="old")
    read (unit) ncases
    call search%create()
    do number = 1, ncases
        read (unit) dim, kind_of_reals, rule, n, cutoff, periodic, lo, length, n_active, ntypes
        allocate (types(merge(n, 0_int64, ntypes > 0)), mask(ntypes, ntypes))
        read (unit) types, mask
        if (kind_of_reals == 4) then
            allocate (pos_f32(dim, n))
            read (unit) pos_f32
        else
            allocate (pos(dim, n))
            read (unit) pos
        end if
        read (unit) npairs
        allocate (want_i(npairs), want_j(npairs))
        read (unit) want_i, want_j
        want_i = want_i + 1
        want_j = want_j + 1
        seen(kind_of_reals/4, rule) = seen(kind_of_reals/4, rule) + 1
        is_plain = all(periodic == 0) .and. n_active < 0 .and. ntypes == 0
        if (.not. is_plain) others = others + 1

        call search%set_tie_rule(rule)
        call search%set_cutoff(cutoff)
        call search%set_box(lo(:dim), length(:dim), periodic(:dim) /= 0)
        call search%set_active(int(n_active, c_int))
        call search%set_types(types + 1, mask /= 0)
        call handle()
        if (is_plain .and. rule == 0 .and. kind_of_reals == 4) call dropin_f32(real(cutoff, real32))
        if (is_plain .and. rule == 0 .and. kind_of_reals == 8) call dropin_f64()
        if (allocated(pos)) deallocate (pos)
        if (allocated(pos_f32)) deallocate (pos_f32)
        deallocate (want_i, want_j, types, mask)
    end do
    read (unit, iostat=ios) dim
    if (ios == 0) error stop "the file goes on after its last case"
    close (unit)
    call search%destroy()
    call neargrid_celllist_release()
    if (wrong > 0) error stop "cases: wrong results"
    if (any(seen == 0) .or. others == 0) error stop "cases: something was not in the file"
    write (output_unit, "(a, i0, a, i0, a)") "cases: ", ncases, " cases, ", comparisons, &
        " comparisons passed"

contains

    subroutine verdict(ok, what)
        logical, intent(in) :: ok
        character(len=*), intent(in) :: what

        comparisons = comparisons + 1
        if (ok) return
        wrong = wrong + 1
        write (error_unit, "(a, i0, 2a, 4(a, i0), a, es24.16, a, i0)") "FAILED: case ", number, &
            ", ", what, ": dim ", dim, ", real", 8*kind_of_reals, ", rule ", rule, ", n ", n, &
            ", cutoff ", cutoff, ", npairs ", npairs
    end subroutine verdict

    subroutine handle()
        integer(c_int), pointer :: view_i(:), view_j(:)
        integer(c_int), allocatable :: fit_i(:), fit_j(:)

        if (kind_of_reals == 4) call search%set_points(pos_f32)
        if (kind_of_reals == 8) call search%set_points(pos)
        call search%pairs(fit_i, fit_j)
        call verdict(same(fit_i, want_i) .and. same(fit_j, want_j), "pairs that fit")
        call rows(.false.)
        call rows(.true.)
        if (kind_of_reals == 4) call axes_f32()
        if (kind_of_reals == 8) call axes_f64()
        call search%pairs(view_i, view_j)
        call verdict(same(view_i, want_i) .and. same(view_j, want_j), "view of x, y, z")
        if (n_active < 0 .and. ntypes == 0) call points_as_queries()
    end subroutine handle

    subroutine axes_f32()
        if (dim == 1) call search%set_points(pos_f32(1, :), dim=1_c_int)
        if (dim == 2) call search%set_points(pos_f32(1, :), pos_f32(2, :))
        if (dim == 3) call search%set_points(pos_f32(1, :), pos_f32(2, :), pos_f32(3, :))
    end subroutine axes_f32

    subroutine axes_f64()
        if (dim == 1) call search%set_points(pos(1, :), dim=1_c_int)
        if (dim == 2) call search%set_points(pos(1, :), pos(2, :))
        if (dim == 3) call search%set_points(pos(1, :), pos(2, :), pos(3, :))
    end subroutine axes_f64

    subroutine rows(full)
        logical, intent(in) :: full
        integer(int64), allocatable :: offsets(:), want_offsets(:)
        integer(c_int), allocatable :: ids(:), want(:)

        call rows_of(int(n), want_i, want_j, full, want_offsets, want)
        call search%neighbors(offsets, ids, kind=merge(neargrid_neighbors_full, neargrid_neighbors_half, full))
        call verdict(size(offsets) == n + 1, "size of offsets")
        if (size(offsets) == n + 1) call verdict(all(offsets == want_offsets), "offsets")
        call verdict(same(ids, want), "ids of the rows")
    end subroutine rows

    !> Each point finds its neighbors and itself.
    subroutine points_as_queries()
        integer(int64), allocatable :: offsets(:), full_offsets(:)
        integer(c_int), allocatable :: ids(:), full(:)
        integer :: q
        logical :: ok

        if (kind_of_reals == 4) call search%set_queries(pos_f32)
        if (kind_of_reals == 8) call search%set_queries(pos)
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
        call rows_of(int(n), want_i, want_j, .true., full_offsets, full)
        ok = size(offsets) == n + 1 .and. size(ids) == size(full) + n
        do q = 1, int(n)
            if (.not. ok) exit
            associate (row => ids(offsets(q):offsets(q + 1) - 1))
                ok = same(pack(row, row /= q), full(full_offsets(q):full_offsets(q + 1) - 1)) &
                    .and. all(row(2:) > row(:size(row) - 1))
            end associate
        end do
        call verdict(ok, "rows of queries")
    end subroutine points_as_queries

    subroutine dropin_f64()
        integer, allocatable :: pair_i(:), pair_j(:), endpos(:)
        integer :: length, stat

        call cellList(dim, int(n), pos, cutoff, pair_i, pair_j)
        call verdict(same(pair_i, want_i) .and. same(pair_j, want_j), "cellList that fits")
        length = -1
        call cellList(dim, int(n), 27, pos, cutoff, size(pair_i), length, pair_i, pair_j)
        call lists(length, pair_i, pair_j, "cellList, rank 2")
        call cellList(dim, int(n), 27, [pos], cutoff, size(pair_i), length, pair_i, pair_j)
        call lists(length, pair_i, pair_j, "cellList, rank 1")
        allocate (endpos(n))
        pair_j = -1
        call cellList_compact(dim, int(n), pos, cutoff, size(pair_j), length, endpos, pair_j, stat=stat)
        call folded(stat, length, endpos, pair_j)
    end subroutine dropin_f64

    subroutine dropin_f32(c)
        real(real32), intent(in) :: c
        integer, allocatable :: pair_i(:), pair_j(:), endpos(:)
        integer :: length, stat

        call cellList(dim, int(n), pos_f32, c, pair_i, pair_j)
        call verdict(same(pair_i, want_i) .and. same(pair_j, want_j), "cellList that fits")
        length = -1
        call cellList(dim, int(n), 27, pos_f32, c, size(pair_i), length, pair_i, pair_j)
        call lists(length, pair_i, pair_j, "cellList, rank 2")
        call cellList(dim, int(n), 27, [pos_f32], c, size(pair_i), length, pair_i, pair_j)
        call lists(length, pair_i, pair_j, "cellList, rank 1")
        allocate (endpos(n))
        pair_j = -1
        call cellList_compact(dim, int(n), pos_f32, c, size(pair_j), length, endpos, pair_j, stat=stat)
        call folded(stat, length, endpos, pair_j)
    end subroutine dropin_f32

    !> Compares, and clears for the next call.
    subroutine lists(length, pair_i, pair_j, what)
        integer, intent(inout) :: length, pair_i(:), pair_j(:)
        character(len=*), intent(in) :: what

        call verdict(length == npairs, what // ": npairs")
        call verdict(same(pair_i, want_i) .and. same(pair_j, want_j), what)
        length = -1
        pair_i = -1
        pair_j = -1
    end subroutine lists

    subroutine folded(stat, length, endpos, pair_j)
        integer, intent(in) :: stat, length, endpos(:), pair_j(:)
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: ids(:)

        call verdict(stat == 0 .and. length == npairs, "cellList_compact: npairs")
        call verdict(same(pair_j, want_j), "cellList_compact: pair_j")
        call rows_of(int(n), want_i, want_j, .false., offsets, ids)
        call verdict(all(endpos == offsets(2:) - 1), "cellList_compact: endpos")
    end subroutine folded

end program cases
