!> Pair fields in both real kinds, of numbers and of vectors, by numbers of points and by global ids.
program pair_fields
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 50
    type(neargrid_search) :: search
    type(neargrid_formula) :: formula
    real(real64) :: x(3, n)

    x = cloud_f64(3, n, 1)
    call formula%create("spring_ij = spring_ij + d; age_ij = age_ij + 1; f += -d - 2*spring_ij")
    call search%create()
    call search%set_cutoff(0.25_real64)
    call search%set_points(x)
    call search%run(formula, times=3)
    call restart()
    call by_ids()
    call formula%destroy()
    call search%destroy()
    call finish("pair_fields", 15)

contains

    !> Another search goes on with what was read of the first one.
    subroutine restart()
        type(neargrid_search) :: other
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: ids(:)
        real(real64), allocatable :: spring(:, :), again(:, :)
        real(real32), allocatable :: spring32(:, :), age(:)
        real(real64), allocatable :: age64(:)

        call other%create()
        call other%set_cutoff(0.25_real64)
        call other%set_points(x)
        call search%pair_field("spring", offsets, ids, spring)
        call other%set_pair_field("spring", offsets, ids, spring)
        call search%pair_field("age", offsets, ids, age)
        call other%set_pair_field("age", offsets, ids, age)
        call check(size(age) > n .and. all(nint(age) == 3), "ages")
        call other%run(formula)
        call search%run(formula)
        call search%pair_field("spring", offsets, ids, spring)
        call other%pair_field("spring", offsets, ids, again)
        call check(all(abs(again - spring) <= 0), "springs")
        call other%set_pair_field("spring", offsets, ids, real(spring, real32))
        call other%pair_field("spring", offsets, ids, spring32)
        call other%pair_field("age", offsets, ids, age64)
        call check(all(abs(spring32 - real(spring, real32)) <= 0) .and. all(nint(age64) == 4), "in real32")
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
