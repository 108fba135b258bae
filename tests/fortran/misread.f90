!> Calls that could be misread. The compiler must refuse the lines marked `refused` and no other:
!> where an integer could be `n` as well as `stat`, it is given by keyword. Never run.
program misread
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_search
    implicit none (type, external)
    type(neargrid_search) :: search
    real(real64) :: pos(3, 10), x(10), y(10), z(10)
    integer(c_int) :: n, ierr
    integer(c_int), pointer :: labels(:)
    integer(int64) :: ngroups, wide
    logical :: rebuilt
    character(len=80) :: text

    call search%set_points(pos, ierr)                        ! refused
    call search%set_points(pos, n)                           ! refused
    call search%set_points(pos, 10)                          ! refused
    call search%set_points(pos, wide)                        ! refused
    call search%set_points(pos, n, ierr)                     ! refused
    call search%set_points(pos, n, ierr, text)               ! refused
    call search%set_points(x, y, z, ierr)                    ! refused
    call search%set_points(x, y, n)                          ! refused
    call search%add_points(pos, ierr)                        ! refused
    call search%add_points(x, y, ierr)                       ! refused
    call search%set_queries(pos, ierr)                       ! refused
    call search%set_queries(x, y, z, n, ierr)                ! refused
    call search%update(pos, ierr)                            ! refused
    call search%update(pos, rebuilt, ierr)                   ! refused
    call search%update(x, y, rebuilt)                        ! refused
    call search%update(x, y, z, rebuilt, n, ierr)            ! refused
    call search%fof(labels, ierr)                            ! refused
    call search%fof(labels, ngroups)                         ! refused

    call search%set_points(pos, stat=ierr)
    call search%set_points(pos, n=n)
    call search%set_points(pos, n=n, stat=ierr, errmsg=text)
    call search%set_points(x, y, z, stat=ierr, n=n)
    call search%update(pos, rebuilt, n=n, stat=ierr)
    call search%fof(labels, ngroups=ngroups, stat=ierr)

    ! Of one array of rank 1 the search cannot know how many coordinates a point has.
    call search%set_points(x)                                ! refused
    call search%set_points(x, ierr)                          ! refused
    call search%set_points(x, 3)                             ! refused
    call search%set_points(x, n=n)                           ! refused
    call search%set_points(x, text, ierr)                    ! refused
    call search%add_points(x, stat=ierr)                     ! refused
    call search%set_queries(x)                               ! refused
    call search%update(x, rebuilt)                           ! refused
    call search%set_points(x, dim=1)
    call search%set_points(x, dim=2, n=n, stat=ierr)
    call search%update(x, rebuilt, dim=1)

    ! Of a first point the search cannot know where the next one is.
    call search%set_points(x(1), y(1))                       ! refused
    call search%set_points(x(1), y(1), n=n)                  ! refused
    call search%set_points(x(1), y(1), stride=8)             ! refused
    call search%set_points(x(1), y(1), n, 8)                 ! refused
    call search%set_points(pos(1, 1), n)                     ! refused
    call search%add_points(x(1), y(1), n=n)                  ! refused
    call search%set_queries(x(1), y(1), z(1), n=n)           ! refused
    call search%update(x(1), y(1), n=n)                      ! refused
    call search%set_points(x(1), y(1), n=n, stride=8)
    call search%update(x(1), y(1), z(1), rebuilt, n=n, stride=8)
end program misread
