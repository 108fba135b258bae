!> What programs of printed sequences compare answers with.
module answers
    use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_positive_inf, ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid, only: neargrid_groups
    implicit none (type, external)

    character(len=40) :: sequence
    integer :: number, stat
    character(len=1000) :: errmsg
    real(real32) :: inf4, nan4
    real(real64) :: inf, nan
    integer(c_int), parameter :: untouched = -987654
    ! Results of calls: pointers, arrays that fit, and arrays of the caller.
    integer(c_int), pointer :: pi(:), pj(:), pt(:, :)
    integer(int64), pointer :: po(:)
    real(real32), pointer :: pd_f32(:, :)
    real(real64), pointer :: pd_f64(:, :)
    integer(c_int), allocatable :: ai(:), aj(:), at2(:, :)
    integer(int64), allocatable :: ao(:), ap(:)
    real(real32), allocatable, target :: x_f32(:), y_f32(:), z_f32(:), v_f32(:, :)
    real(real64), allocatable, target :: x_f64(:), y_f64(:), z_f64(:), v_f64(:, :)
    real(real32) :: r_f32
    real(real64) :: r_f64
    integer(int64) :: n, m
    integer(c_int) :: k
    logical :: flag
    character(len=:), allocatable :: text
    type(neargrid_groups) :: found(0:1)

    !> All elements, in their order, are those that are wanted.
    interface same
        procedure :: same_flag, same_i32, same_i64, same_f32, same_f64
        procedure :: array_flag, array_i32, array_i64, array_f32, array_f64, table_i32, table_f32, table_f64
    end interface same

    !> The first elements are, and the others were left alone.
    interface front
        procedure :: front_i32, front_i64, front_f32, front_f64, front_t32, front_v32, front_v64
    end interface front

    !> An array of the caller.
    interface room
        procedure :: room_i32, room_i64, room_f32, room_f64, room_t32, room_v32, room_v64
    end interface room

