!> Points that do not stand one behind the other: sections, arrays backwards, arrays of structures. The
!> results are those of contiguous points. Compiled so that a program says where the compiler packs
!> an array: no call here may make it do that.
program strides
    use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_loc, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, guard, plain_pairs, same
    implicit none (type, external)

    type :: particle_f64
        integer :: id
        real(real64) :: x, y, z
        logical :: is_wall
    end type particle_f64

    type :: particle_f32
        real(real64) :: mass
        real(real32) :: x, y, z
        character(len=3) :: name
    end type particle_f32

    integer, parameter :: n = 150, m = 60
    real(real64), parameter :: cutoff = 0.2_real64
    type(particle_f64) :: p(n)
    type(particle_f32) :: q(n)
    real(real64) :: pos(3, n), wide(5, n), row(n), hole
    real(real32) :: flat(4*n)
    integer(c_int), allocatable :: want_i(:), want_j(:), back_i(:), back_j(:)
    integer(c_int), parameter :: all_points = n, of_p = storage_size(p)/8, of_q = storage_size(q)/8
    type(neargrid_search) :: search
    integer :: i

    hole = -1
    hole = sqrt(hole)       ! NaN: the search refuses it where it reads it
    pos = nint(1024*cloud_f64(3, n, 17))/1024.0_real64      ! exact in both kinds
    call plain_pairs(pos, cutoff, want_i, want_j)
    call check(size(want_i) > 100, "a cloud with pairs")
    p%x = pos(1, :)
    p%y = pos(2, :)
    p%z = pos(3, :)
    q%x = real(pos(1, :), real32)
    q%y = real(pos(2, :), real32)
    q%z = real(pos(3, :), real32)
    call search%create()
    call search%set_cutoff(cutoff)
    call sections()
    call backwards()
    call first_points()
    call first_points_f32()
    call first_points_of_fewer_axes()
    call refusals()
    call search%destroy()
    deallocate (want_i, want_j, back_i, back_j)     ! a main program frees nothing by itself
    call finish("strides", 30)

