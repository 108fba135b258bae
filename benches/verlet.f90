!> The Verlet list of the library beside one written by hand: random walks, one thread, CPU time.
!>
!>     verlet [POINTS [STEPS]]
!>
!> Each keeps a half list for cutoff plus skin until a point has moved by more than half the skin, then makes it again: the
!> library by `update` and `verlet_list`, the other one by cells that are sorted by counting. Each then counts by its list the
!> pairs within the cutoff. The program stops where lists, their numbers or pairs differ.
program verlet
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_search, neargrid_neighbors_half
    implicit none (type, external)
    real(real64), parameter :: density = 0.8442_real64, cutoff = 2.5_real64, skin = 0.3_real64, stride = 0.033_real64
    type(neargrid_search) :: search
    real(real64), allocatable :: x(:, :), moves(:, :), reference(:, :)
    integer(int64), allocatable :: first(:)
    integer(c_int), allocatable :: list(:)
    integer(int64), pointer :: offsets(:)
    integer(c_int), pointer :: ids(:)
    integer(int64) :: pairs(2)
    real(real64) :: start, seconds(4)
    integer :: n, steps, step, made(2)
    logical :: rebuilt

    n = argument(1, 100000)
    steps = argument(2, 1000)
    allocate (x(3, n), moves(3, n))
    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)
    x = x*(n/density)**(1/3.0_real64)
    call search%create()
    call search%set_threads(1_c_int)
    call search%set_cutoff(cutoff)
    call search%set_skin(skin)
    seconds = 0
    made = 0
    do step = 1, steps
        call cpu_time(start)
        call search%update(x)
        call search%verlet_list(offsets, ids, kind=neargrid_neighbors_half, rebuilt=rebuilt)
        call add(seconds(1))
        if (rebuilt) made(1) = made(1) + 1
        pairs(1) = within_cutoff(offsets, ids)
        call add(seconds(2))
        rebuilt = has_moved()
        if (rebuilt) call make_list()
        call add(seconds(3))
        if (rebuilt) made(2) = made(2) + 1
        pairs(2) = within_cutoff(first, list)
        call add(seconds(4))
        if (pairs(1) /= pairs(2) .or. made(1) /= made(2)) error stop "pairs or numbers of lists differ"
        if (rebuilt) call compare()
        call random_number(moves)
        x = x + stride*(moves - 0.5_real64)
    end do
    call search%destroy()
    print "(i0, a, i0, a, i0, a, i0, a)", n, " points, ", steps, " steps, ", made(1), " lists of ", size(ids), " pairs at last"
    print "(a)", "CPU seconds    list    loop     both"
    print "(a, 2f8.3, f9.3)", "library    ", seconds(1), seconds(2), sum(seconds(1:2))
    print "(a, 2f8.3, f9.3)", "by hand    ", seconds(3), seconds(4), sum(seconds(3:4))
    print "(a, 2f8.3, f9.3)", "ratio      ", seconds(1)/seconds(3), seconds(2)/seconds(4), &
        sum(seconds(1:2))/sum(seconds(3:4))

contains

    function argument(k, default) result(value)
        integer, intent(in) :: k, default
        integer :: value
        character(len=20) :: text

        value = default
        if (command_argument_count() < k) return
        call get_command_argument(k, text)
        read (text, *) value
    end function argument

    subroutine add(total)
        real(real64), intent(inout) :: total
        real(real64) :: now

        call cpu_time(now)
        total = total + now - start
        start = now
    end subroutine add

    function within_cutoff(offsets, ids) result(pairs)
        integer(int64), intent(in) :: offsets(:)
        integer(c_int), intent(in) :: ids(:)
        integer(int64) :: pairs, k
        real(real64) :: d(3)
        integer :: i

        pairs = 0
        do i = 1, n
            do k = offsets(i), offsets(i + 1) - 1
                d = x(:, i) - x(:, ids(k))
                if (d(1)*d(1) + d(2)*d(2) + d(3)*d(3) <= cutoff*cutoff) pairs = pairs + 1
            end do
        end do
    end function within_cutoff

    function has_moved() result(moved)
        logical :: moved
        real(real64) :: d(3), largest
        integer :: i

        moved = .true.
        if (.not. allocated(reference)) return
        largest = 0
        do i = 1, n
            d = x(:, i) - reference(:, i)
            largest = max(largest, d(1)*d(1) + d(2)*d(2) + d(3)*d(3))
        end do
        moved = 2*sqrt(largest) > skin
    end function has_moved

    !> Cells of the reach and more; the points of a cell stand together, with their coordinates.
    subroutine make_list()
        real(real64), parameter :: reach = cutoff + skin
        real(real64), allocatable :: sorted(:, :)
        integer, allocatable :: cell(:), starts(:), order(:)
        integer(c_int), allocatable :: longer(:)
        real(real64) :: lo(3), d(3)
        integer :: cells(3), at(3), c, i, j, k, cx, cy, cz
        integer(int64) :: found

        if (.not. allocated(first)) allocate (first(n + 1), list(40_int64*n), reference(3, n))
        allocate (sorted(3, n), cell(n), order(n))
        reference = x
        lo = minval(x, dim=2)
        cells = max(1, int((maxval(x, dim=2) - lo)/reach))
        allocate (starts(product(cells) + 1))
        starts = 0
        do i = 1, n
            at = min(cells - 1, int((x(:, i) - lo)/reach))
            cell(i) = 1 + at(1) + cells(1)*(at(2) + cells(2)*at(3))
            starts(cell(i)) = starts(cell(i)) + 1
        end do
        k = 1
        do c = 1, size(starts)
            i = starts(c)
            starts(c) = k
            k = k + i
        end do
        do i = 1, n
            order(starts(cell(i))) = i
            sorted(:, starts(cell(i))) = x(:, i)
            starts(cell(i)) = starts(cell(i)) + 1
        end do
        starts = eoshift(starts, -1, boundary=1)
        found = 0
        do i = 1, n
            first(i) = found + 1
            c = cell(i) - 1
            at = [mod(c, cells(1)), mod(c/cells(1), cells(2)), c/(cells(1)*cells(2))]
            do cz = max(0, at(3) - 1), min(cells(3) - 1, at(3) + 1)
                do cy = max(0, at(2) - 1), min(cells(2) - 1, at(2) + 1)
                    cx = 1 + cells(1)*(cy + cells(2)*cz)
                    do k = starts(cx + max(0, at(1) - 1)), starts(cx + min(cells(1) - 1, at(1) + 1) + 1) - 1
                        j = order(k)
                        if (j <= i) cycle
                        d = x(:, i) - sorted(:, k)
                        if (d(1)*d(1) + d(2)*d(2) + d(3)*d(3) > reach*reach) cycle
                        found = found + 1
                        if (found > size(list)) then
                            allocate (longer(2*size(list)))
                            longer(:size(list)) = list
                            call move_alloc(longer, list)
                        end if
                        list(found) = j
                    end do
                end do
            end do
        end do
        first(n + 1) = found + 1
    end subroutine make_list

    !> Rows have the same points; the library's ascend.
    subroutine compare()
        integer(int64) :: from, to
        integer :: i
        logical, allocatable :: is_in_row(:)

        if (any(first /= offsets)) error stop "lengths of rows differ"
        allocate (is_in_row(n), source=.false.)
        do i = 1, n
            from = first(i)
            to = first(i + 1) - 1
            is_in_row(list(from:to)) = .true.
            if (.not. all(is_in_row(ids(from:to)))) error stop "rows differ"
            is_in_row(list(from:to)) = .false.
        end do
    end subroutine compare

end program verlet
