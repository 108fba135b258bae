!> Formulas and fields in all forms: both real kinds, of points and queries, vectors and axes.
program formula
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 300
    real(real64), parameter :: guard = -7
    type(neargrid_search) :: search

    call search%create()
    call search%set_backend(neargrid_backend_cpu)
    call tables()
    call both_kinds()
    call separate_axes()
    call outputs()
    call steps()
    call search%destroy()
    call finish("formula", 33)

contains

    !> Numbers of both kinds, tables, and a point that is its own neighbor.
    subroutine tables()
        type(neargrid_formula) :: sums
        real(real64), allocatable :: a(:), b(:)
        integer(int64) :: rows
        real(real64) :: room(n + 2)
        integer :: i

        call search%set_cutoff(0.3_real64)
        call search%set_points(cloud_f64(3, n, 1))
        call sums%create("a += norm*W(r) ! a table" // new_line("a") // "b += U(r/c)")
        call sums%set_precision(neargrid_precision_double)
        call sums%set("norm", 0.5_real32)
        call sums%set_table("W", neargrid_table_r, 0.0_real64, 0.5_real64, [2.0_real64, 2.0_real64])
        call sums%set_cubic_table("U", neargrid_table_r_over_c, 0.0_real64, 1.0_real64, [(1.0_real64, i = 1, 4)])
        call search%run(sums, kind=neargrid_neighbors_full)
        call search%get("a", a)
        call search%get("b", b)
        call check(all(abs(a - b) <= 0) .and. sum(a) > n, "tables of ones")
        call sums%set_include_self(.true.)
        call search%run(sums)
        room = guard
        call search%get("a", rows, room)
        call check(rows == n .and. all(abs(room(:n) - a - 1) <= 0), "points as their own neighbors")
        call check(all(abs(room(n + 1:) - guard) <= 0), "beyond the rows")
        call sums%destroy()
    end subroutine tables

    !> Numbers and vectors of points and queries in real64; allocatables are filled where they fit.
    subroutine both_kinds()
        type(neargrid_formula) :: sums
        real(real64) :: x(2, n), h(n), room(2, n + 2)
        real(real64), allocatable :: most(:, :), one(:)
        real(real32) :: single(n)
        integer(int64) :: rows
        integer :: k

        x = cloud_f64(2, n, 2)
        h = 2
        call search%set_points(x)
        call search%set_queries(x)
        call sums%create("most max= h_i*v_j - h_i*v_j + v_i; one max= h_i + 0*h_j")
        call sums%set_precision(neargrid_precision_double)
        call search%set("h", h)
        call search%set("v", x)
        call search%set_query("h", h + 2)
        call search%set_query("v", x)
        call search%run(sums, kind=neargrid_neighbors_queries)
        do k = 1, 2
            call search%get_query("most", most)
            call search%get_query("one", one)
            call check(all(abs(most - x) <= 0) .and. all(abs(one - 4) <= 0), "queries in real64")
        end do
        single = 3
        call search%set("h", single)
        call sums%create("most max= v_i + 0*v_j; one max= h_i + 0*h_j")
        call sums%set_precision(neargrid_precision_double)
        call search%run(sums)
        room = guard
        call search%get("most", rows, room)
        call check(rows == n .and. all(abs(room(:, n + 1:) - guard) <= 0), "beyond the vectors")
        do k = 1, 2
            call search%get("one", one)
            call check(size(one) == n .and. maxval(one) <= 3, "numbers set in real32")
        end do
    end subroutine both_kinds

    !> Vectors as an array for each axis, contiguous or not, are those of one array.
    subroutine separate_axes()
        type(neargrid_formula) :: sums
        real(real64) :: x(3, n), v(3, n)
        real(real64), allocatable :: whole(:, :), a(:), b(:), c(:)
        real(real32) :: single(3, n), most(2, n), px(n + 1), py(n), pz(n), block(3, n)
        real(real32), allocatable :: fx(:), fy(:)
        integer(int64) :: rows
        integer :: dim

        do dim = 2, 3
            x = cloud_f64(3, n, 4)
            v = cloud_f64(3, n, 5)
            call search%set_points(x(:dim, :))
            call sums%create("a += (v_i + v_j)*r")
            call sums%set_precision(neargrid_precision_double)
            call search%set("v", v(:dim, :))
            call search%run(sums)
            call search%get("a", whole)
            call sums%create("a += (v_i + v_j)*r")
            call sums%set_precision(neargrid_precision_double)
            if (dim == 2) then
                call search%set("v", v(1, :), v(2, :))
                call search%run(sums)
                call search%get("a", a, b)
            else
                call search%set("v", v(1, :), v(2, :), v(3, :))
                call search%run(sums)
                call search%get("a", a, b, c)
                call check(all(abs(c - whole(3, :)) <= 0), "z")
            end if
            call check(all(abs(a - whole(1, :)) <= 0) .and. all(abs(b - whole(2, :)) <= 0), "x, y")
        end do

        single = cloud_f32(3, n, 6)
        call search%set_points(single)
        call search%set_queries(single)
        call sums%create("most max= v_i - 0*v_j; one += v_i")
        call search%set("v", single(1, :), single(2, :), single(3, :))
        call search%set_query("v", single(3, :), single(2, :), single(1, :))
        call search%run(sums, kind=neargrid_neighbors_queries)
        px = real(guard, real32)
        call search%get_query("most", rows, px, py, pz)
        call check(rows == n .and. all(abs(px(:n) - single(3, :)) <= 0) .and. &
                   all(abs(py - single(2, :)) <= 0) .and. all(abs(pz - single(1, :)) <= 0), "queries")
        call check(abs(px(n + 1) - real(guard, real32)) <= 0, "beyond an axis")

        ! Arrays of one stride are read and written where they are, others by way of a copy.
        call search%set_query("v", single(3, :), single(2, :), pz)
        call search%run(sums, kind=neargrid_neighbors_queries)
        block = real(guard, real32)
        call search%get_query("most", rows, block(1, :), py, block(3, :))
        call check(all(abs(block(1, :) - single(3, :)) <= 0) .and. all(abs(py - single(2, :)) <= 0) &
                   .and. all(abs(block(3, :) - single(1, :)) <= 0), "another stride")
        call check(all(abs(block(2, :) - real(guard, real32)) <= 0), "between")
        call search%get_query("most", rows, block(3, :), block(2, :), block(1, :))
        call check(all(abs(block - single) <= 0), "one stride")

        ! A plane has no z, and x and y are of one size.
        most = 3
        call search%set_points(single(:2, :))
        call sums%create("a += v_j")
        call search%set("v", most)
        call search%run(sums)
        call search%get("a", fx, fy)
        call check(size(fx) == n .and. all(abs(fx - fy) <= 0), "a plane")
    end subroutine separate_axes

    !> Allocatables that fit stay where they are, others are made anew.
    subroutine outputs()
        type(neargrid_formula) :: sums
        real(real32) :: x(3, n)
        real(real32), allocatable, target :: number(:), arrow(:, :), a(:), b(:), c(:)
        real(real32), pointer :: place(:), axis(:)
        integer :: last

        x = cloud_f32(3, n, 7)
        allocate (number(7), arrow(2, 9), a(n), b(3))
        call sums%create("number += 1; arrow += d")
        do last = n, n - 1, -1
            call search%set_points(x(:, :last))
            call search%run(sums)
            call search%get("number", number)
            call search%get("arrow", arrow)
            call check(size(number) == last .and. all(shape(arrow) == [3, last]), "shapes")
            place => number
            axis => a
            call search%get("number", number)
            call search%get("arrow", a, b, c)
            call check(associated(place, number), "stays")
            if (last == n) call check(associated(axis, a), "an axis stays")
            call check(all([size(a), size(b), size(c)] == last), "sizes of axes")
            call check(all(abs(a - arrow(1, :)) <= 0) .and. all(abs(c - arrow(3, :)) <= 0), "axes")
        end do
        call search%set_points(x(:, :0))
        call search%run(sums)
        call search%get("number", number)
        call search%get("arrow", arrow)
        call check(size(number) == 0 .and. size(arrow) == 0, "no rows")
    end subroutine outputs

    !> Points move, as often as asked, by a field and a number that goes on; all can be read in both
    !> kinds.
    subroutine steps()
        type(neargrid_formula) :: move
        real(real64) :: x(3, n), v(3, n), wanted(3, n), time
        real(real64), allocatable :: px(:), py(:), pz(:)
        real(real32), allocatable :: rounded(:, :)
        real(real32) :: single
        integer(c_int) :: stat
        character(len=200) :: errmsg
        integer :: k

        x = cloud_f64(3, n, 8)
        v = cloud_f64(3, n, 9) - 0.5_real64
        call search%set_points(x)
        call search%set("v", v)
        call move%create("t := t + dt; x_i = x_i + dt*v_i; sum all+= dot(v_i, v_i)")
        call move%set("dt", 0.25_real32)
        call move%get("t", time, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "no number of that name", "no number yet")
        call move%set("t", 1.0_real64)
        call search%run(move, times=0)
        call search%get("x", rounded)
        call check(all(abs(rounded - real(x, real32)) <= 0), "nothing has moved")
        call search%run(move, times=3)
        call search%run(move, times=1_int64, kind=neargrid_neighbors_half)
        call search%run(move, stat=stat)
        wanted = x
        do k = 1, 5
            wanted = wanted + 0.25_real64*v
        end do
        call search%get("x", px, py, pz)
        call check(all(abs(px - wanted(1, :)) <= 0) .and. all(abs(py - wanted(2, :)) <= 0) .and. &
                   all(abs(pz - wanted(3, :)) <= 0), "five steps")
        call search%get("x", rounded)
        call check(all(abs(rounded - real(wanted, real32)) <= 0), "rounded")
        call move%get("t", time)
        call move%get("dt", single)
        call check(abs(time - 2.25_real64) <= 0 .and. abs(single - 0.25_real32) <= 0, "numbers")
        call move%get("sum", single)
        call check(abs(single - real(sum(v**2), real32)) <= 1e-3_real32*single, "a sum of all")
        call move%get("v", time, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "'v' is a field", "a field as number")
    end subroutine steps

end program formula
