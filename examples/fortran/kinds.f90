!> A channel whose flow repeats along x, with images of particles made by the program, as many codes
!> do: images are ghosts, walls feel the fluid only, and the number of points changes at every step.
!> In the end the library's own periodic axis finds the same pairs.
!>
!>     gfortran kinds.f90 $(pkg-config --cflags --libs neargrid-fortran) -o kinds
!>     ./kinds
program kinds
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid, only: neargrid_all_active, neargrid_counter_bytes_held, neargrid_search
    implicit none (type, external)
    integer(c_int), parameter :: fluid = 1, wall = 2
    integer, parameter :: columns = 200, rows = 20, layers = 3, n = columns*(rows + 2*layers)
    integer, parameter :: most = 2*n, nsteps = 100
    real(real64), parameter :: length = 2, spacing = length/columns, cutoff = 2.5_real64*spacing
    logical, parameter :: mask(2, 2) = reshape([.true., .true., .true., .false.], [2, 2])
    type(neargrid_search) :: search
    real(real64) :: x(2, most), moves(2, n)
    integer(c_int) :: types(most)
    integer(c_int), pointer :: pair_i(:), pair_j(:)
    integer(int64) :: bytes(3)
    integer :: total, inner, step

    call random_init(repeatable=.true., image_distinct=.false.)
    call fill_channel()
    call search%create()
    call search%set_cutoff(cutoff)
    do step = 1, nsteps
        call random_number(moves)
        moves = 0.2_real64*spacing*(moves - 0.5_real64)
        where (spread(types(:n) == fluid, 1, 2)) x(:, :n) = x(:, :n) + moves
        x(1, :n) = modulo(x(1, :n), length)
        call add_images()
        call search%set_points(x(:, :total))
        call search%set_active(n)                       ! the first n; those behind them are ghosts
        call search%set_types(types(:total), mask)      ! no pairs of wall and wall
        call search%pairs(pair_i, pair_j)
        if (step == 2) call search%counter(neargrid_counter_bytes_held, bytes(1))
    end do
    call search%counter(neargrid_counter_bytes_held, bytes(2))
    inner = count(pair_j <= n)
    print "(i0, a, i0, a)", n, " points and ", total - n, " images:"
    print "(i0, a, i0, a)", inner, " pairs, and ", size(pair_j) - inner, " with images, each pair twice"

    call search%set_box([0, 0]*length, [1, 1]*length, [.true., .false.])
    call search%set_points(x(:, :n))
    call search%set_active(neargrid_all_active)
    call search%set_types(types(:n), mask)
    call search%pairs(pair_i, pair_j)
    print "(i0, a)", size(pair_i), " pairs with a periodic axis"

    call search%trim()                                  ! all but points and settings
    call search%counter(neargrid_counter_bytes_held, bytes(3))
    print "(3(a, i0))", "bytes held after two steps ", bytes(1), ", after the last ", bytes(2), ", trimmed ", bytes(3)
    call search%destroy()

contains

    !> Fluid between two walls, on a lattice.
    subroutine fill_channel()
        integer :: column, row, k

        k = 0
        do row = 1 - layers, rows + layers
            do column = 1, columns
                k = k + 1
                x(:, k) = ([column, row] - 0.5_real64)*spacing
                types(k) = merge(fluid, wall, row >= 1 .and. row <= rows)
            end do
        end do
    end subroutine fill_channel

    !> The points within the cutoff of either end once more, beyond the other.
    subroutine add_images()
        integer :: k

        total = n
        do k = 1, n
            if (x(1, k) <= cutoff) call add(k, length)
            if (x(1, k) >= length - cutoff) call add(k, -length)
        end do
    end subroutine add_images

    subroutine add(k, shift)
        integer, intent(in) :: k
        real(real64), intent(in) :: shift

        total = total + 1
        x(:, total) = x(:, k) + [shift, 0.0_real64]
        types(total) = types(k)
    end subroutine add

end program kinds
