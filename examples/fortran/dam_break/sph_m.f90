!> Sums over neighbors of the delta-SPH scheme, each a loop over rows of a full neighbor list.
!>
!> A row is summed by one thread in ascending order of its neighbors, so a result does not depend
!> on the number of threads. Sources, in full in the README: kernel Wendland (1995); equations
!> Antuono, Colagrossi, Marrone, Molteni (2010) and Marrone et al. (2011); walls Adami, Hu, Adams
!> (2012); the artificial viscosity is that of Monaghan (1992) as written in Antuono et al. (2010).
module sph_m
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64
    use settings_m, only: dp, settings
    use particles_m, only: particles, density_of, pressure_of
    implicit none (type, external)
    private

    public :: rows, split_rows
    public :: update_pressure, density_gradient, density_rate, acceleration
    public :: kernel_slope, set_pressure, solve_gradient

    real(dp), parameter :: pi = acos(-1.0_dp)

    !> The full neighbor list of the library, and where the walls begin in each row.
    type :: rows
        integer(int64), pointer, contiguous :: offsets(:) => null()
        integer(c_int), pointer, contiguous :: ids(:) => null()
        integer(int64), allocatable :: wall(:)  !! row i: fluid before wall(i), walls from there on
    end type rows

contains

    !> Rows ascend and fluid is numbered before walls: bisection finds the first wall of a row.
    subroutine split_rows(q, r)
        type(particles), intent(in) :: q
        type(rows), intent(inout) :: r

        integer :: i
        integer(int64) :: lo, hi, mid

        if (.not. allocated(r%wall)) allocate (r%wall(q%n))
        !$omp parallel do default(none) shared(q, r) private(lo, hi, mid) schedule(static)
        do i = 1, q%n
            lo = r%offsets(i)
            hi = r%offsets(i + 1)
            do while (lo < hi)
                mid = (lo + hi)/2
                if (r%ids(mid) <= q%n_fluid) then
                    lo = mid + 1
                else
                    hi = mid
                end if
            end do
            r%wall(i) = lo
        end do
        !$omp end parallel do
    end subroutine split_rows

    !> Pressure of the fluid from its density, then of the walls from the fluid near them.
    !>
    !> A wall particle takes the kernel average of the fluid's pressure, carried over to its own
    !> height by gravity (Adami et al. 2012). Walls do not pull: a negative average is 0.
    subroutine update_pressure(s, q, r)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        type(rows), intent(in) :: r

        integer :: i, j
        integer(int64) :: k
        real(dp) :: dx, dy, dz, w, sum_w, sum_p, ratio, inverse

        call set_pressure(s, q)
        !$omp parallel do default(none) shared(s, q, r) schedule(dynamic, 256) &
        !$omp private(j, k, dx, dy, dz, inverse, w, sum_w, sum_p, ratio)
        do i = q%n_fluid + 1, q%n
            sum_w = 0; sum_p = 0
            !$omp simd reduction(+:sum_w, sum_p) private(j, dx, dy, dz, inverse, ratio, w)
            do k = r%offsets(i), r%wall(i) - 1
                j = r%ids(k)
                dx = q%x(i) - q%x(j)
                dy = q%y(i) - q%y(j)
                dz = nearest_image(q%z(i) - q%z(j), s%period)
                inverse = 1/(q%h(i) + q%h(j))
                ratio = sqrt(dx*dx + dy*dy + dz*dz)*inverse
                w = max(0.0_dp, 1 - ratio)**4*(1 + 4*ratio)
                sum_w = sum_w + w
                sum_p = sum_p + w*(q%p(j) - q%rho(j)*s%gravity*dy)
            end do
            q%p(i) = 0
            if (sum_w > tiny(sum_w)) q%p(i) = max(0.0_dp, sum_p/sum_w)
            q%rho(i) = density_of(s, q%p(i))
        end do
        !$omp end parallel do
    end subroutine update_pressure

    !> Pressure and volume of the fluid from its density.
    subroutine set_pressure(s, q)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q

        integer :: i

        !$omp parallel do default(none) shared(s, q) schedule(static)
        do i = 1, q%n_fluid
            q%p(i) = pressure_of(s, q%rho(i))
            q%vol(i) = q%mass(i)/q%rho(i)
        end do
        !$omp end parallel do
    end subroutine set_pressure

    !> Renormalized density gradient (Marrone et al. 2011), exact for linear fields.
    !>
    !> It is 0 where too few neighbors are left to define it (spray), and the density diffusion
    !> becomes that of Molteni and Colagrossi (2009).
    subroutine density_gradient(s, q, r)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        type(rows), intent(in) :: r

        integer :: i, j
        integer(int64) :: k
        real(dp) :: dx, dy, dz, f, jump, xx, xy, xz, yy, yz, zz, bx, by, bz, slope, inverse

        slope = kernel_slope(s)
        !$omp parallel do default(none) shared(s, q, r, slope) schedule(dynamic, 128) &
        !$omp private(j, k, dx, dy, dz, inverse, f, jump, xx, xy, xz, yy, yz, zz, bx, by, bz)
        do i = 1, q%n_fluid
            xx = 0; xy = 0; xz = 0; yy = 0; yz = 0; zz = 0; bx = 0; by = 0; bz = 0
            !$omp simd reduction(+:xx, xy, xz, yy, yz, zz, bx, by, bz) &
            !$omp private(j, dx, dy, dz, inverse, f, jump)
            do k = r%offsets(i), r%offsets(i + 1) - 1
                j = r%ids(k)
                dx = q%x(i) - q%x(j)
                dy = q%y(i) - q%y(j)
                dz = nearest_image(q%z(i) - q%z(j), s%period)
                inverse = 1/(q%h(i) + q%h(j))
                f = slope*steepness(s, inverse)*q%vol(j) &
                    *max(0.0_dp, 1 - sqrt(dx*dx + dy*dy + dz*dz)*inverse)**3
                jump = f*(q%rho(j) - q%rho(i))
                xx = xx - f*dx*dx; xy = xy - f*dx*dy; xz = xz - f*dx*dz
                yy = yy - f*dy*dy; yz = yz - f*dy*dz; zz = zz - f*dz*dz
                bx = bx + jump*dx; by = by + jump*dy; bz = bz + jump*dz
            end do
            if (s%dim == 2) zz = 1
            call solve_gradient(q, i, reshape([xx, xy, xz, xy, yy, yz, xz, yz, zz], [3, 3]), [bx, by, bz])
        end do
        !$omp end parallel do
    end subroutine density_gradient

    !> Solves the symmetric system of particle i with its cofactors.
    subroutine solve_gradient(q, i, m, b)
        type(particles), intent(inout) :: q
        integer, intent(in) :: i
        real(dp), intent(in) :: m(3, 3), b(3)

        real(dp), parameter :: least_det = 0.1_dp   ! 1 inside the fluid, about 0.5 at its surface
        real(dp) :: cxx, cxy, cxz, cyy, cyz, czz, det

        associate (xx => m(1, 1), xy => m(2, 1), xz => m(3, 1), yy => m(2, 2), yz => m(3, 2), zz => m(3, 3))
            cxx = yy*zz - yz*yz; cxy = xz*yz - xy*zz; cxz = xy*yz - xz*yy
            cyy = xx*zz - xz*xz; cyz = xy*xz - xx*yz; czz = xx*yy - xy*xy
            det = xx*cxx + xy*cxy + xz*cxz
        end associate
        q%gx(i) = 0; q%gy(i) = 0; q%gz(i) = 0
        if (det < least_det) return
        q%gx(i) = (cxx*b(1) + cxy*b(2) + cxz*b(3))/det
        q%gy(i) = (cxy*b(1) + cyy*b(2) + cyz*b(3))/det
        q%gz(i) = (cxz*b(1) + cyz*b(2) + czz*b(3))/det
    end subroutine solve_gradient

    !> Continuity equation with density diffusion (Antuono et al. 2010).
    !> Walls are at rest and take part in the divergence, not in the diffusion.
    subroutine density_rate(s, q, r)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        type(rows), intent(in) :: r

        integer :: i, j
        integer(int64) :: k
        real(dp) :: dx, dy, dz, f, div, diffusion, slope, inverse

        slope = kernel_slope(s)
        !$omp parallel do default(none) shared(s, q, r, slope) schedule(dynamic, 128) &
        !$omp private(j, k, dx, dy, dz, inverse, f, div, diffusion)
        do i = 1, q%n_fluid
            div = 0; diffusion = 0
            !$omp simd reduction(+:div, diffusion) private(j, dx, dy, dz, inverse, f)
            do k = r%offsets(i), r%wall(i) - 1
                j = r%ids(k)
                dx = q%x(i) - q%x(j)
                dy = q%y(i) - q%y(j)
                dz = nearest_image(q%z(i) - q%z(j), s%period)
                inverse = 1/(q%h(i) + q%h(j))
                f = slope*steepness(s, inverse)*q%vol(j) &
                    *max(0.0_dp, 1 - sqrt(dx*dx + dy*dy + dz*dz)*inverse)**3
                div = div + f*((q%vx(i) - q%vx(j))*dx + (q%vy(i) - q%vy(j))*dy &
                    + (q%vz(i) - q%vz(j))*dz)
                diffusion = diffusion - f*(2*(q%rho(j) - q%rho(i)) + (q%gx(i) + q%gx(j))*dx &
                    + (q%gy(i) + q%gy(j))*dy + (q%gz(i) + q%gz(j))*dz)
            end do
            !$omp simd reduction(+:div) private(j, dx, dy, dz, inverse, f)
            do k = r%wall(i), r%offsets(i + 1) - 1
                j = r%ids(k)
                dx = q%x(i) - q%x(j)
                dy = q%y(i) - q%y(j)
                dz = nearest_image(q%z(i) - q%z(j), s%period)
                inverse = 1/(q%h(i) + q%h(j))
                f = slope*steepness(s, inverse)*q%vol(j) &
                    *max(0.0_dp, 1 - sqrt(dx*dx + dy*dy + dz*dz)*inverse)**3
                div = div + f*(q%vx(i)*dx + q%vy(i)*dy + q%vz(i)*dz)
            end do
            q%drho(i) = q%rho(i)*div + s%delta*s%h*s%c0*diffusion
        end do
        !$omp end parallel do
    end subroutine density_rate

    !> Pressure, artificial viscosity and gravity (Antuono et al. 2010).
    !> Walls push, and rub by `wall_friction` times the viscosity between fluid and fluid at rest.
    subroutine acceleration(s, q, r)
        type(settings), intent(in) :: s
        type(particles), intent(inout) :: q
        type(rows), intent(in) :: r

        integer :: i, j
        integer(int64) :: k
        real(dp) :: dx, dy, dz, d2, f, ax, ay, az, slope, inverse, thickness, friction, least_d2

        slope = kernel_slope(s)
        thickness = s%alpha*s%h*s%c0*s%rho0
        friction = s%wall_friction*thickness
        least_d2 = 1e-6_dp*s%h**2
        !$omp parallel do default(none) schedule(dynamic, 128) &
        !$omp shared(s, q, r, slope, thickness, friction, least_d2) &
        !$omp private(j, k, dx, dy, dz, inverse, d2, f, ax, ay, az)
        do i = 1, q%n_fluid
            ax = 0; ay = 0; az = 0
            !$omp simd reduction(+:ax, ay, az) private(j, dx, dy, dz, inverse, d2, f)
            do k = r%offsets(i), r%wall(i) - 1
                j = r%ids(k)
                dx = q%x(i) - q%x(j)
                dy = q%y(i) - q%y(j)
                dz = nearest_image(q%z(i) - q%z(j), s%period)
                inverse = 1/(q%h(i) + q%h(j))
                d2 = dx*dx + dy*dy + dz*dz
                f = slope*steepness(s, inverse)*q%vol(j)*max(0.0_dp, 1 - sqrt(d2)*inverse)**3
                f = f*(thickness*((q%vx(i) - q%vx(j))*dx + (q%vy(i) - q%vy(j))*dy &
                    + (q%vz(i) - q%vz(j))*dz)/(d2 + least_d2) - q%p(i) - q%p(j))
                ax = ax + f*dx; ay = ay + f*dy; az = az + f*dz
            end do
            !$omp simd reduction(+:ax, ay, az) private(j, dx, dy, dz, inverse, d2, f)
            do k = r%wall(i), r%offsets(i + 1) - 1
                j = r%ids(k)
                dx = q%x(i) - q%x(j)
                dy = q%y(i) - q%y(j)
                dz = nearest_image(q%z(i) - q%z(j), s%period)
                inverse = 1/(q%h(i) + q%h(j))
                d2 = dx*dx + dy*dy + dz*dz
                f = slope*steepness(s, inverse)*q%vol(j)*max(0.0_dp, 1 - sqrt(d2)*inverse)**3
                f = f*(friction*(q%vx(i)*dx + q%vy(i)*dy + q%vz(i)*dz)/(d2 + least_d2) &
                    - max(0.0_dp, q%p(i)) - q%p(j))
                ax = ax + f*dx; ay = ay + f*dy; az = az + f*dz
            end do
            q%ax(i) = ax/q%rho(i)
            q%ay(i) = ay/q%rho(i) - s%gravity
            q%az(i) = az/q%rho(i)
        end do
        !$omp end parallel do
    end subroutine acceleration

    !> A difference along z, to the nearest image where z is periodic: to the particle itself, or to
    !> its copy one period off on either side. Particles stay within 0 .. period, so these are all.
    !> A period of 0 leaves `d` as it is.
    !>
    !> `search%displacements` tells the same for the positions that were searched, as an array. Here
    !> particles have moved on when forces are summed, and a difference is used where it is made.
    elemental real(dp) function nearest_image(d, period)
        real(dp), intent(in) :: d, period

        nearest_image = d - merge(period, 0.0_dp, d > 0.5_dp*period) &
            + merge(period, 0.0_dp, d < -0.5_dp*period)
    end function nearest_image

    !> Of two particles h is the mean of theirs, so that what one feels the other does too;
    !> `inverse` is 1 / 2h, 1 over the sum. grad W = slope steepness (1 - d / 2h)**3 (xi - xj) for
    !> the Wendland C2 kernel W = c (1 - d / 2h)**4 (1 + 2 d / h), zero from d = 2 h on.
    pure real(dp) function kernel_slope(s)
        type(settings), intent(in) :: s

        kernel_slope = merge(-140/pi, -210/pi, s%dim == 2)
    end function kernel_slope

    !> The growth of the kernel's gradient as h shrinks: `inverse**(dim + 2)`.
    elemental real(dp) function steepness(s, inverse)
        type(settings), intent(in) :: s
        real(dp), intent(in) :: inverse

        steepness = inverse**4*merge(1.0_dp, inverse, s%dim == 2)
    end function steepness

end module sph_m
