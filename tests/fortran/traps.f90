!> A program whose floating-point exceptions trap: sums of all sorts, whose unused lanes divide 0 by
!> 0 and overflow. At the end `stop` names the exceptions that were raised: there are none.
program traps
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: real32, real64
    use neargrid
    use support, only: check, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 20000
    character(len=*), parameter :: texts(3) = [character(len=60) :: &
        "a += (p_i/rho_i^2 + p_j/rho_j^2)*m_j*d", "a += exp(-m_j*r2)*log(rho_j + 1)*p_i/r*d", &
        "s = pow(r, -3); a += sqrt(rho_i*p_j)*m_j/s*d"]
    type(neargrid_search) :: search
    type(neargrid_formula) :: formula
    real(real64) :: x(3, n), one(n)
    real(real64), allocatable :: a(:, :)
    real(real32), allocatable :: single(:, :)
    integer :: k, threads

    x = cloud_f64(3, n, 5)
    one = 1
    call search%create()
    call search%set_backend(neargrid_backend_cpu)
    call search%set_cutoff(0.05_real64)
    call search%set_points(x)
    do k = 1, size(texts)
        do threads = 1, 2
            call search%set_threads(int(threads, c_int))
            call formula%create(texts(k))
            call search%set("p", one)
            call search%set("rho", one)
            call search%set("m", one)
            call formula%set_precision(neargrid_precision_double)
            call search%run(formula)
            call search%get("a", a)
            call formula%set_precision(neargrid_precision_single)
            call search%run(formula)
            call search%get("a", single)
            call check(any(abs(a) > 0) .and. any(abs(single) > 0), "a sum of nothing")
        end do
    end do
    call formula%destroy()
    call search%destroy()
    call finish("traps", 6)
    stop
end program traps
