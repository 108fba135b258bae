!> Distances and displacements of pairs and rows, spatial order, moving arrays, and giving memory
!> back, through the module.
program data
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid
    use support, only: check, cloud_f32, cloud_f64, finish, plain_pairs, &
        same, untouched
    implicit none (type, external)
    integer, parameter :: n = 150
    real(real64), parameter :: lo = -0.2_real64, length = 0.85_real64
    type(neargrid_search) :: search
    integer(c_int) :: stat
    integer :: dim

    call search%create()
    call search%set_cutoff(0.2_real64)
    do dim = 1, 3
        call values_f64(.false.)
        call values_f32(.false.)
        call values_f64(.true.)
        call values_f32(.true.)
        call spatial_order()
    end do
    call moved_arrays()
    call trimmed()
    call search%destroy()
    call finish("data", 140)

contains

    !> A coordinate in the box, and the difference of two: the rule of the manual.
    pure real(real64) function wrapped_f64(x) result(w)
        real(real64), intent(in) :: x
        real(real64), parameter :: hi = lo + length
        real(real64) :: t

        w = x
        if (lo <= x .and. x < hi) return
        t = mod(x - lo, length)
        if (t < 0) t = t + length
        w = lo + t
        if (w >= hi) w = lo
    end function wrapped_f64

    pure real(real64) function difference_f64(a, b, periodic) result(d)
        real(real64), intent(in) :: a, b
        logical, intent(in) :: periodic

        d = a - b
        if (.not. periodic) return
        d = wrapped_f64(a) - wrapped_f64(b)
        if (d > length/2) then
            d = d - length
        else if (d < -length/2) then
            d = d + length
        end if
    end function difference_f64

    pure real(real32) function wrapped_f32(x) result(w)
        real(real32), intent(in) :: x
        real(real32), parameter :: edge = real(length, real32), start = real(lo, real32)
        real(real32), parameter :: hi = start + edge
        real(real32) :: t

        w = x
        if (start <= x .and. x < hi) return
        t = mod(x - start, edge)
        if (t < 0) t = t + edge
        w = start + t
        if (w >= hi) w = start
    end function wrapped_f32

    pure real(real32) function difference_f32(a, b, periodic) result(d)
        real(real32), intent(in) :: a, b
        logical, intent(in) :: periodic
        real(real32), parameter :: edge = real(length, real32)

        d = a - b
        if (.not. periodic) return
        d = wrapped_f32(a) - wrapped_f32(b)
        if (d > edge/2) then
            d = d - edge
        else if (d < -edge/2) then
            d = d + edge
        end if
    end function difference_f32

    subroutine set_box(periodic)
        logical, intent(in) :: periodic

        call search%set_box(spread(lo, 1, dim), spread(length, 1, dim), &
                            spread(periodic, 1, dim))
    end subroutine set_box

    !> All pairs i < j as columns and as rows; arrays larger than needed stay as they were beyond.
    subroutine values_f64(periodic)
        logical, intent(in) :: periodic
        integer(c_int), allocatable :: pair_i(:), pair_j(:)
        integer(int64), allocatable :: offsets(:)
        real(real64), allocatable :: d(:), r(:, :), want_d(:), want_r(:, :)
        real(real64) :: x(dim, n)
        integer :: i, j, k, axis, npairs

        x = 3*cloud_f64(dim, n, 31)
        x(:, 1) = lo + length
        x(:, 2) = lo + length/2
        x(:, 3) = lo
        npairs = n*(n - 1)/2
        allocate (pair_i(npairs), pair_j(npairs), offsets(n + 1))
        allocate (want_d(npairs), want_r(dim, npairs))
        k = 0
        do i = 1, n
            offsets(i) = k + 1
            do j = i + 1, n
                k = k + 1
                pair_i(k) = int(i, c_int)
                pair_j(k) = int(j, c_int)
                do axis = 1, dim
                    want_r(axis, k) = difference_f64(x(axis, i), x(axis, j), periodic)
                end do
                want_d(k) = want_r(1, k)*want_r(1, k)
                do axis = 2, dim
                    want_d(k) = want_d(k) + want_r(axis, k)*want_r(axis, k)
                end do
                want_d(k) = sqrt(want_d(k))
            end do
        end do
        offsets(n + 1) = npairs + 1
        call set_box(periodic)
        call search%set_points(x)
        allocate (d(npairs + 2), r(dim, npairs + 2))
        do k = 1, 3
            d = -5
            r = -5
            if (k == 3) then
                call search%set_queries(x)
                call search%query_distances(offsets, pair_j, d)
                call search%query_displacements(offsets, pair_j, r)
            else if (k == 1) then
                call search%distances(pair_i, pair_j, d)
                call search%displacements(pair_i, pair_j, r)
            else
                call search%distances(offsets, pair_j, d)
                call search%displacements(offsets, pair_j, r)
            end if
            call check(all(abs(d(:npairs) - want_d) <= 0), "distances, real64")
            call check(all(abs(r(:, :npairs) - want_r) <= 0), "displacements, real64")
            call check(all(abs(d(npairs + 1:) + 5) <= 0), "beyond the distances")
            call check(all(abs(r(:, npairs + 1:) + 5) <= 0), "beyond the displacements")
        end do
    end subroutine values_f64

    subroutine values_f32(periodic)
        logical, intent(in) :: periodic
        integer(c_int), allocatable :: pair_i(:), pair_j(:)
        integer(int64), allocatable :: offsets(:)
        real(real32), allocatable :: d(:), r(:, :), want_d(:), want_r(:, :)
        real(real32) :: x(dim, n)
        integer :: i, j, k, axis, npairs

        x = 3*cloud_f32(dim, n, 37)
        npairs = n*(n - 1)/2
        allocate (pair_i(npairs), pair_j(npairs), offsets(n + 1))
        allocate (want_d(npairs), want_r(dim, npairs))
        k = 0
        do i = 1, n
            offsets(i) = k + 1
            do j = i + 1, n
                k = k + 1
                pair_i(k) = int(i, c_int)
                pair_j(k) = int(j, c_int)
                do axis = 1, dim
                    want_r(axis, k) = difference_f32(x(axis, i), x(axis, j), periodic)
                end do
                want_d(k) = want_r(1, k)*want_r(1, k)
                do axis = 2, dim
                    want_d(k) = want_d(k) + want_r(axis, k)*want_r(axis, k)
                end do
                want_d(k) = sqrt(want_d(k))
            end do
        end do
        offsets(n + 1) = npairs + 1
        call set_box(periodic)
        call search%set_points(x)
        allocate (d(npairs), r(dim, npairs))
        d = -5
        r = -5
        call search%distances(pair_i, pair_j, d)
        call search%displacements(pair_i, pair_j, r)
        call check(all(abs(d - want_d) <= 0), "distances, real32")
        call check(all(abs(r - want_r) <= 0), "displacements, real32")
        d = -5
        r = -5
        call search%distances(offsets, pair_j, d)
        call search%displacements(offsets, pair_j, r)
        call check(all(abs(d - want_d) <= 0), "distances of rows, real32")
        call check(all(abs(r - want_r) <= 0), "displacements of rows, real32")
        d = -5
        r = -5
        call search%set_queries(x)
        call search%query_distances(offsets, pair_j, d)
        call search%query_displacements(offsets, pair_j, r)
        call check(all(abs(d - want_d) <= 0), "distances of queries, real32")
        call check(all(abs(r - want_r) <= 0), "displacements of queries, real32")
    end subroutine values_f32

    !> A permutation; in one dimension the sorted coordinates. Reordered points have the same pairs
    !> under their new numbers.
    subroutine spatial_order()
        integer(c_int), allocatable :: perm(:), pair_i(:), pair_j(:)
        real(real64) :: x(dim, n)
        integer :: k, seen(n), new(n)
        integer(int64) :: before, after

        x = cloud_f64(dim, n, 41)
        call set_box(.false.)
        call search%set_points(x)
        call search%count_pairs(before)
        call search%order(perm)
        seen = 0
        do k = 1, size(perm)
            seen(perm(k)) = seen(perm(k)) + 1
            new(perm(k)) = k
        end do
        call check(size(perm) == n .and. all(seen == 1), "a permutation")
        call search%pairs(pair_i, pair_j)
        call neargrid_reorder(perm, x)
        if (dim == 1) call check(all(x(1, :n - 1) <= x(1, 2:)), "sorted along a line")
        call search%set_points(x)
        call search%count_pairs(after)
        call check(before == after .and. before > n, "pairs of reordered points")
        call search%pairs(pair_i, pair_j)
        call neargrid_restore(perm, x)
        call check(all(abs(x - cloud_f64(dim, n, 41)) <= 0), "restored points")
    end subroutine spatial_order

    !> Every kind and rank, there and back; parts of arrays too.
    subroutine moved_arrays()
        integer(c_int) :: perm(5)
        integer :: k
        integer(int32) :: i32(5), i32_columns(2, 5)
        integer(int64) :: i64(5), i64_columns(3, 5)
        real(real32) :: f32(5), f32_columns(2, 5)
        real(real64) :: f64(5), f64_columns(3, 5), wide(4, 9), none(0, 5), nobody(0)
        logical :: flags(5), flag_columns(2, 5)

        perm = [3, 1, 5, 2, 4]
        i32 = [(k, k=1, 5)]
        i64 = 10000000000_int64*i32
        f32 = real(i32, real32)/2
        f64 = real(i32, real64)/3
        flags = i32 > 3
        i32_columns = reshape([(k, k=1, 10)], [2, 5])
        i64_columns = reshape([(10000000000_int64*k, k=1, 15)], [3, 5])
        f32_columns = real(i32_columns, real32)/2
        f64_columns = real(i64_columns, real64)/3
        flag_columns = mod(i32_columns, 3) == 0

        call neargrid_reorder(perm, i32)
        call check(all(i32 == perm), "int32")
        call neargrid_reorder(perm, i64)
        call check(all(i64 == 10000000000_int64*perm), "int64")
        call neargrid_reorder(perm, f32)
        call check(all(abs(f32 - real(perm, real32)/2) <= 0), "real32")
        call neargrid_reorder(perm, f64)
        call check(all(abs(f64 - real(perm, real64)/3) <= 0), "real64")
        call neargrid_reorder(perm, flags)
        call check(all(flags .eqv. perm > 3), "logical")
        call neargrid_reorder(perm, i32_columns)
        call check(all(i32_columns(2, :) == 2*perm), "columns of int32")
        call neargrid_reorder(perm, i64_columns)
        call check(all(i64_columns(3, :) == 30000000000_int64*perm), "columns of int64")
        call neargrid_reorder(perm, f32_columns)
        call check(all(abs(f32_columns(1, :) - real(2*perm - 1, real32)/2) <= 0), &
                   "columns of real32")
        call neargrid_reorder(perm, f64_columns)
        call check(all(abs(f64_columns(3, :) - real(30000000000_int64*perm, real64)/3) <= 0), &
                   "columns of real64")
        call neargrid_reorder(perm, flag_columns)
        call check(all(flag_columns(1, :) .eqv. mod(2*perm - 1, 3) == 0), "columns of logical")

        call neargrid_restore(perm, i32)
        call check(all(i32 == [(k, k=1, 5)]), "int32 restored")
        call neargrid_restore(perm, i64)
        call check(all(i64 == 10000000000_int64*i32), "int64 restored")
        call neargrid_restore(perm, f32)
        call check(all(abs(f32 - real(i32, real32)/2) <= 0), "real32 restored")
        call neargrid_restore(perm, f64)
        call check(all(abs(f64 - real(i32, real64)/3) <= 0), "real64 restored")
        call neargrid_restore(perm, flags)
        call check(all(flags .eqv. i32 > 3), "logical restored")
        call neargrid_restore(perm, i32_columns)
        call check(all(i32_columns(1, :) == 2*i32 - 1), "columns of int32 restored")
        call neargrid_restore(perm, i64_columns)
        call check(all(i64_columns(2, :) == 10000000000_int64*(3*i32 - 1)), &
                   "columns of int64 restored")
        call neargrid_restore(perm, f32_columns)
        call check(all(abs(f32_columns(2, :) - real(i32, real32)) <= 0), &
                   "columns of real32 restored")
        call neargrid_restore(perm, f64_columns)
        call check(all(abs(f64_columns - real(i64_columns, real64)/3) <= 0), &
                   "columns of real64 restored")
        call neargrid_restore(perm, flag_columns)
        call check(all(flag_columns .eqv. mod(i32_columns, 3) == 0), "columns of logical restored")

        wide = 7
        wide(2, 1:9:2) = f64
        call neargrid_reorder(perm, wide(2, 1:9:2))
        call check(all(abs(wide(2, 1:9:2) - real(perm, real64)/3) <= 0), "a part of an array")
        call check(all(abs(wide(1, :) - 7) <= 0) .and. all(abs(wide(:, 2) - 7) <= 0), &
                   "what is beside")
        call neargrid_reorder(perm, none, stat)
        call check(stat == 0, "columns without elements")
        call neargrid_reorder(perm(1:0), nobody, stat)
        call check(stat == 0, "no element")
    end subroutine moved_arrays

    subroutine trimmed()
        integer(c_int), allocatable :: pair_i(:), pair_j(:), again_i(:), again_j(:)
        integer(int64) :: before, after, points

        call search%set_points(cloud_f64(3, n, 43))
        call search%pairs(pair_i, pair_j)
        call search%counter(neargrid_counter_bytes_held, before)
        call search%trim()
        call search%counter(neargrid_counter_bytes_held, after)
        call search%counter(neargrid_counter_points, points)
        call check(before > after .and. after == 24*n .and. points == n, "memory given back")
        call search%pairs(again_i, again_j)
        call check(same(pair_i, again_i) .and. same(pair_j, again_j), &
                   "pairs after giving memory back")
    end subroutine trimmed

end program data
