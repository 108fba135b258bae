!> A radius per point: rows, pairs and queries by each rule against the plain double loop, in both
!> kinds; pairs in chunks, rows by global ids.
program radii
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, same
    implicit none (type, external)
    integer, parameter :: n = 160, nq = 40
    integer(c_int), parameter :: rules(5) = [neargrid_radius_gather, neargrid_radius_scatter, &
        neargrid_radius_max, neargrid_radius_min, neargrid_radius_mean]
    type(neargrid_search) :: search
    real(real64) :: x(3, n + nq), r(n + nq)         ! points, then queries
    real(real32) :: x32(3, n + nq), r32(n + nq)
    integer(c_int) :: stat, rule
    character(len=400) :: errmsg
    integer :: dim, k

    x32 = real(cloud_f64(3, n + nq, 3), real32)
    r32 = real(0.5_real64*0.01_real64**reshape(cloud_f64(1, n + nq, 4), [n + nq]), real32)
    x = x32
    r = r32
    call search%create()
    do dim = 1, 3
        do k = 1, size(rules)
            rule = rules(k)
            call by_rule_f64()
            call by_rule_f32()
        end do
    end do
    call solved()
    call search%destroy()
    call finish("radii", 3*5*2*2 + 3*3*2*2 + 3*3*2 + 9)

