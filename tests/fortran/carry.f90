!> Values of contacts, carried from list to list: of points that move, reordered, in chunks and by the
!> first step; against a plain loop over the entries.
program carry
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 400
    integer(c_int), parameter :: signs(3) = [1_c_int, -1_c_int, -1_c_int]

    !> Rows and what names their points in all lists.
    type :: rows
        integer(int64), allocatable :: offsets(:), global(:)
        integer(c_int), allocatable :: ids(:)
    end type rows

    type(neargrid_search) :: search
    type(rows) :: old, new
    real(real64), allocatable :: before(:, :), after(:, :), one(:)
    real(real32), allocatable :: before32(:, :), after32(:, :), one32(:)
    real(real64) :: x(3, n)
    integer :: kept

    kept = 0
    x = cloud_f64(3, n, 1)
    call search%create()
    call search%set_cutoff(0.15_real64)
    call first_step()
    call moving()
    call reordered()
    call chunks()
    call search%destroy()
    call check(kept > 3000, "entries that live on")
    call finish("carry", 35)

contains

    subroutine find(list, points, kind)
        type(rows), intent(out) :: list
        real(real64), intent(in) :: points(:, :)
        integer(c_int), intent(in) :: kind
        integer(int64) :: k

        call search%set_points(points)
        call search%neighbors(list%offsets, list%ids, kind=kind)
        list%global = [(k, k=1, size(points, 2, int64))]
    end subroutine find

    !> Before the first step there is no list: its arrays are empty.
    subroutine first_step()
        integer(int64) :: none(0)
        integer(c_int) :: no_ids(0)
        real(real64) :: no_values(3, 0)
        integer(int64), allocatable :: lost(:)

        call find(old, x, neargrid_neighbors_half)
        allocate (before(3, size(old%ids)), source=7.0_real64)
        call search%carry(none, no_ids, no_values, old%offsets, old%ids, before, lost=lost)
        call check(all(abs(before) <= 0) .and. size(lost) == 0, "the first step")
        before = cloud_f64(3, size(old%ids), 5) - 0.5_real64
        call search%carry(old%offsets, old%ids, before, none, no_ids, no_values, lost=lost)
        call check(size(lost) == size(old%ids) .and. lost(1) == 1, "all is lost")
    end subroutine first_step

    !> The position of a pair in a list, 0 if it is not there.
    pure integer(int64) function place(list, a, b)
        type(rows), intent(in) :: list
        integer(int64), intent(in) :: a, b
        integer(int64) :: i, k

        place = 0
        do i = 1, size(list%offsets) - 1
            if (list%global(i) /= a) cycle
            do k = list%offsets(i), list%offsets(i + 1) - 1
                if (list%global(list%ids(k)) == b) place = k
            end do
        end do
    end function place

    !> Compares `after` of the new list with `before` of the old one.
    subroutine compare(what, lost)
        character(len=*), intent(in) :: what
        integer(int64), intent(in) :: lost(:)
        integer(int64), allocatable :: gone(:)
        real(real64) :: wanted(3)
        integer(int64) :: i, k, a, b, at
        logical :: is_same

        is_same = .true.
        do i = 1, size(new%offsets) - 1
            do k = new%offsets(i), new%offsets(i + 1) - 1
                a = new%global(i)
                b = new%global(new%ids(k))
                wanted = 0
                at = place(old, a, b)
                if (at > 0) then
                    wanted = before(:, at)
                else
                    at = place(old, b, a)
                    if (at > 0) wanted = signs*before(:, at)
                end if
                if (at > 0) kept = kept + 1
                is_same = is_same .and. all(abs(after(:, k) - wanted) <= 0)
            end do
        end do
        call check(is_same, what // ": values")
        allocate (gone(0))
        do i = 1, size(old%offsets) - 1
            do k = old%offsets(i), old%offsets(i + 1) - 1
                a = old%global(i)
                b = old%global(old%ids(k))
                if (place(new, a, b) == 0 .and. place(new, b, a) == 0) gone = [gone, k]
            end do
        end do
        is_same = size(gone) == size(lost)
        if (is_same) is_same = all(gone == lost)
        call check(is_same, what // ": lost")
    end subroutine compare

    !> Half rows, full rows, and both kinds of reals; more values than entries stay as they are.
    subroutine moving()
        integer(int64), allocatable :: lost(:)
        integer(int64) :: total
        integer :: step

        do step = 1, 4
            x = x + 0.02_real64*(cloud_f64(3, n, 10 + step) - 0.5_real64)
            call find(new, x, merge(neargrid_neighbors_half, neargrid_neighbors_full, step <= 2))
            total = size(new%ids, kind=int64)
            allocate (after(3, total + 2), source=7.0_real64)
            call search%carry(old%offsets, old%ids, before, new%offsets, new%ids, after, signs=signs, lost=lost)
            call compare("points that move", lost)
            call check(all(abs(after(:, total + 1:) - 7) <= 0), "values beyond the entries")
            before32 = real(before, real32)
            allocate (after32(3, total), source=7.0_real32)
            call search%carry(old%offsets, old%ids, before32, new%offsets, new%ids, after32, signs=signs)
            call check(all(abs(after32 - real(after(:, :total), real32)) <= 0), "real32")
            allocate (one(total), one32(total))
            call search%carry(old%offsets, old%ids, before(2, :), new%offsets, new%ids, one, signs=signs(2:2))
            call search%carry(old%offsets, old%ids, before32(1, :), new%offsets, new%ids, one32)
            call check(all(abs(one - after(2, :total)) <= 0), "one column")
            call check(all(abs(one32 - after32(1, :)) <= 0), "one column of real32")
            deallocate (one, one32, after32)
            old = new
            before = after(:, :total)
            deallocate (after)
        end do
    end subroutine moving

    !> Points in spatial order, the last of them gone: the points are those with the same global ids.
    subroutine reordered()
        integer(c_int), allocatable :: perm(:)
        integer(int64), allocatable :: lost(:)
        real(real64) :: points(3, n - 30)

        call search%order(perm)
        points(:, :) = x(:, perm(:n - 30))
        call find(new, points, neargrid_neighbors_half)
        new%global(:) = perm(:n - 30)
        allocate (after(3, size(new%ids)))
        call search%carry(old%offsets, old%ids, before, new%offsets, new%ids, after, signs=signs, &
                          old_global_ids=old%global, global_ids=new%global, lost=lost)
        call compare("reordered", lost)
        call check(size(lost) > 0, "points that are gone")
        old = new
        before = after
        deallocate (after)
        ! Numbers in the old list as they are here, for what follows.
        x(:, :n - 30) = points
    end subroutine reordered

    !> A new list in chunks, whose values are those of the whole.
    subroutine chunks()
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(int64) :: first_row, nrows, total, at
        real(real64), allocatable :: piece(:, :)
        integer :: pieces

        call find(new, x(:, :n - 30), neargrid_neighbors_full)
        allocate (after(3, size(new%ids)))
        call search%carry(old%offsets, old%ids, before, new%offsets, new%ids, after)
        call search%chunks_begin(500_int64, total, kind=neargrid_neighbors_full)
        at = 0
        pieces = 0
        do
            call search%chunks_next(first_row, nrows, offsets, ids)
            if (nrows == 0) exit
            allocate (piece(3, size(ids)))
            call search%carry(old%offsets, old%ids, before, offsets, ids, piece, first_row=first_row)
            call check(all(abs(piece - after(:, at + 1:at + size(ids))) <= 0), "a chunk")
            at = at + size(ids)
            pieces = pieces + 1
            deallocate (piece)
        end do
        call check(at == total .and. pieces > 3, "all chunks")
    end subroutine chunks

end program carry
