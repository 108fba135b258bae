!> Values of contacts, carried from list to list: in both real kinds, as columns and as one, in chunks, and
!> by the first step.
program carry
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 400
    integer(c_int), parameter :: signs(3) = [1_c_int, -1_c_int, -1_c_int]

    type :: rows
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: ids(:)
    end type rows

    type(neargrid_search) :: search
    type(rows) :: old, new
    real(real64), allocatable :: before(:, :), after(:, :), one(:)
    real(real32), allocatable :: before32(:, :), after32(:, :), one32(:)
    real(real64) :: x(3, n)

    x = cloud_f64(3, n, 1)
    call search%create()
    call search%set_cutoff(0.15_real64)
    call first_step()
    call moving()
    call chunks()
    call search%destroy()
    call finish("carry", 16)

contains

    subroutine find(list, points, kind)
        type(rows), intent(out) :: list
        real(real64), intent(in) :: points(:, :)
        integer(c_int), intent(in) :: kind

        call search%set_points(points)
        call search%neighbors(list%offsets, list%ids, kind=kind)
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

    !> Half rows, full rows, and both kinds of reals; more values than entries stay as they are.
    subroutine moving()
        integer(int64), allocatable :: lost(:)
        integer(int64) :: total
        integer :: step

        do step = 1, 2
            x = x + 0.02_real64*(cloud_f64(3, n, 10 + step) - 0.5_real64)
            call find(new, x, merge(neargrid_neighbors_half, neargrid_neighbors_full, step == 1))
            total = size(new%ids, kind=int64)
            allocate (after(3, total + 2), source=7.0_real64)
            call search%carry(old%offsets, old%ids, before, new%offsets, new%ids, after, signs=signs, lost=lost)
            call check(any(abs(after(2, :total)) > 0) .and. size(lost) > 0, "what lives on")
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