contains

    !> Radii at which a sum reaches a target.
    subroutine solved()
        type(neargrid_search) :: line
        type(neargrid_formula) :: count
        real(real64), allocatable :: radii(:)
        real(real32), allocatable :: radii32(:)
        integer(c_int), allocatable :: outcomes(:)
        integer(int64) :: nunsolved

        call line%create()
        call line%set_points(reshape([0.0_real64, 1.0_real64, 3.0_real64, 100.0_real64], [1, 4]))
        call count%create("n += 1")
        call line%solve_radii(count, "n", 1.0_real64, 0.5_real64, 8.0_real64, radii, &
                              tolerance=0.0_real64, outcomes=outcomes, nunsolved=nunsolved)
        call check(size(radii) == 4 .and. all(abs(radii - [1.0_real64, 1.0_real64, 2.0_real64, 8.0_real64]) <= 0), "radii")
        call check(all(outcomes(:3) == neargrid_outcome_solved) .and. nunsolved == 1, "solved")
        call check(outcomes(4) == neargrid_outcome_above_largest, "above the largest radius")
        call line%solve_radii(count, "n", 1.0_real64, 0.5_real64, 8.0_real64, radii, &
                              max_iterations=2_c_int, nunsolved=nunsolved)
        call check(nunsolved == 4, "few iterations")
        call line%set_points(reshape([0.0, 1.0, 3.0, 100.0], [1, 4]))
        call line%solve_radii(count, "n", 2.0, 0.5, 128.0, radii32, tolerance=0.0)
        call check(all(abs(radii32 - [3.0, 2.0, 3.0, 99.0]) <= 0), "radii in real32")
        call line%solve_radii(count, "m", 2.0, 0.5, 128.0, radii32, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "'m'", "a field that is not made")
        call check(size(radii32) == 4, "radii after a failure")
    end subroutine solved

    subroutine by_rule_f64()
        integer(int64), allocatable :: offsets(:), of_queries(:)
        integer(c_int), allocatable :: ids(:), found(:), pair_i(:), pair_j(:)
        integer :: i, j
        logical :: rows

        call search%set_points(x(1:dim, 1:n))
        call search%set_radii(r(1:n), rule)
        call search%set_queries(x(1:dim, n + 1:))
        call search%set_query_radii(r(n + 1:))
        call search%neighbors(offsets, ids)
        call search%neighbors(of_queries, found, kind=neargrid_neighbors_queries)
        rows = .true.
        do i = 1, n
            associate (row => pack([(int(j, c_int), j=1, n)], &
                                   [(i /= j .and. is_near_f64(i, j), j=1, n)]))
                rows = rows .and. same(ids(offsets(i):offsets(i + 1) - 1), row)
            end associate
        end do
        call check(rows, "rows by radii, real64")
        rows = .true.
        do i = n + 1, n + nq
            associate (row => pack([(int(j, c_int), j=1, n)], [(is_near_f64(i, j), j=1, n)]))
                rows = rows .and. same(found(of_queries(i - n):of_queries(i - n + 1) - 1), row)
            end associate
        end do
        call check(rows, "queries by radii, real64")
        if (rule == neargrid_radius_gather .or. rule == neargrid_radius_scatter) return
        call search%pairs(pair_i, pair_j)
        call compare_pairs(offsets, ids, pair_i, pair_j)
    end subroutine by_rule_f64

    logical function is_near_f64(i, j)
        integer, intent(in) :: i, j
        real(real64) :: c, d2, d, c2
        integer :: axis

        c = r(i)
        if (rule == neargrid_radius_scatter) c = r(j)
        if (rule == neargrid_radius_max) c = max(r(i), r(j))
        if (rule == neargrid_radius_min) c = min(r(i), r(j))
        if (rule == neargrid_radius_mean) c = 0.5_real64*(r(i) + r(j))
        d2 = 0
        do axis = 1, dim
            d = x(axis, i) - x(axis, j)
            d = d*d
            d2 = d2 + d
        end do
        c2 = c*c
        is_near_f64 = d2 <= c2
    end function is_near_f64

    subroutine by_rule_f32()
        integer(int64), allocatable :: offsets(:), of_queries(:)
        integer(c_int), allocatable :: ids(:), found(:), pair_i(:), pair_j(:)
        integer :: i, j
        logical :: rows

        call search%set_points(x32(1:dim, 1:n))
        call search%set_radii(r32(1:n), rule)
        call search%set_queries(x32(1:dim, n + 1:))
        call search%set_query_radii(r32(n + 1:))
        call search%neighbors(offsets, ids)
        call search%neighbors(of_queries, found, kind=neargrid_neighbors_queries)
        rows = .true.
        do i = 1, n
            associate (row => pack([(int(j, c_int), j=1, n)], &
                                   [(i /= j .and. is_near_f32(i, j), j=1, n)]))
                rows = rows .and. same(ids(offsets(i):offsets(i + 1) - 1), row)
            end associate
        end do
        call check(rows, "rows by radii, real32")
        rows = .true.
        do i = n + 1, n + nq
            associate (row => pack([(int(j, c_int), j=1, n)], [(is_near_f32(i, j), j=1, n)]))
                rows = rows .and. same(found(of_queries(i - n):of_queries(i - n + 1) - 1), row)
            end associate
        end do
        call check(rows, "queries by radii, real32")
        if (rule == neargrid_radius_gather .or. rule == neargrid_radius_scatter) return
        call search%pairs(pair_i, pair_j)
        call compare_pairs(offsets, ids, pair_i, pair_j)
        call in_chunks(pair_i, pair_j)
        call by_ids(offsets, ids)
    end subroutine by_rule_f32

    !> Chunks hold the pairs of the list.
    subroutine in_chunks(pair_i, pair_j)
        integer(c_int), intent(in) :: pair_i(:), pair_j(:)
        integer(c_int), pointer :: left(:), right(:)
        integer(int64) :: total, npairs, at
        logical :: are

        call search%chunks_begin(size(pair_i)/3 + int(n, int64), total, kind=neargrid_neighbors_half)
        at = 0
        are = total == size(pair_i)
        do
            call search%chunks_next_pairs(npairs, left, right)
            if (npairs == 0 .or. at + npairs > total) exit
            are = are .and. same(left, pair_i(at + 1:at + npairs)) .and. &
                  same(right, pair_j(at + 1:at + npairs))
            at = at + npairs
        end do
        call check(are .and. at == total, "pairs by radii in chunks")
    end subroutine in_chunks

    !> With ids that descend, rows do so too.
    subroutine by_ids(offsets, ids)
        integer(int64), intent(in) :: offsets(:)
        integer(c_int), intent(in) :: ids(:)
        integer(int64), allocatable :: of_rows(:)
        integer(c_int), allocatable :: found(:)
        integer :: i
        logical :: are

        call search%set_ids([(-i, i=1, n)])
        call search%neighbors(of_rows, found)
        are = all(of_rows == offsets)
        do i = 1, n
            are = are .and. same(found(offsets(i):offsets(i + 1) - 1), ids(offsets(i + 1) - 1:offsets(i):-1))
        end do
        call check(are, "rows by radii and global ids")
        call search%set_ids([integer ::])
    end subroutine by_ids

    logical function is_near_f32(i, j)
        integer, intent(in) :: i, j
        real(real32) :: c, d2, d, c2
        integer :: axis

        c = r32(i)
        if (rule == neargrid_radius_scatter) c = r32(j)
        if (rule == neargrid_radius_max) c = max(r32(i), r32(j))
        if (rule == neargrid_radius_min) c = min(r32(i), r32(j))
        if (rule == neargrid_radius_mean) c = 0.5_real32*(r32(i) + r32(j))
        d2 = 0
        do axis = 1, dim
            d = x32(axis, i) - x32(axis, j)
            d = d*d
            d2 = d2 + d
        end do
        c2 = c*c
        is_near_f32 = d2 <= c2
    end function is_near_f32

    !> Pairs are what full rows have behind the diagonal.
    subroutine compare_pairs(offsets, ids, pair_i, pair_j)
        integer(int64), intent(in) :: offsets(:)
        integer(c_int), intent(in) :: ids(:), pair_i(:), pair_j(:)
        integer(c_int) :: rows(size(ids))
        integer :: i

        do i = 1, n
            rows(offsets(i):offsets(i + 1) - 1) = int(i, c_int)
        end do
        call check(same(pair_i, pack(rows, ids > rows)), "left points of pairs by radii")
        call check(same(pair_j, pack(ids, ids > rows)), "right points of pairs by radii")
    end subroutine compare_pairs

end program radii
