!> Exclusions from Fortran: pairs against the plain loop without the excluded ones, formulas that read
!> classes.
program exclusions
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, plain_pairs
    implicit none (type, external)
    integer, parameter :: n = 200, bonds = 2
    real(real64), parameter :: cutoff = 0.25_real64
    real(real64) :: x(3, n)
    integer(int64) :: offsets(n + 1)
    integer(c_int), allocatable :: near_i(:), near_j(:), ids(:), classes(:)
    type(neargrid_search) :: search
    integer(c_int) :: stat
    integer :: k
    character(len=300) :: errmsg

    x = cloud_f64(3, n, 23)
    call plain_pairs(x, cutoff, near_i, near_j)
    call make_rows()
    call search%create()
    call search%set_cutoff(cutoff)
    call search%set_points(x)
    call expect(.false., "before")
    call search%set_exclusions(offsets, ids, classes)
    call expect(.true., "with classes")
    call expect_sums()
    call search%set_exclusions(offsets, ids)
    call expect(.true., "without classes")
    call expect(.true., "after refusals")
    call search%set_exclusions()
    call search%set_exclusions(offsets, int(ids, int64), classes)
    call expect(.true., "by global ids, which are numbers here")
    call search%set_ids([(int(7*k - 7*n, int64), k=1, n)])
    call search%set_exclusions(offsets, int(7*ids - 7*n, int64), classes)
    call expect(.true., "by global ids")
    call search%set_ids([(int(k, int64), k=1, n)])
    call search%set_exclusions(offsets, int(ids + n, int64), stat=stat, errmsg=errmsg)
    call check_failure(stat, neargrid_status_bad_value, errmsg, "ids of points", "ids of no points")
    call search%set_exclusions()
    call expect(.false., "removed")
    call search%set_exclusions(offsets, ids)
    call search%set_exclusions(offsets(1:0))
    call expect(.false., "removed by an empty array")
    call search%destroy()
    call search%set_exclusions(offsets, ids, stat=stat, errmsg=errmsg)
    call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "exclusions of no search")
    deallocate (near_i, near_j, ids, classes)       ! a main program frees nothing by itself
    call finish("exclusions", 20)

contains

    !> The class of a pair: points whose numbers are up to two apart, but for every fifth one.
    elemental function class_of(i, j) result(class)
        integer(c_int), intent(in) :: i, j
        integer(c_int) :: class

        class = abs(i - j)
        if (class > bonds .or. mod(min(i, j), 5_c_int) == 0) class = 0
    end function class_of

    subroutine make_rows()
        integer(c_int) :: i, j

        allocate (ids(0), classes(0))
        offsets(1) = 1
        do i = 1, n
            do j = n, 1, -1
                if (class_of(i, j) > 0) then
                    ids = [ids, j]
                    classes = [classes, class_of(i, j)]
                end if
            end do
            offsets(i + 1) = size(ids) + 1
        end do
    end subroutine make_rows

    subroutine expect(excludes, what)
        logical, intent(in) :: excludes
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)
        logical :: counts(size(near_i))

        counts = .true.
        if (excludes) counts = class_of(near_i, near_j) == 0
        call search%pairs(pair_i, pair_j)
        call check(size(pair_i) == count(counts), what // ": the number of pairs")
        if (size(pair_i) /= count(counts)) return
        call check(all(pair_i == pack(near_i, counts)) .and. all(pair_j == pack(near_j, counts)), what // ": the pairs")
    end subroutine expect

    !> The sums are exact in any order.
    subroutine expect_sums()
        type(neargrid_formula) :: formula
        real(real64), allocatable :: few(:), scaled(:)
        real(real64) :: want_few(n), want_scaled(n)
        integer(c_int) :: class
        integer :: k

        call formula%create("few += 1; scaled += select(0.5, 1, class == 2) + class")
        call formula%set_precision(neargrid_precision_double)
        call search%run(formula)
        call search%get("few", few)
        call search%get("scaled", scaled)
        want_few = 0
        want_scaled = 0
        do k = 1, size(near_i)
            class = class_of(near_i(k), near_j(k))
            associate (both => [near_i(k), near_j(k)])
                if (class == 0) want_few(both) = want_few(both) + 1
                want_scaled(both) = want_scaled(both) + merge(0.5_real64, 1.0_real64, class == 2) + class
            end associate
        end do
        call check(maxval(abs(few - want_few)) <= 0, "sums without class")
        call check(maxval(abs(scaled - want_scaled)) <= 0, "sums with class")
        call formula%destroy()
    end subroutine expect_sums

end program exclusions
