!> A radius per point and query in both kinds, by each rule; radii at which sums reach a target.
program radii
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 160, nq = 40
    integer(c_int), parameter :: rules(5) = [neargrid_radius_gather, neargrid_radius_scatter, &
        neargrid_radius_max, neargrid_radius_min, neargrid_radius_mean]
    type(neargrid_search) :: search
    integer(c_int) :: stat
    character(len=400) :: errmsg

    call search%create()
    call both_kinds()
    call solved()
    call search%destroy()
    call finish("radii", 14)

contains

    !> Radii and queries in both kinds; sixteenths and powers of two are exact in both.
    subroutine both_kinds()
        real(real64) :: x(3, n + nq), r(n + nq)             ! points, then queries
        integer(int64) :: total(2), of_queries(2)
        integer :: k

        x = real(nint(64*cloud_f64(3, n + nq, 3)), real64)/64
        r = [(0.5_real64**(1 + mod(k, 5)), k=1, n + nq)]
        do k = 1, size(rules)
            call search%set_points(x(:, :n))
            call search%set_radii(r(:n), rules(k))
            call search%set_queries(x(:, n + 1:))
            call search%set_query_radii(r(n + 1:))
            call search%count_neighbors(total(1))
            call search%count_neighbors(of_queries(1), kind=neargrid_neighbors_queries)
            call search%set_points(real(x(:, :n), real32))
            call search%set_radii(real(r(:n), real32), rules(k))
            call search%set_queries(real(x(:, n + 1:), real32))
            call search%set_query_radii(real(r(n + 1:), real32))
            call search%count_neighbors(total(2))
            call search%count_neighbors(of_queries(2), kind=neargrid_neighbors_queries)
            call check(total(1) == total(2) .and. of_queries(1) == of_queries(2) .and. total(1) > n, "both kinds")
        end do
        call search%clear_radii()
        call search%set_cutoff(0.25_real64)
        call search%count_neighbors(total(1))
        call check(total(1) /= total(2), "one cutoff")
    end subroutine both_kinds

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

end program radii
