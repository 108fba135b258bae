!> Calls that could be misread. The compiler must refuse the lines marked `refused` and no other:
!> where an integer could be `n` or `kind` as well as `stat`, it is given by keyword. Never run.
program misread
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_formula, neargrid_knn_all, neargrid_neighbors_full, neargrid_search
    implicit none (type, external)
    type(neargrid_search) :: search
    real(real64) :: pos(3, 10), x(10), y(10), z(10)
    integer(c_int) :: n, ierr
    type(neargrid_formula) :: formula
    integer(c_int), pointer :: labels(:), ids(:), near(:, :)
    integer(int64), pointer :: offsets(:)
    real(real64), pointer :: distances(:, :)
    real(real64), allocatable :: ax(:), ay(:)
    integer(int64) :: ngroups, wide
    logical :: rebuilt
    character(len=80) :: text

    call search%create(ierr)                                 ! refused
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

    call search%neighbors(offsets, ids, ierr)                ! refused
    call search%neighbors(offsets, ids, .true.)              ! refused
    call search%neighbors(wide, offsets, ids, ierr)          ! refused
    call search%count_neighbors(wide, ierr)                  ! refused
    call search%verlet_list(offsets, ids, rebuilt)           ! refused
    call search%chunks_begin(1000_int64, wide, ierr)         ! refused
    call search%knn(3_c_int, near, distances, ierr)          ! refused
    call search%knn(3_c_int, near, distances, labels)        ! refused
    call search%run(formula, ierr)                           ! refused
    call search%run(formula, 3_int64)                        ! refused
    call search%run(formula, times=1.0)                      ! refused
    call search%get("a", x)                                  ! refused
    call search%get("a", ax, y)                              ! refused
    call search%set("v", x, 3)                               ! refused
    call formula%get("k", ierr)                              ! refused

    call search%neighbors(offsets, ids, stat=ierr)
    call search%neighbors(offsets, ids, kind=neargrid_neighbors_full, stat=ierr, errmsg=text)
    call search%count_neighbors(wide, kind=neargrid_neighbors_full)
    call search%verlet_list(offsets, ids, rebuilt=rebuilt)
    call search%chunks_begin(1000_int64, wide, kind=neargrid_neighbors_full)
    call search%knn(3_c_int, near, distances, kind=neargrid_knn_all, counts=labels, stat=ierr)
    call search%run(formula, kind=neargrid_neighbors_full, stat=ierr)
    call search%run(formula, times=3, kind=neargrid_neighbors_full, stat=ierr, errmsg=text)
    call search%run(formula, errmsg=text, times=3_int64)
    call search%get("a", wide, x, ierr, text)
    call search%get("a", ax, ay, stat=ierr)
    call search%get_query("a", ax, ay, stat=ierr)
    call search%set("v", x, y, stat=ierr)
    call formula%get("k", x(1), ierr)
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
