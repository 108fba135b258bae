!> Particles brought into spatial order, so that neighbors in space are neighbors in memory, and
!> back into their own.
!>
!>     gfortran reorder.f90 $(pkg-config --cflags --libs neargrid-fortran) -o reorder && ./reorder
program reorder
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_reorder, neargrid_restore, neargrid_search
    implicit none (type, external)
    integer, parameter :: n = 10000
    type(neargrid_search) :: search
    real(real64) :: x(3, n), mass(n)
    integer :: label(n), k
    integer(c_int), allocatable :: perm(:)

    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)
    call random_number(mass)
    label = [(k, k=1, n)]       ! who is who, to be found again later

    call search%create()
    call search%set_cutoff(0.06_real64)
    call search%set_points(x)
    call tell("as they came")

    call search%order(perm)
    call neargrid_reorder(perm, x)          ! every array that is by particle
    call neargrid_reorder(perm, mass)
    call neargrid_reorder(perm, label)
    call search%set_points(x)               ! pairs are in the new numbers from here on
    call tell("in spatial order")

    call neargrid_restore(perm, x)          ! for output, say
    call neargrid_restore(perm, mass)
    call neargrid_restore(perm, label)
    call search%set_points(x)
    call tell("restored")
    if (any(label /= [(k, k=1, n)])) error stop "particles were lost"
    call search%destroy()

contains

    !> The distance in memory of the two of a pair, on average.
    subroutine tell(when)
        character(len=*), intent(in) :: when
        integer(c_int), pointer :: pair_i(:), pair_j(:)
        integer(int64) :: apart

        call search%pairs(pair_i, pair_j)
        apart = sum(int(pair_j - pair_i, int64))/size(pair_i)
        print "(a, a17, a, i0, a, i0, a)", "particles ", when, ": ", size(pair_i), &
            " pairs, on average ", apart, " elements apart"
    end subroutine tell

end program reorder