contains

    subroutine begin(name)
        character(len=*), intent(in) :: name

        sequence = name
        inf = ieee_value(inf, ieee_positive_inf)
        nan = ieee_value(nan, ieee_quiet_nan)
        inf4 = ieee_value(inf4, ieee_positive_inf)
        nan4 = ieee_value(nan4, ieee_quiet_nan)
    end subroutine begin

    subroutine next(call)
        integer, intent(in) :: call

        number = call
        stat = -1
        errmsg = ""
    end subroutine next

    subroutine done()
        if (stat /= 0) call wrong(trim(errmsg), stat)
    end subroutine done

    subroutine wrong(what, where)
        character(len=*), intent(in) :: what
        integer, intent(in) :: where

        print "(2a, i0, 3a, i0)", trim(sequence), ", call ", number, ": ", what, " ", where
        error stop
    end subroutine wrong

    subroutine must(is_right, where)
        logical, intent(in) :: is_right
        integer, intent(in) :: where

        if (.not. is_right) call wrong("answer", where)
    end subroutine must

    subroutine same_flag(found, wanted)
        logical, intent(in) :: found, wanted

        call must(found .eqv. wanted, 0)
    end subroutine same_flag

    subroutine same_i32(found, wanted)
        integer(c_int), intent(in) :: found, wanted

        call must(found == wanted, 0)
    end subroutine same_i32

    subroutine same_i64(found, wanted)
        integer(int64), intent(in) :: found, wanted

        call must(found == wanted, 0)
    end subroutine same_i64

    ! Any NaN is one.
    subroutine same_f32(found, wanted, where)
        real(real32), intent(in) :: found, wanted
        integer, intent(in), optional :: where
        integer :: at

        at = 0
        if (present(where)) at = where
        if (ieee_is_nan(found) .and. ieee_is_nan(wanted)) return
        call must(transfer(found, 1_c_int) == transfer(wanted, 1_c_int), at)
    end subroutine same_f32

    subroutine same_f64(found, wanted, where)
        real(real64), intent(in) :: found, wanted
        integer, intent(in), optional :: where
        integer :: at

        at = 0
        if (present(where)) at = where
        if (ieee_is_nan(found) .and. ieee_is_nan(wanted)) return
        call must(transfer(found, 1_int64) == transfer(wanted, 1_int64), at)
    end subroutine same_f64

    subroutine array_flag(found, wanted)
        logical, intent(in) :: found(:), wanted(:)

        call must(size(found) == size(wanted), -1)
        call must(all(found .eqv. wanted), 0)
    end subroutine array_flag

    subroutine array_i32(found, wanted)
        integer(c_int), intent(in) :: found(:), wanted(:)
        integer :: i

        call must(size(found) == size(wanted), -1)
        do i = 1, size(wanted)
            call must(found(i) == wanted(i), i)
        end do
    end subroutine array_i32

    subroutine array_i64(found, wanted)
        integer(int64), intent(in) :: found(:), wanted(:)
        integer :: i

        call must(size(found) == size(wanted), -1)
        do i = 1, size(wanted)
            call must(found(i) == wanted(i), i)
        end do
    end subroutine array_i64

    subroutine array_f32(found, wanted)
        real(real32), intent(in) :: found(:), wanted(:)
        integer :: i

        call must(size(found) == size(wanted), -1)
        do i = 1, size(wanted)
            call same_f32(found(i), wanted(i), i)
        end do
    end subroutine array_f32

    subroutine array_f64(found, wanted)
        real(real64), intent(in) :: found(:), wanted(:)
        integer :: i

        call must(size(found) == size(wanted), -1)
        do i = 1, size(wanted)
            call same_f64(found(i), wanted(i), i)
        end do
    end subroutine array_f64

    subroutine table_i32(found, wanted)
        integer(c_int), intent(in) :: found(:, :), wanted(:)

        call array_i32(reshape(found, [size(found)]), wanted)
    end subroutine table_i32

    subroutine table_f32(found, wanted)
        real(real32), intent(in) :: found(:, :), wanted(:)

        call array_f32(reshape(found, [size(found)]), wanted)
    end subroutine table_f32

    subroutine table_f64(found, wanted)
        real(real64), intent(in) :: found(:, :), wanted(:)

        call array_f64(reshape(found, [size(found)]), wanted)
    end subroutine table_f64

    subroutine front_i32(found, wanted)
        integer(c_int), intent(in) :: found(:), wanted(:)

        call must(size(found) >= size(wanted), -1)
        call array_i32(found(:size(wanted)), wanted)
        call must(all(found(size(wanted) + 1:) == untouched), -2)
    end subroutine front_i32

    subroutine front_i64(found, wanted)
        integer(int64), intent(in) :: found(:), wanted(:)

        call must(size(found) >= size(wanted), -1)
        call array_i64(found(:size(wanted)), wanted)
        call must(all(found(size(wanted) + 1:) == untouched), -2)
    end subroutine front_i64

    subroutine front_f32(found, wanted)
        real(real32), intent(in) :: found(:), wanted(:)

        call must(size(found) >= size(wanted), -1)
        call array_f32(found(:size(wanted)), wanted)
        call must(all(nint(found(size(wanted) + 1:)) == untouched), -2)
    end subroutine front_f32

    subroutine front_f64(found, wanted)
        real(real64), intent(in) :: found(:), wanted(:)

        call must(size(found) >= size(wanted), -1)
        call array_f64(found(:size(wanted)), wanted)
        call must(all(nint(found(size(wanted) + 1:)) == untouched), -2)
    end subroutine front_f64

    subroutine front_t32(found, wanted)
        integer(c_int), intent(in) :: found(:, :), wanted(:)

        call front_i32(reshape(found, [size(found)]), wanted)
    end subroutine front_t32

    subroutine front_v32(found, wanted)
        real(real32), intent(in) :: found(:, :), wanted(:)

        call front_f32(reshape(found, [size(found)]), wanted)
    end subroutine front_v32

    subroutine front_v64(found, wanted)
        real(real64), intent(in) :: found(:, :), wanted(:)

        call front_f64(reshape(found, [size(found)]), wanted)
    end subroutine front_v64

    subroutine room_i32(array, n)
        integer(c_int), allocatable, intent(inout) :: array(:)
        integer, intent(in) :: n

        if (allocated(array)) deallocate (array)
        allocate (array(n), source=untouched)
    end subroutine room_i32

    subroutine room_i64(array, n)
        integer(int64), allocatable, intent(inout) :: array(:)
        integer, intent(in) :: n

        if (allocated(array)) deallocate (array)
        allocate (array(n), source=int(untouched, int64))
    end subroutine room_i64

    subroutine room_f32(array, n)
        real(real32), allocatable, intent(inout) :: array(:)
        integer, intent(in) :: n

        if (allocated(array)) deallocate (array)
        allocate (array(n), source=real(untouched, real32))
    end subroutine room_f32

    subroutine room_f64(array, n)
        real(real64), allocatable, intent(inout) :: array(:)
        integer, intent(in) :: n

        if (allocated(array)) deallocate (array)
        allocate (array(n), source=real(untouched, real64))
    end subroutine room_f64

    subroutine room_t32(array, m, n)
        integer(c_int), allocatable, intent(inout) :: array(:, :)
        integer, intent(in) :: m, n

        if (allocated(array)) deallocate (array)
        allocate (array(m, n), source=untouched)
    end subroutine room_t32

    subroutine room_v32(array, m, n)
        real(real32), allocatable, intent(inout) :: array(:, :)
        integer, intent(in) :: m, n

        if (allocated(array)) deallocate (array)
        allocate (array(m, n), source=real(untouched, real32))
    end subroutine room_v32

    subroutine room_v64(array, m, n)
        real(real64), allocatable, intent(inout) :: array(:, :)
        integer, intent(in) :: m, n

        if (allocated(array)) deallocate (array)
        allocate (array(m, n), source=real(untouched, real64))
    end subroutine room_v64

end module answers
