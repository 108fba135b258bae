!> One rank's part of the particles: its own, fluid first, and behind them ghosts, the particles of
!> other ranks that are near.
!>
!> Everything of sph_m works on a part as it does on all particles: loops run over a rank's own, and
!> rows point to ghosts as to others. This module keeps the ghosts up to date.
module part_m
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64
    use neargrid_mpi, only: neargrid_mpi_search, neargrid_mpi_counter_ghosts
    use settings_m, only: dp, settings
    use particles_m, only: particles, pressure_of
    use sph_m, only: rows
    implicit none (type, external)
    private

    public :: part
    public :: take_slab, spread_anew, find_neighbors, refresh_fluid, refresh_slopes, refresh_pressure

    !> `q` has its own particles up to `q%n`, fluid up to `q%n_fluid`, and ghosts up to `q%n + ghosts`.
    type :: part
        type(particles) :: q
        integer(int64), allocatable :: id(:)        !! number of each among all; fluid comes first
        integer :: ghosts = 0
        integer(int64) :: all_fluid = 0             !! fluid particles of all ranks
    end type part

contains

    !> Of all particles those in this rank's slab, all slabs of the same width.
    subroutine take_slab(all_particles, rank, ranks, p)
        type(particles), intent(in) :: all_particles
        integer, intent(in) :: rank, ranks
        type(part), intent(out) :: p

        integer, allocatable :: mine(:)
        real(dp) :: lo, hi, width

        associate (q => all_particles)
            p%all_fluid = q%n_fluid
            lo = minval(q%x)
            width = (maxval(q%x) - lo)/ranks
            hi = lo + width*(rank + 1)
            lo = lo + width*rank
            allocate (mine, source=numbers(q%n, (q%x >= lo .or. rank == 0) &
                .and. (q%x < hi .or. rank == ranks - 1)))
            p%q%n = size(mine)
            p%q%n_fluid = count(mine <= q%n_fluid)
            p%id = int(mine, int64)
            p%q%x = q%x(mine); p%q%y = q%y(mine); p%q%z = q%z(mine)
            p%q%vx = q%vx(mine); p%q%vy = q%vy(mine); p%q%vz = q%vz(mine)
            p%q%rho = q%rho(mine); p%q%p = q%p(mine); p%q%vol = q%vol(mine)
            p%q%mass = q%mass(mine)
        end associate
        call make_room(p, p%q%n)
    end subroutine take_slab

    !> The numbers of those that are wanted, ascending.
    pure function numbers(n, wanted) result(found)
        integer, intent(in) :: n
        logical, intent(in) :: wanted(n)
        integer, allocatable :: found(:)

        integer :: k

        found = pack([(k, k=1, n)], wanted)
    end function numbers

    !> Spreads particles anew, as many on each rank, near each other: what a rank has moves in two
    !> calls. Fluid goes before walls again.
    subroutine spread_anew(search, s, p)
        class(neargrid_mpi_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(part), intent(inout) :: p

        real(dp), allocatable :: before(:, :), after(:, :)
        integer(int64), allocatable :: id(:)
        integer, allocatable :: order(:)
        integer(int64) :: n_after
        integer :: n

        n = p%q%n
        call search%plan_migration(positions(s, p), p%id(:n), n_after)
        associate (q => p%q)
            allocate (before(13, n))
            before(1, :) = q%x(:n); before(2, :) = q%y(:n); before(3, :) = q%z(:n)
            before(4, :) = q%vx(:n); before(5, :) = q%vy(:n); before(6, :) = q%vz(:n)
            before(7, :) = q%ax(:n); before(8, :) = q%ay(:n); before(9, :) = q%az(:n)
            before(10, :) = q%rho(:n); before(11, :) = q%p(:n); before(12, :) = q%vol(:n)
            before(13, :) = q%mass(:n)
        end associate
        allocate (after(13, n_after), id(n_after))
        call search%migrate(before, after)
        call search%migrate(p%id(:n), id)
        n = int(n_after)
        order = [numbers(n, id <= p%all_fluid), numbers(n, id > p%all_fluid)]
        p%ghosts = 0
        p%q%n = n
        p%q%n_fluid = int(count(id <= p%all_fluid))
        call make_room(p, n)
        p%id(:n) = id(order)
        associate (q => p%q, now => after(:, order))
            q%x(:n) = now(1, :); q%y(:n) = now(2, :); q%z(:n) = now(3, :)
            q%vx(:n) = now(4, :); q%vy(:n) = now(5, :); q%vz(:n) = now(6, :)
            q%ax(:n) = now(7, :); q%ay(:n) = now(8, :); q%az(:n) = now(9, :)
            q%rho(:n) = now(10, :); q%p(:n) = now(11, :); q%vol(:n) = now(12, :)
            q%mass(:n) = now(13, :)
        end associate
        p%q%h = s%h
    end subroutine spread_anew

    !> Rows of a rank's own particles, and the ghosts that they point to. Rows are ordered by number
    !> among all particles: sums over them are the same bits whatever the number of ranks.
    subroutine find_neighbors(search, s, p, r)
        class(neargrid_mpi_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(part), intent(inout) :: p
        type(rows), intent(inout) :: r

        integer(int64), pointer :: ids(:)
        integer(c_int), pointer :: owners(:)
        real(dp), pointer :: pos(:, :)
        real(dp), allocatable :: field(:, :)

        call search%set_points(positions(s, p), p%id(:p%q%n))
        call search%ghosts(ids, owners, pos)
        p%ghosts = size(ids)
        call make_room(p, p%q%n + p%ghosts)
        associate (q => p%q, n => p%q%n, last => p%q%n + p%ghosts)
            p%id(n + 1:last) = ids
            q%h = s%h
            call search%neighbors(r%offsets, r%ids)
            allocate (field(9, last))
            field(1, :n) = q%x(:n); field(2, :n) = q%y(:n); field(3, :n) = q%z(:n)
            field(4, :n) = q%vx(:n); field(5, :n) = q%vy(:n); field(6, :n) = q%vz(:n)
            field(7, :n) = q%rho(:n); field(8, :n) = q%vol(:n); field(9, :n) = q%mass(:n)
            call search%halo(field)
            q%x(n + 1:last) = field(1, n + 1:)
            q%y(n + 1:last) = field(2, n + 1:)
            q%z(n + 1:last) = field(3, n + 1:)
            q%vx(n + 1:last) = field(4, n + 1:)
            q%vy(n + 1:last) = field(5, n + 1:)
            q%vz(n + 1:last) = field(6, n + 1:)
            q%rho(n + 1:last) = field(7, n + 1:)
            q%vol(n + 1:last) = field(8, n + 1:)
            q%mass(n + 1:last) = field(9, n + 1:)
        end associate
        call split_rows(p, r)
    end subroutine find_neighbors

    !> Positions and densities of ghosts, and what follows for those that are fluid.
    subroutine refresh_fluid(search, s, p)
        class(neargrid_mpi_search), intent(inout) :: search
        type(settings), intent(in) :: s
        type(part), intent(inout) :: p

        real(dp), allocatable :: field(:, :)
        integer :: i

        associate (q => p%q, n => p%q%n, last => p%q%n + p%ghosts)
            allocate (field(4, last))
            field(1, :n) = q%x(:n); field(2, :n) = q%y(:n); field(3, :n) = q%z(:n)
            field(4, :n) = q%rho(:n)
            call search%halo(field)
            q%x(n + 1:last) = field(1, n + 1:)
            q%y(n + 1:last) = field(2, n + 1:)
            q%z(n + 1:last) = field(3, n + 1:)
            q%rho(n + 1:last) = field(4, n + 1:)
            do i = n + 1, last
                if (p%id(i) > p%all_fluid) cycle
                q%p(i) = pressure_of(s, q%rho(i))
                q%vol(i) = q%mass(i)/q%rho(i)
            end do
        end associate
    end subroutine refresh_fluid

    !> Density gradients of ghosts.
    subroutine refresh_slopes(search, p)
        class(neargrid_mpi_search), intent(inout) :: search
        type(part), intent(inout) :: p

        real(dp), allocatable :: field(:, :)

        associate (q => p%q, n => p%q%n, last => p%q%n + p%ghosts)
            allocate (field(3, last))
            field(1, :n) = q%gx(:n); field(2, :n) = q%gy(:n); field(3, :n) = q%gz(:n)
            call search%halo(field)
            q%gx(n + 1:last) = field(1, n + 1:)
            q%gy(n + 1:last) = field(2, n + 1:)
            q%gz(n + 1:last) = field(3, n + 1:)
        end associate
    end subroutine refresh_slopes

    !> Pressures of ghosts that are walls, which their owners have from the fluid.
    subroutine refresh_pressure(search, p)
        class(neargrid_mpi_search), intent(inout) :: search
        type(part), intent(inout) :: p

        call search%halo(p%q%p(:p%q%n + p%ghosts))
    end subroutine refresh_pressure

    !> As the search takes them.
    function positions(s, p) result(pos)
        type(settings), intent(in) :: s
        type(part), intent(in) :: p
        real(dp), allocatable :: pos(:, :)

        associate (q => p%q, n => p%q%n)
            allocate (pos(s%dim, n))
            pos(1, :) = q%x(:n)
            pos(2, :) = q%y(:n)
            if (s%dim == 3) pos(3, :) = q%z(:n)
        end associate
    end function positions

    !> The first of the walls in each row, by numbers among all particles.
    subroutine split_rows(p, r)
        type(part), intent(in) :: p
        type(rows), intent(inout) :: r

        integer :: i
        integer(int64) :: lo, hi, mid

        if (allocated(r%wall)) deallocate (r%wall)
        allocate (r%wall(p%q%n))
        do i = 1, p%q%n
            lo = r%offsets(i)
            hi = r%offsets(i + 1)
            do while (lo < hi)
                mid = (lo + hi)/2
                if (p%id(r%ids(mid)) <= p%all_fluid) then
                    lo = mid + 1
                else
                    hi = mid
                end if
            end do
            r%wall(i) = lo
        end do
    end subroutine split_rows

    !> Room for so many particles; what is there stays.
    subroutine make_room(p, n)
        type(part), intent(inout) :: p
        integer, intent(in) :: n

        integer(int64), allocatable :: id(:)

        associate (q => p%q)
            call grow(q%x, n); call grow(q%y, n); call grow(q%z, n)
            call grow(q%vx, n); call grow(q%vy, n); call grow(q%vz, n)
            call grow(q%ax, n); call grow(q%ay, n); call grow(q%az, n)
            call grow(q%gx, n); call grow(q%gy, n); call grow(q%gz, n)
            call grow(q%rho, n); call grow(q%p, n); call grow(q%vol, n); call grow(q%drho, n)
            call grow(q%mass, n); call grow(q%h, n)
        end associate
        if (n <= size(p%id)) return
        allocate (id(n + n/8), source=0_int64)
        id(:size(p%id)) = p%id
        call move_alloc(id, p%id)
    end subroutine make_room

    pure subroutine grow(values, n)
        real(dp), allocatable, intent(inout) :: values(:)
        integer, intent(in) :: n

        real(dp), allocatable :: larger(:)

        if (.not. allocated(values)) allocate (values(0))
        if (n <= size(values)) return
        allocate (larger(n + n/8), source=0.0_dp)
        larger(:size(values)) = values
        call move_alloc(larger, values)
    end subroutine grow

end module part_m
