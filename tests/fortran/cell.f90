!> Rows of images in a cell whose vectors are columns, in every form.
program cell
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, guard, same, untouched
    implicit none (type, external)
    integer, parameter :: n = 10
    real(real64), parameter :: vectors(3, 3) = reshape([1.5_real64, 0.125_real64, 0.0_real64, &
        0.75_real64, -1.25_real64, 0.25_real64, -0.5_real64, 0.625_real64, 1.75_real64], [3, 3])
    type(neargrid_search) :: search
    real(real64) :: x(3, n)
    integer(int64), allocatable :: wanted_offsets(:)
    integer(c_int), allocatable :: wanted_ids(:), wanted_shifts(:, :)
    integer :: k

    x = 2*cloud_f64(3, n, 3)
    call search%create()
    call search%set_points(x)
    call search%set_cell(vectors, [.true., .true., .true.])
    do k = 1, 2
        call search%set_cutoff(k*1.0_real64)
        call rows(neargrid_neighbors_half)
        call rows(neargrid_neighbors_full)
    end do
    ! These vectors are the same in real32.
    call search%set_cell(real(vectors, real32), [.true., .true., .true.])
    call rows(neargrid_neighbors_full)
    call excluded_images()
    call search%destroy()
    call finish("cell", 60)

contains

    !> All entries of one row and their opposites are left out, one after the other.
    subroutine excluded_images()
        integer(int64), allocatable :: offsets(:), some(:)
        integer(c_int), allocatable :: ids(:), shifts(:, :)
        integer(int64) :: total
        integer(c_int) :: stat
        character(len=300) :: errmsg

        call search%images(offsets, ids, shifts)
        call search%set_exclusions(offsets, ids, shifts=shifts)
        call search%count_images(total)
        call check(total == 0, "all images are excluded")
        call search%set_exclusions(offsets, int(ids, int64), shifts=shifts)
        call search%count_images(total)
        call check(total == 0, "all images are excluded by ids")
        call search%set_exclusions(offsets, ids, shifts=shifts(:2, :), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(shifts, 1)", "shifts of two numbers")
        call search%set_exclusions(offsets, ids, shifts=shifts(:, 2:), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(shifts, 2)", "too few shifts")
        some = offsets
        some(2:) = offsets(2)
        call search%set_exclusions(some, ids(:offsets(2) - 1), shifts=shifts(:, :offsets(2) - 1), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "symmetric", "one row alone")
        call search%set_exclusions()
        call search%count_images(total)
        call check(total == size(ids), "no images are excluded")
    end subroutine excluded_images

    subroutine rows(kind)
        integer(c_int), intent(in) :: kind
        integer(int64), pointer :: at_offsets(:)
        integer(c_int), pointer :: at_ids(:), at_shifts(:, :)
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: ids(:), shifts(:, :)
        integer(int64) :: total
        integer(c_int) :: stat
        character(len=300) :: errmsg

        call search%images(wanted_offsets, wanted_ids, wanted_shifts, kind=kind)
        call search%images(at_offsets, at_ids, at_shifts, kind=kind)
        call compare(at_offsets, at_ids, at_shifts, "view")
        call search%images(at_offsets, at_ids, kind=kind)
        call check(same(at_ids, wanted_ids), "view without shifts")
        call search%images(offsets, ids, shifts, kind=kind)
        call compare(offsets, ids, shifts, "allocatables")
        call search%images(offsets, ids, kind=kind)
        call check(same(ids, wanted_ids), "allocatables without shifts")
        call search%count_images(total, kind=kind)
        call check(total == size(wanted_ids) .and. total > n, "count")
        ids(:) = guard
        call search%images(total, offsets, ids(2:), shifts, kind=kind, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, "capacity", "too small")
        call check(untouched(ids) .and. total == size(ids), "too small: untouched")
        shifts(:, :) = guard
        call search%images(total, offsets, ids, shifts, kind=kind)
        call compare(offsets, ids, shifts, "arrays of the caller")
        call search%images(total, offsets, ids, kind=kind)
        call check(same(ids, wanted_ids), "arrays of the caller without shifts")
    end subroutine rows

    subroutine compare(offsets, ids, shifts, what)
        integer(int64), intent(in) :: offsets(:)
        integer(c_int), intent(in) :: ids(:), shifts(:, :)
        character(len=*), intent(in) :: what

        call check(size(offsets) == n + 1 .and. same(ids, wanted_ids), what // ": ids")
        call check(all(offsets == wanted_offsets), what // ": offsets")
        call check(all(shape(shifts) == shape(wanted_shifts)), what // ": shape of shifts")
        if (all(shape(shifts) == shape(wanted_shifts))) &
            call check(all(shifts == wanted_shifts), what // ": shifts")
    end subroutine compare

end program cell
