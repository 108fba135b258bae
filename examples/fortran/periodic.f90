!> Particles on a random walk through a periodic box: a list with a skin is kept while they move
!> little, and what is asked of it is exact at every step.
!>
!>     gfortran periodic.f90 $(pkg-config --cflags --libs neargrid-fortran) -o periodic
!>     ./periodic
program periodic
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_counter_skin_lists, neargrid_search
    implicit none (type, external)
    integer, parameter :: n = 5000, nsteps = 200
    real(real64), parameter :: edge = 1, cutoff = 0.09_real64, skin = 0.02_real64
    type(neargrid_search) :: search
    real(real64) :: x(3, n), step(3, n)
    integer(c_int), pointer :: pair_i(:), pair_j(:)
    integer(int64) :: lists
    integer :: k

    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(x)

    call search%create()
    call search%set_cutoff(cutoff)
    call search%set_box([0, 0, 0]*edge, [1, 1, 1]*edge, [.true., .true., .true.])
    call search%set_skin(skin)
    do k = 1, nsteps
        call search%update(x)                   ! in the place of set_points
        call search%pairs(pair_i, pair_j)       ! those within the cutoff, not within cutoff + skin
        ! ... forces; here particles only diffuse. They may leave the box: searches wrap a copy.
        call random_number(step)
        x = x + 0.002_real64*(step - 0.5_real64)
    end do
    call search%counter(neargrid_counter_skin_lists, lists)
    print "(i0, a, i0, a)", nsteps, " steps were served by ", lists, " lists;"
    print "(a, i0, a)", "the last found ", size(pair_i), " pairs"
    call search%destroy()

end program periodic
