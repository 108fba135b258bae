!> Means that the test programs share: verdicts, clouds of points, and the plain double loop that says
!> which pairs there are. Compiled without contraction of products into sums, as it is the oracle.
module support
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, output_unit, real32, real64
    implicit none (type, external)

    private
    public :: guard, check, check_failure, finish, cloud_f32, cloud_f64, plain_pairs, rows_of, &
        same, untouched

    !> Fills whatever must not be written.
    integer(c_int), parameter :: guard = -77777

    integer, save :: checks = 0, failures = 0

    !> `call plain_pairs(x, cutoff, pair_i, pair_j [, exclusive])`, 1-based.
    interface plain_pairs
        procedure :: plain_pairs_f32, plain_pairs_f64
    end interface plain_pairs

contains

    subroutine check(ok, what)
        logical, intent(in) :: ok
        character(len=*), intent(in) :: what

        checks = checks + 1
        if (ok) return
        failures = failures + 1
        write (error_unit, "(2a)") "FAILED: ", what
    end subroutine check

    !> That a call failed with `wanted`, its text naming all of `words` (separated by `|`).
    subroutine check_failure(stat, wanted, errmsg, words, what)
        integer(c_int), intent(in) :: stat, wanted
        character(len=*), intent(in) :: errmsg, words, what
        integer :: first, last
        character(len=12) :: number

        write (number, "(i0)") stat
        call check(stat == wanted, what // ": stat = " // trim(number) // ", " // trim(errmsg))
        call check(index(errmsg, achar(0)) == 0, what // ": a NUL in the text")
        first = 1
        do while (first <= len(words))
            last = index(words(first:), "|") + first - 2
            if (last < first) last = len(words)
            call check(index(errmsg, words(first:last)) > 0, what // ": no """ &
                       // words(first:last) // """ in """ // trim(errmsg) // """")
            first = last + 2
        end do
    end subroutine check_failure

    !> Ends the program: as a failure when a check failed, or when too few were made.
    subroutine finish(name, at_least)
        character(len=*), intent(in) :: name
        integer, intent(in) :: at_least

        if (checks < at_least) error stop "checks were skipped in " // name
        if (failures > 0) error stop "checks failed in " // name
        write (output_unit, "(2a, i0, a)") name, ": ", checks, " checks passed"
    end subroutine finish

    logical function same(found, wanted)
        integer(c_int), intent(in) :: found(:), wanted(:)

        same = size(found) == size(wanted)
        if (same) same = all(found == wanted)
    end function same

    logical function untouched(values)
        integer(c_int), intent(in) :: values(:)

        untouched = all(values == guard)
    end function untouched

    !> `n` points of `dim` coordinates in the unit cube, the same at each call with that `seed`.
    function cloud_f64(dim, n, seed) result(x)
        integer, intent(in) :: dim, n, seed
        real(real64) :: x(dim, n)
        integer(int64) :: state
        integer :: axis, point

        state = seed
        do point = 1, n
            do axis = 1, dim
                state = mod(state*48271_int64, 2147483647_int64)
                x(axis, point) = real(state, real64)/2147483647.0_real64
            end do
        end do
    end function cloud_f64

    function cloud_f32(dim, n, seed) result(x)
        integer, intent(in) :: dim, n, seed
        real(real32) :: x(dim, n)

        x = real(cloud_f64(dim, n, seed), real32)
    end function cloud_f32

    subroutine plain_pairs_f64(x, cutoff, pair_i, pair_j, exclusive)
        real(real64), intent(in) :: x(:, :), cutoff
        integer(c_int), allocatable, intent(out) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        real(real64) :: d2, limit
        integer :: axis, i, j
        logical :: strict

        strict = .false.
        if (present(exclusive)) strict = exclusive
        allocate (pair_i(0), pair_j(0))
        limit = cutoff*cutoff
        do i = 1, size(x, 2) - 1
            do j = i + 1, size(x, 2)
                d2 = 0
                do axis = 1, size(x, 1)
                    d2 = d2 + (x(axis, i) - x(axis, j))*(x(axis, i) - x(axis, j))
                end do
                if (d2 < limit .or. (.not. strict .and. d2 <= limit)) then
                    pair_i = [pair_i, int(i, c_int)]
                    pair_j = [pair_j, int(j, c_int)]
                end if
            end do
        end do
    end subroutine plain_pairs_f64

    subroutine plain_pairs_f32(x, cutoff, pair_i, pair_j, exclusive)
        real(real32), intent(in) :: x(:, :), cutoff
        integer(c_int), allocatable, intent(out) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        real(real32) :: d2, limit
        integer :: axis, i, j
        logical :: strict

        strict = .false.
        if (present(exclusive)) strict = exclusive
        allocate (pair_i(0), pair_j(0))
        limit = cutoff*cutoff
        do i = 1, size(x, 2) - 1
            do j = i + 1, size(x, 2)
                d2 = 0
                do axis = 1, size(x, 1)
                    d2 = d2 + (x(axis, i) - x(axis, j))*(x(axis, i) - x(axis, j))
                end do
                if (d2 < limit .or. (.not. strict .and. d2 <= limit)) then
                    pair_i = [pair_i, int(i, c_int)]
                    pair_j = [pair_j, int(j, c_int)]
                end if
            end do
        end do
    end subroutine plain_pairs_f32

    !> The rows that belong to an ordered list of pairs. In a full row the smaller ids come
    !> first by themselves: the pairs (k, i), k < i, precede the pairs (i, j) in the list.
    subroutine rows_of(n, pair_i, pair_j, full, offsets, ids)
        integer, intent(in) :: n
        integer(c_int), intent(in) :: pair_i(:), pair_j(:)
        logical, intent(in) :: full
        integer(int64), allocatable, intent(out) :: offsets(:)
        integer(c_int), allocatable, intent(out) :: ids(:)
        integer(int64), allocatable :: next(:)
        integer :: i
        integer(int64) :: pair

        allocate (offsets(n + 1), source=0_int64)
        do pair = 1, size(pair_i, kind=int64)
            offsets(pair_i(pair)) = offsets(pair_i(pair)) + 1
            if (full) offsets(pair_j(pair)) = offsets(pair_j(pair)) + 1
        end do
        next = offsets
        offsets(1) = 1
        do i = 1, n
            offsets(i + 1) = offsets(i) + next(i)
        end do
        next = offsets
        allocate (ids(offsets(n + 1) - 1))
        do pair = 1, size(pair_i, kind=int64)
            call append(pair_i(pair), pair_j(pair))
            if (full) call append(pair_j(pair), pair_i(pair))
        end do

    contains

        subroutine append(row, id)
            integer(c_int), intent(in) :: row, id

            ids(next(row)) = id
            next(row) = next(row) + 1
        end subroutine append

    end subroutine rows_of

end module support
