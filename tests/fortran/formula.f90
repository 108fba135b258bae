!> Sums over neighbors by a formula, in both real kinds, of points and queries; against a plain loop
!> over the rows, bit for bit.
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
    call density()
    call forces()
    call queries()
    call separate_axes()
    call outputs()
    call steps()
    call search%destroy()
    call finish("formula", 36)

contains

    !> Numbers in real32 from coordinates in real32, with the point itself.
    subroutine density()
        type(neargrid_formula) :: sph
        real(real32) :: x(3, n), mass(n), sum, d(3), r, q
        real(real32), allocatable :: rho(:)
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(int64) :: k
        integer :: i
        logical :: is_itself_added

        x = cloud_f32(3, n, 1)
        mass = x(2, :) + 0.5_real32
        call search%set_cutoff(0.3_real64)
        call search%set_points(x)
        call sph%create("w = (1 - r/c)**4*(4*r/c + 1); rho += m_j*w*norm ! Wendland")
        call sph%set("norm", 0.75_real32)
        call search%set("m", mass)
        call sph%set_include_self(.true.)
        call search%run(sph)
        call search%get("rho", rho)
        call search%neighbors(offsets, ids)
        do i = 1, n
            sum = 0
            is_itself_added = .false.
            do k = offsets(i), offsets(i + 1) - 1
                if (ids(k) > i .and. .not. is_itself_added) then
                    sum = sum + mass(i)*1*0.75_real32
                    is_itself_added = .true.
                end if
                d = x(:, i) - x(:, ids(k))
                r = sqrt(d(1)*d(1) + d(2)*d(2) + d(3)*d(3))
                q = 1 - r/0.3_real32
                sum = sum + mass(ids(k))*((q*q)*(q*q)*(4*r/0.3_real32 + 1))*0.75_real32
            end do
            if (.not. is_itself_added) sum = sum + mass(i)*1*0.75_real32
            if (abs(sum - rho(i)) > 0) exit
        end do
        call check(i > n, "densities")
        call sph%destroy()
    end subroutine density

    !> Vectors in real64, from fields that are vectors, and a table.
    subroutine forces()
        type(neargrid_formula) :: drag
        real(real64) :: x(2, n), v(2, n), f(2, n + 2), sum(2), d(2), r, w
        real(real64), allocatable :: least(:)
        integer(int64) :: rows
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(int64) :: k
        integer :: i

        x = cloud_f64(2, n, 2)
        v = cloud_f64(2, n, 3)
        call search%set_cutoff(0.15_real64)
        call search%set_points(x)
        call drag%create("f += (v_i - v_j)*W(r)" // new_line("a") // "least min= r")
        call drag%set_precision(neargrid_precision_double)
        call search%set("v", v)
        call drag%set_table("W", neargrid_table_r, 0.0_real64, 0.5_real64, [1.0_real64, 0.25_real64])
        call search%run(drag, kind=neargrid_neighbors_full)
        f = guard
        call search%get("f", rows, f)
        call check(rows == n .and. all(abs(f(:, n + 1:) - guard) <= 0), "beyond the rows")
        call search%get("least", least)
        call search%neighbors(offsets, ids)
        do i = 1, n
            sum = 0
            w = huge(w)
            do k = offsets(i), offsets(i + 1) - 1
                d = x(:, i) - x(:, ids(k))
                r = sqrt(d(1)*d(1) + d(2)*d(2))
                sum = sum + (v(:, i) - v(:, ids(k)))*(1 + r*2*(-0.75_real64))
                w = min(w, r)
            end do
            if (any(abs(sum - f(:, i)) > 0)) exit
            if (offsets(i + 1) > offsets(i) .and. abs(least(i) - w) > 0) exit
        end do
        call check(i > n, "forces")
        call drag%create("n += select(1, 0, d.x > 0 or not d.x > 0)*U(r/c)")
        call drag%set_precision(neargrid_precision_double)
        call drag%set_cubic_table("U", neargrid_table_r_over_c, 0.0_real64, 1.0_real64, [(1.0_real64, i = 1, 4)])
        call search%run(drag, kind=neargrid_neighbors_full)
        call search%get("n", least)
        call check(all(nint(least, int64) == offsets(2:n + 1) - offsets(:n)), "a cubic table")
    end subroutine forces

    subroutine queries()
        type(neargrid_formula) :: near
        real(real64) :: x(2, n), h(n), v(2, n)
        real(real64), allocatable :: most(:, :), count(:)

        x = cloud_f64(2, n, 2)
        h = 2
        v = 3
        call search%set_points(x)
        call search%set_queries(x)
        call near%create("most max= h_i*v_j + 0*v_i; count += h_i - h_j")
        call near%set_precision(neargrid_precision_double)
        call search%set("h", h)
        call search%set("v", v)
        call search%set_query("h", h + 2)
        call search%set_query("v", v)
        call search%run(near, kind=neargrid_neighbors_queries)
        call search%get_query("most", most)
        call search%get_query("count", count)
        call check(all(abs(most - 12) <= 0), "vectors of queries")
        call check(all(count >= 2), "numbers of queries")
    end subroutine queries

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
