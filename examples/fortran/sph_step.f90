!> A whole SPH program: four vortices in a periodic square, which viscosity slows down (Taylor and
!> Green). The time step is one text, and `times=` repeats it. Only numbers come back, until the
!> end. The energy must fall as exp(-4 nu k^2 t), which is printed beside it.
!>
!>     gfortran sph_step.f90 $(pkg-config --cflags --libs neargrid-fortran) -o sph_step
!>     ./sph_step
program sph_step
    use, intrinsic :: iso_fortran_env, only: dp => real64
    use neargrid, only: neargrid_formula, neargrid_precision_double, neargrid_search
    implicit none (type, external)
    integer, parameter :: edge = 40, n = edge**2
    real(dp), parameter :: pi = acos(-1.0_dp), k = 2*pi     ! the square has sides of 1
    real(dp), parameter :: dx = 1.0_dp/edge, h = 2*dx, sound = 10, alpha = 1, nu = alpha*h*sound/8
    character(len=*), parameter :: line = new_line("a")
    character(len=*), parameter :: text = &
        "# density: Wendland's C2 kernel, which reaches c = 2 h" // line // &
        "q = 1 - r/c" // line // &
        "rho += m*norm*q^4*(1 + 4*r/c)" // line // &
        "# pressure: Tait's equation of state" // line // &
        "p_i = sound^2*rho0/7*((rho_i/rho0)^7 - 1)" // line // &
        "# acceleration, with Monaghan's viscosity; slope*d is the gradient of the kernel" // line // &
        "slope = -20*norm/c^2*q^3" // line // &
        "mu = h*dot(v_i - v_j, d)/(r2 + 0.01*h^2)" // line // &
        "viscosity = -alpha*sound*mu/(0.5*(rho_i + rho_j))" // line // &
        "acc += -m*(p_i/rho_i^2 + p_j/rho_j^2 + viscosity)*slope*d" // line // &
        "# sound, the fastest particle and viscosity limit the step" // line // &
        "fastest all max= dot(v_i, v_i)" // line // &
        "dt := min(0.25*h/(sound + sqrt(fastest)), 0.125*h^2/nu)" // line // &
        "# kick and drift: x_i moves the points, and wraps them" // line // &
        "v_i = v_i + dt*acc_i" // line // &
        "x_i = x_i + dt*v_i" // line // &
        "time := time + dt" // line // &
        "energy all+= 0.5*m*dot(v_i, v_i)" // line // &
        "error all max= abs(rho_i/rho0 - 1)"
    type(neargrid_search) :: search
    type(neargrid_formula) :: step
    character(len=:), allocatable :: used
    real(dp), allocatable :: x(:, :), v(:, :)
    real(dp) :: first, time, energy, error, exact, off
    integer :: i

    allocate (x(2, n), v(2, n))
    do i = 1, n
        x(:, i) = (modulo([i - 1, (i - 1)/edge], edge) + 0.5_dp)*dx
        v(:, i) = [sin(k*x(1, i))*cos(k*x(2, i)), -cos(k*x(1, i))*sin(k*x(2, i))]
    end do
    call search%create()
    call search%set_cutoff(2*h)
    call search%set_box([0.0_dp, 0.0_dp], [1.0_dp, 1.0_dp], periodic=[.true., .true.])
    call search%set_points(x)
    call search%set("v", v)

    call step%create(text)
    call step%set_precision(neargrid_precision_double)
    call step%set_include_self(.true.)
    call step%set("m", dx**2)
    call step%set("rho0", 1.0_dp)
    call step%set("norm", 7/(pi*(2*h)**2))
    call step%set("h", h)
    call step%set("sound", sound)
    call step%set("alpha", alpha)
    call step%set("nu", nu)
    call step%set("time", 0.0_dp)                   ! the statement goes on from here

    first = sum(v**2)*dx**2/2
    off = 0
    print "(a)", "   time  energy/first   exact   density off by"
    do i = 1, 10
        call search%run(step, times=10)
        call step%get("time", time)
        call step%get("energy", energy)
        call step%get("error", error)
        exact = exp(-4*nu*k**2*time)
        off = max(off, abs(energy/first - exact))
        print "(f7.4, 2f11.5, es15.2)", time, energy/first, exact, error
    end do
    call search%get("x", x)                         ! the only array that comes back
    call search%info(used)
    print "(3a)", "the search", new_line("a"), used
    print "(2(a, f7.5))", "the energy is off by ", off, &
        " at most; the first particle is at x = ", x(1, 1)
    call step%destroy()
    call search%destroy()
    if (.not. off < 0.02_dp) error stop "the energy does not fall as it should"
end program sph_step