contains

    subroutine expect(pair_i, pair_j, what)
        integer(c_int), intent(in) :: pair_i(:), pair_j(:)
        character(len=*), intent(in) :: what
        integer(c_int), pointer, contiguous :: found_i(:), found_j(:)

        call search%pairs(found_i, found_j)
        call check(same(found_i, pair_i) .and. same(found_j, pair_j), what)
    end subroutine expect

    subroutine sections()
        wide = hole
        wide(2:4, :) = pos
        call search%set_points(wide(2:4, :))
        call expect(want_i, want_j, "pos(2:4, :)")
        call search%set_points(wide(2, :), wide(3, :), wide(4, :))
        call expect(want_i, want_j, "rows as x, y, z")
        row = pos(2, :)
        call search%set_points(wide(2, :), row, wide(4, :))
        call expect(want_i, want_j, "x, y, z of different strides")
        call search%set_points(wide(2, :), row, wide(4, n:1:-1), n=1_c_int)
        call expect(want_i(1:0), want_j(1:0), "one point of different strides")
        call search%set_points(wide(2, 1:m), wide(3, 1:m), wide(4, 1:m))
        call search%add_points(wide(2:4, m + 1:))
        call expect(want_i, want_j, "sections in two parts")
        flat = real(hole, real32)
        flat(1:4*n:2) = [(real(pos(1:2, i), real32), i=1, n)]
        call search%set_points(flat(1:4*n:2), dim=2_c_int)
        call plain_pairs(pos(1:2, 1:n), cutoff, back_i, back_j)
        call expect(back_i, back_j, "every other element of x(dim*n)")
    end subroutine sections

    subroutine backwards()
        wide(2:4, :) = pos(:, n:1:-1)
        call search%set_points(wide(2:4, n:1:-1))
        call expect(want_i, want_j, "columns backwards")
        call search%set_points(wide(4:2:-1, n:1:-1))
        call expect(want_i, want_j, "axes backwards")
        call search%set_points(wide(2, n:1:-1), wide(3, n:1:-1), wide(4, n:1:-1))
        call expect(want_i, want_j, "x, y, z backwards")
        call search%set_points(wide(2, n:1:-1), row, wide(4, n:1:-1))
        call expect(want_i, want_j, "x and z backwards")
    end subroutine backwards

    !> Arrays of structures by the first point and the stride, for each procedure.
    subroutine first_points()
        integer(int64), allocatable :: offsets(:), want_offsets(:)
        integer(c_int), allocatable :: ids(:), want_ids(:)
        logical :: rebuilt

        call search%set_points(p(1)%x, p(1)%y, p(1)%z, n=all_points, stride=of_p)
        call expect(want_i, want_j, "a first point")
        call search%set_points(p(n)%x, p(n)%y, p(n)%z, n=all_points, stride=-of_p)
        call plain_pairs(pos(:, n:1:-1), cutoff, back_i, back_j)
        call expect(back_i, back_j, "a last point, backwards")
        call search%set_points(p(1)%x, p(1)%y, p(1)%z, n=int(m, c_int), stride=of_p)
        call search%add_points(p(m + 1)%x, p(m + 1)%y, p(m + 1)%z, n=int(n - m, c_int), stride=of_p)
        call expect(want_i, want_j, "first points of two parts")
        call search%update(p(1)%x, p(1)%y, p(1)%z, rebuilt, n=all_points, stride=of_p)
        call check(rebuilt, "an update without a skin")
        call expect(want_i, want_j, "a first point of an update")
        call search%set_queries(pos(:, 1:m))
        call search%neighbors(want_offsets, want_ids, kind=neargrid_neighbors_queries)
        call search%set_queries(p(1)%x, p(1)%y, p(1)%z, n=int(m, c_int), stride=of_p)
        call search%neighbors(offsets, ids, kind=neargrid_neighbors_queries)
        call check(all(offsets == want_offsets) .and. same(ids, want_ids), "a first query")
    end subroutine first_points

    subroutine first_points_f32()
        call search%set_points(real(pos, real32))
        call search%pairs(back_i, back_j)
        call search%set_points(q(1)%x, q(1)%y, q(1)%z, n=all_points, stride=of_q)
        call expect(back_i, back_j, "a first point, real32")
        call search%set_points(q(1)%x, q(1)%y, q(1)%z, n=int(m, c_int), stride=of_q)
        call search%add_points(q(m + 1)%x, q(m + 1)%y, q(m + 1)%z, n=int(n - m, c_int), stride=of_q)
        call expect(back_i, back_j, "first points of two parts, real32")
        call search%update(q(1)%x, q(1)%y, q(1)%z, n=all_points, stride=of_q)
        call expect(back_i, back_j, "a first point of an update, real32")
        call search%set_queries(q(1)%x, q(1)%y, q(1)%z, n=3_c_int, stride=of_q)
    end subroutine first_points_f32

    subroutine first_points_of_fewer_axes()
        call plain_pairs(pos(1:1, :), cutoff, back_i, back_j)
        call search%set_points(p(1)%x, n=all_points, stride=of_p)
        call expect(back_i, back_j, "a first x")
        call search%set_points(pos(1, 1), n=all_points, stride=24_c_int)
        call expect(back_i, back_j, "the first x of pos(3, n)")
        call plain_pairs(pos(1:2, :), cutoff, back_i, back_j)
        call search%set_points(p(1)%x, p(1)%y, n=all_points, stride=of_p)
        call expect(back_i, back_j, "first x, y")
    end subroutine first_points_of_fewer_axes

    subroutine refusals()
        integer(c_int) :: stat
        character(len=200) :: errmsg

        call search%set_points(p(1)%x, p(1)%y, n=all_points, stride=4_c_int, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "stride = 4", "a short stride")
        call search%set_points(p(1)%x, n=-1_c_int, stride=of_p, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "n = -1", "a negative n")
        stat = guard
        call search%set_points(p(1)%x, n=0_c_int, stride=of_p, stat=stat)
        call check(stat == neargrid_status_ok, "no points of a first one")
        call expect(want_i(1:0), want_j(1:0), "pairs of no points")
    end subroutine refusals

end program strides
