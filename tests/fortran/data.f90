!> Distances and displacements of pairs, rows and queries, spatial order, and moving arrays of all kinds and
!> ranks.
program data
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    use neargrid
    use support, only: check, cloud_f32, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 150
    type(neargrid_search) :: search
    integer(c_int) :: stat
    integer :: dim

    call search%create()
    call search%set_cutoff(0.2_real64)
    do dim = 1, 3
        call values_f64()
        call values_f32()
        call spatial_order()
    end do
    call moved_arrays()
    call search%destroy()
    call finish("data", 40)

contains

    !> Distances and displacements of pairs, of rows and of queries at the points; arrays larger than needed
    !> stay as they were beyond.
    subroutine values_f64()
        integer(c_int), allocatable :: pair_i(:), pair_j(:), ids(:)
        integer(int64), allocatable :: offsets(:)
        real(real64), allocatable :: d(:), r(:, :), want_d(:), want_r(:, :)
        real(real64) :: x(dim, n)
        integer :: k, total

        x = cloud_f64(dim, n, 31)
        call search%set_points(x)
        call search%pairs(pair_i, pair_j)
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_half)
        call search%set_queries(x)
        total = size(ids)
        allocate (want_d(total), want_r(dim, total), d(total + 2), r(dim, total + 2))
        call search%distances(pair_i, pair_j, want_d)
        call search%displacements(pair_i, pair_j, want_r)
        call check(all(want_d > 0) .and. all(abs(want_r - (x(:, pair_i) - x(:, pair_j))) <= 0), "pairs, real64")
        do k = 1, 2
            d = -5
            r = -5
            if (k == 1) call search%distances(offsets, ids, d)
            if (k == 1) call search%displacements(offsets, ids, r)
            if (k == 2) call search%query_distances(offsets, ids, d)
            if (k == 2) call search%query_displacements(offsets, ids, r)
            call check(all(abs(d(:total) - want_d) <= 0), "distances, real64")
            call check(all(abs(r(:, :total) - want_r) <= 0), "displacements, real64")
            call check(all(abs(d(total + 1:) + 5) <= 0), "beyond the distances")
            call check(all(abs(r(:, total + 1:) + 5) <= 0), "beyond the displacements")
        end do
    end subroutine values_f64

    subroutine values_f32()
        integer(c_int), allocatable :: pair_i(:), pair_j(:), ids(:)
        integer(int64), allocatable :: offsets(:)
        real(real32), allocatable :: d(:, :), r(:, :, :)
        real(real32) :: x(dim, n)
        integer :: k

        x = cloud_f32(dim, n, 37)
        call search%set_points(x)
        call search%pairs(pair_i, pair_j)
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_half)
        call search%set_queries(x)
        allocate (d(size(ids), 3), r(dim, size(ids), 3))
        d = -5
        r = -5
        call search%distances(pair_i, pair_j, d(:, 1))
        call search%displacements(pair_i, pair_j, r(:, :, 1))
        call search%distances(offsets, ids, d(:, 2))
        call search%displacements(offsets, ids, r(:, :, 2))
        call search%query_distances(offsets, ids, d(:, 3))
        call search%query_displacements(offsets, ids, r(:, :, 3))
        call check(all(d(:, 1) > 0) .and. all(abs(r(:, :, 1) - (x(:, pair_i) - x(:, pair_j))) <= 0), "pairs, real32")
        do k = 2, 3
            call check(all(abs(d(:, k) - d(:, 1)) <= 0), "distances, real32")
            call check(all(abs(r(:, :, k) - r(:, :, 1)) <= 0), "displacements, real32")
        end do
    end subroutine values_f32

    !> A permutation, and points there and back.
    subroutine spatial_order()
        integer(c_int), allocatable :: perm(:)
        real(real64) :: x(dim, n)

        x = cloud_f64(dim, n, 41)
        call search%set_points(x)
        call search%order(perm)
        call neargrid_reorder(perm, x)
        call check(size(perm) == n .and. any(perm(:n - 1) > perm(2:)), "an order")
        if (dim == 1) call check(all(x(1, :n - 1) <= x(1, 2:)), "sorted along a line")
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

end program data
