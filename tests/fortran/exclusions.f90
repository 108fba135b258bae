!> Exclusions from Fortran: with classes and without, by numbers and by global ids.
program exclusions
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 200, bonds = 2
    real(real64), parameter :: cutoff = 0.25_real64
    real(real64) :: x(3, n)
    integer(int64) :: offsets(n + 1)
    integer(c_int), allocatable :: ids(:), classes(:)
    type(neargrid_search) :: search
    integer(int64) :: all_pairs, excluded
    integer(c_int) :: stat
    integer :: k
    character(len=300) :: errmsg

    x = cloud_f64(3, n, 23)
    call make_rows()
    call search%create()
    call search%set_cutoff(cutoff)
    call search%set_points(x)
    call search%count_pairs(all_pairs)
    call search%set_exclusions(offsets, ids, classes)
    call search%count_pairs(excluded)
    call check(excluded < all_pairs, "some pairs are excluded")
    call expect(.true., "with classes")
    call search%set_exclusions(offsets, ids)
    call expect(.true., "without classes")
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
    deallocate (ids, classes)       ! a main program frees nothing by itself
    call finish("exclusions", 10)

contains

    !> The class of a pair: points whose numbers are up to two apart, but for every fifth one.
    elemental function class_of(i, j) result(class)
        integer(c_int), intent(in) :: i, j
        integer(c_int) :: class

        class = abs(i - j)
        if (class > bonds .or. mod(min(i, j), 5_c_int) == 0) class = 0
    end function class_of

    subroutine expect(excludes, what)
        logical, intent(in) :: excludes
        character(len=*), intent(in) :: what
        integer(c_int), pointer :: pair_i(:), pair_j(:)

        call search%pairs(pair_i, pair_j)
        call check(size(pair_i) == merge(excluded, all_pairs, excludes), what // ": the number of pairs")
        if (excludes) call check(all(class_of(pair_i, pair_j) == 0), what // ": the pairs")
    end subroutine expect

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

end program exclusions
