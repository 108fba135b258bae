!> Pair fields: springs of contacts that are made and lost, against a plain loop over a table of all pairs;
!> a restart from what was read, in both real kinds.
program pair_fields
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 50, steps = 50
    real(real64), parameter :: cutoff = 0.25_real64, dt = 0.0625_real64
    character(len=*), parameter :: line = new_line("a")
    type(neargrid_search) :: search
    type(neargrid_formula) :: formula
    real(real64) :: x(3, n), v(3, n), springs(3, n, n)
    integer :: ages(n, n), made, lost, k

    x = cloud_f64(3, n, 1)
    v = 0.5_real64*cloud_f64(3, n, 2) - 0.25_real64
    springs = 0
    ages = 0
    made = 0
    lost = 0
    call formula%create("spring_ij = spring_ij + dt*(v_i - v_j)" // line // "age_ij = age_ij + 1" // line // &
                        "f += -d - 2*spring_ij; v_i = v_i + dt*f_i; x_i = x_i + dt*v_i")
    call formula%set_precision(neargrid_precision_double)
    call formula%set("dt", dt)
    call begin(search)
    do k = 1, steps
        call search%run(formula)
        call step()
        call compare(search)
    end do
    call check(made > 4*n .and. lost > n, "contacts made and lost")
    call restart()
    call by_ids()
    call formula%destroy()
    call search%destroy()
    call finish("pair_fields", 150)

contains

    subroutine begin(new)
        type(neargrid_search), intent(inout) :: new

        call new%create()
        call new%set_cutoff(cutoff)
        call new%set_points(x)
        call new%set("v", v)
    end subroutine begin

    !> The same step over all pairs.
    subroutine step()
        real(real64) :: f(3, n), d(3)
        logical :: touch
        integer :: i, j

        f = 0
        do i = 1, n
            do j = 1, n
                d = x(:, i) - x(:, j)
                touch = i /= j .and. d(1)*d(1) + d(2)*d(2) + d(3)*d(3) <= cutoff*cutoff
                if (touch .and. ages(j, i) == 0) made = made + 1
                if (.not. touch .and. ages(j, i) > 0) lost = lost + 1
                ages(j, i) = merge(ages(j, i) + 1, 0, touch)
                if (touch) then
                    springs(:, j, i) = springs(:, j, i) + dt*(v(:, i) - v(:, j))
                    f(:, i) = f(:, i) + (-d - 2*springs(:, j, i))
                else
                    springs(:, j, i) = 0
                end if
            end do
        end do
        v = v + dt*f
        x = x + dt*v
    end subroutine step

    subroutine compare(with)
        type(neargrid_search), intent(in) :: with
        integer(int64), allocatable :: offsets(:), other_offsets(:)
        integer(c_int), allocatable :: ids(:), other_ids(:)
        real(real64), allocatable :: spring(:, :), age(:)
        integer(int64) :: at
        integer :: i, j, wrong

        call with%pair_field("spring", offsets, ids, spring)
        call with%pair_field("age", other_offsets, other_ids, age)
        call check(all(shape(spring) == [3, count(ages > 0)]), "the entries")
        call check(all(offsets == other_offsets) .and. all(ids == other_ids), "the same rows")
        at = 1
        wrong = 0
        do i = 1, n
            if (offsets(i) /= at) wrong = wrong + 1
            do j = 1, n
                if (ages(j, i) == 0) cycle
                if (ids(at) /= j .or. nint(age(at)) /= ages(j, i)) wrong = wrong + 1
                if (any(abs(spring(:, at) - springs(:, j, i)) > 0)) wrong = wrong + 1
                at = at + 1
            end do
        end do
        call check(wrong == 0, "springs and ages")
    end subroutine compare

    !> Another search goes on with the springs of the first one.
    subroutine restart()
        type(neargrid_search) :: other
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: ids(:)
        real(real64), allocatable :: spring(:, :)
        real(real32), allocatable :: age(:)

        call begin(other)
        call search%pair_field("spring", offsets, ids, spring)
        call other%set_pair_field("spring", offsets, ids, spring)
        call search%pair_field("age", offsets, ids, age)
        call other%set_pair_field("age", offsets, ids, age)
        call other%run(formula, times=steps)
        do k = 1, steps
            call step()
        end do
        call compare(other)
        call other%destroy()
    end subroutine restart

    !> Another search, whose points come in the opposite order, goes on with rows of global ids.
    subroutine by_ids()
        type(neargrid_search) :: other
        integer(int64), allocatable :: offsets(:), ids(:), back(:), new_ids(:)
        real(real64), allocatable :: spring(:, :), ages_of(:)
        real(real32), allocatable :: short(:)
        integer(c_int), allocatable :: numbers(:)
        integer(int64) :: names(n)
        integer(c_int) :: stat
        character(len=300) :: errmsg
        integer :: i

        names = [(int(3*i - 70, int64), i = 1, n)]
        call search%set_pair_field("two", [1_int64, 3_int64, 3_int64], [2_c_int, 3_c_int], [0.5_real64, 1.5_real64])
        call search%pair_field("two", offsets, ids, ages_of)
        call check(all(offsets == [1, 3, 3]) .and. all(ids == [2, 3]) .and. all(abs(ages_of - [0.5, 1.5]) <= 0), &
                   "numbers where no ids are set")
        call other%create()
        call other%set_points(x(:, n:1:-1))
        call other%set_ids(names(n:1:-1))
        back = [integer(int64) :: 1, 1, 2]
        call other%set_pair_field("two", back, [names(1)], reshape([1, 2, 3]*1.0_real64, [3, 1]))
        call other%pair_field("two", offsets, ids, spring)
        call check(all(offsets == back) .and. all(ids == names(1)) .and. all(abs(spring(:, 1) - [1, 2, 3]) <= 0), "vectors")
        call other%pair_field("two", offsets, numbers, spring)
        call check(all(numbers == n), "the number of a point")
        call other%set_pair_field("one", back, [names(2)], [0.25_real32])
        call other%pair_field("one", offsets, new_ids, short)
        call check(new_ids(1) == names(2) .and. abs(short(1) - 0.25) <= 0, "real32")
        call other%set_pair_field("one", back, [integer(int64) ::], [0.25_real32], stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(ids) = 0|at least", "too few ids")
        call other%set_pair_field("one", [1_int64, 3_int64], [names(2), names(1)], [1.0, 2.0], stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "element 2 of ids is -67|more than -64", "an order")
        call other%destroy()
    end subroutine by_ids

end program pair_fields
