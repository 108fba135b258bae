!> The mistakes that everybody makes once, and what neargrid answers. Nothing stops here, because
!> every call asks for `stat` and `errmsg`. A call without `stat` ends the program with this text.
!>
!>     gfortran mistakes.f90 $(pkg-config --cflags --libs neargrid-fortran) -o mistakes
!>     ./mistakes
!>
!> The compiler finds two others: `set_points(x, ierr)`, where `stat=ierr` is meant, and a
!> `pair_i` that is of another kind than `integer(c_int)`.
program mistakes
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use neargrid, only: neargrid_search, neargrid_status_name, neargrid_status_ok
    implicit none (type, external)
    integer, parameter :: n = 1000
    type(neargrid_search) :: search
    real(real64) :: x(3, n), spoiled(3, n)
    integer(c_int) :: few_i(10), few_j(10), types(n), stat
    integer(c_int), pointer :: pair_i(:), pair_j(:)
    integer(int64) :: npairs, ids(n), k
    character(len=200) :: errmsg

    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)

    call search%set_cutoff(0.1_real64, stat, errmsg)
    call show("no create before the first call")
    call search%create()

    call search%pairs(pair_i, pair_j, stat, errmsg)
    call show("a question before set_points")
    call search%set_points(x)
    call search%pairs(pair_i, pair_j, stat, errmsg)
    call show("a question before set_cutoff")

    call search%set_cutoff(-0.1_real64, stat, errmsg)
    call show("a cutoff that is not positive")
    call search%set_cutoff(0.1_real64)

    call search%set_points(transpose(x), stat=stat, errmsg=errmsg)
    call show("pos(n, 3) instead of pos(3, n)")
    call search%set_points(x, n=n + 1, stat=stat, errmsg=errmsg)
    call show("more points than the array has")
    spoiled = x
    spoiled(2, 17) = ieee_value(x(2, 17), ieee_quiet_nan)
    call search%set_points(spoiled, stat=stat, errmsg=errmsg)
    call show("a time step that was too long")

    ! After each of these the search still has the points that it had before.
    call search%pairs(npairs, few_i, few_j, stat, errmsg)
    call show("arrays that are too small")
    print "(a, i0, a, /)", "   npairs is now ", npairs, ": allocate that many and call again"

    ids = [(10*k, k=1, n)]
    ids(9) = ids(4)
    call search%set_ids(ids, stat, errmsg)
    call show("a global id twice")
    types = 1
    types(5) = 0
    call search%set_types(types, reshape([.true., .true., .true., .false.], [2, 2]), stat, errmsg)
    call show("types that count from 0")

    call search%set_box([0.0_real64, 0.0_real64, 0.0_real64], [0.15_real64, 1.0_real64, 1.0_real64], &
                        [.true., .true., .true.])
    call search%set_points(x)
    call search%pairs(pair_i, pair_j, stat, errmsg)
    call show("a periodic box too short for the cutoff")
    call search%destroy()

contains

    !> Prints the answer to a mistake. A mistake that goes through is an error of this program.
    subroutine show(mistake)
        character(len=*), intent(in) :: mistake

        if (stat == neargrid_status_ok) error stop "no error: "//mistake
        print "(a)", mistake
        print "(3x, a, a, i0)", neargrid_status_name(stat), " = ", stat
        print "(3x, a, /)", trim(errmsg)
    end subroutine show

end program mistakes
