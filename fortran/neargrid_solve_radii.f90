! Made from neargrid_solve_radii.fypp: change that file, then `make fortran`.
!> Radii at which sums over neighbors reach a target.
submodule (neargrid) neargrid_solve_radii
    use, intrinsic :: iso_c_binding, only: c_null_char
    use neargrid_arrays, only: widened
    use neargrid_errors, only: has_nul, no_memory
    implicit none (type, external)
    real(real64), parameter :: default_tolerance = 1.0e-6_real64
    integer(int64), parameter :: default_iterations = 100

contains

    module procedure solve_radii_f32
        real(real32), allocatable :: new_radii(:)
        integer(c_int), allocatable :: new_outcomes(:)
        real(real64) :: share
        integer(int64) :: capacity, iterations, n, unsolved
        integer(c_int) :: status
        integer :: round, unallocated

        if (present(by_keyword)) continue
        if (has_nul("field", field, "solve_radii", stat, errmsg, owned(self))) return
        share = default_tolerance
        if (present(tolerance)) share = widened(tolerance)
        iterations = default_iterations
        if (present(max_iterations)) iterations = max_iterations
        n = 0
        unsolved = 0
        do round = 1, 2     ! the first call says how many radii there are
            if (allocated(new_radii)) deallocate (new_radii, new_outcomes)
            allocate (new_radii(n), new_outcomes(n), stat=unallocated)
            capacity = n
            if (no_memory(unallocated, n, "solve_radii", stat, errmsg, owned(self))) return
            status = neargrid_solve_radii_f32(owned(self), owned(formula), rows_of(kind), &
                trim(field) // c_null_char, widened(target), &
                widened(smallest), widened(largest), share, iterations, capacity, n, &
                new_radii, new_outcomes, unsolved)
            if (status /= neargrid_status_capacity) exit
        end do
        if (status == neargrid_status_ok) then
            call move_alloc(new_radii, radii)
            if (present(outcomes)) call move_alloc(new_outcomes, outcomes)
            if (present(nunsolved)) nunsolved = unsolved
        end if
        call report_on(owned(self), status, "solve_radii", stat, errmsg)
    end procedure solve_radii_f32

    module procedure solve_radii_f64
        real(real64), allocatable :: new_radii(:)
        integer(c_int), allocatable :: new_outcomes(:)
        real(real64) :: share
        integer(int64) :: capacity, iterations, n, unsolved
        integer(c_int) :: status
        integer :: round, unallocated

        if (present(by_keyword)) continue
        if (has_nul("field", field, "solve_radii", stat, errmsg, owned(self))) return
        share = default_tolerance
        if (present(tolerance)) share = tolerance
        iterations = default_iterations
        if (present(max_iterations)) iterations = max_iterations
        n = 0
        unsolved = 0
        do round = 1, 2     ! the first call says how many radii there are
            if (allocated(new_radii)) deallocate (new_radii, new_outcomes)
            allocate (new_radii(n), new_outcomes(n), stat=unallocated)
            capacity = n
            if (no_memory(unallocated, n, "solve_radii", stat, errmsg, owned(self))) return
            status = neargrid_solve_radii_f64(owned(self), owned(formula), rows_of(kind), &
                trim(field) // c_null_char, target, &
                smallest, largest, share, iterations, capacity, n, &
                new_radii, new_outcomes, unsolved)
            if (status /= neargrid_status_capacity) exit
        end do
        if (status == neargrid_status_ok) then
            call move_alloc(new_radii, radii)
            if (present(outcomes)) call move_alloc(new_outcomes, outcomes)
            if (present(nunsolved)) nunsolved = unsolved
        end if
        call report_on(owned(self), status, "solve_radii", stat, errmsg)
    end procedure solve_radii_f64

end submodule neargrid_solve_radii
