!> Sums over neighbors by a formula, in both real kinds, of points and queries; against a plain loop
!> over the rows, bit for bit. And what is refused.
program formula
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 300
    type(neargrid_search) :: search

    call search%create()
    call search%set_backend(neargrid_backend_cpu)
    call density()
    call forces()
    call queries()
    call refusals()
    call search%destroy()
    call finish("formula", 30)

contains

    !> Numbers in real32 from coordinates in real32, with the point itself.
    subroutine density()
        type(neargrid_formula) :: sph
        real(real32) :: x(3, n), mass(n), rho(n), sum, d(3), r, q
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
        call sph%set("m", mass)
        call sph%set_include_self(.true.)
        call search%sum(sph)
        call sph%get("rho", rho)
        call search%neighbors(offsets, ids, full=.true.)
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
        real(real64) :: x(2, n), v(2, n), f(2, n), least(n), sum(2), d(2), r, w
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
        call drag%set("v", v)
        call drag%set_table("W", neargrid_table_r, 0.0_real64, 0.5_real64, [1.0_real64, 0.25_real64])
        call search%sum(drag, kind=neargrid_neighbors_full)
        call drag%get("f", f)
        call drag%get("least", least)
        call search%neighbors(offsets, ids, full=.true.)
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
    end subroutine forces

    subroutine queries()
        type(neargrid_formula) :: near
        real(real64) :: x(2, n), h(n), v(2, n)
        real(real64) :: most(2, n), count(n)

        x = cloud_f64(2, n, 2)
        h = 2
        v = 3
        call search%set_points(x)
        call search%set_queries(x)
        call near%create("most max= h_i*v_j + 0*v_i; count += h_i - h_j")
        call near%set_precision(neargrid_precision_double)
        call near%set("h", h)
        call near%set("v", v)
        call near%set_query("h", h + 2)
        call near%set_query("v", v)
        call search%sum(near, kind=neargrid_neighbors_queries)
        call near%get("most", most)
        call near%get("count", count)
        call check(all(abs(most - 12) <= 0), "vectors of queries")
        call check(all(count >= 2), "numbers of queries")
    end subroutine queries

    subroutine refusals()
        type(neargrid_formula) :: wrong
        real(real32) :: few(3), some(n), vectors(2, n), turned(n, 2)
        real(real64) :: wide(n)
        integer(c_int) :: stat
        character(len=200) :: errmsg

        some = 1
        vectors = 1
        call wrong%set("m", some, stat, errmsg)
        call check_failure(stat, neargrid_status_null_pointer, errmsg, "does not exist|create", "no formula")
        call wrong%create("x += 1 +", stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "line 1, column 9", "no expression")
        call wrong%create("x += 1" // achar(0) // "; y += 1", stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "text has a NUL as character 7", "a NUL")
        call wrong%create("x += 1" // achar(0), stat, errmsg)
        call check(stat == neargrid_status_ok, "a NUL at the end")
        call wrong%create("y += v_i")
        call wrong%set("v", transpose(vectors), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_dim, errmsg, &
                           "size(values, 1) = 300|values(n, dim)|transpose(values)", "v(n, 2)")
        call wrong%set_query("v", transpose(vectors), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_dim, errmsg, "transpose(values)", "v(n, 2) of queries")
        call search%sum(wrong, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "'v' has no value yet; set?", "Fortran's set")
        call search%sum(wrong, kind=neargrid_neighbors_queries, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "'v' has no value yet; set for queries?", "set_query")
        call wrong%set("v", vectors)
        call search%sum(wrong)
        call wrong%get("y", turned, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_dim, errmsg, "transpose(values)", "y(n, 2)")
        call wrong%create("set_field += set_constant_j", stat, errmsg)
        call search%sum(wrong, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "field 'set_constant' has|; set?", "own names stay")
        call wrong%create("x += m_j*d; y += a")
        call wrong%set("m", 1.0_real64, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "'m' is a field|(set)", "a field as constant")
        call wrong%set("a", some, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "'a' is a constant|(set)", "a constant as field")
        call wrong%set("b", 1.0_real64, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "'b'|constants of the formula: a", "b")
        call search%sum(wrong, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "'a' has no value", "a")
        call wrong%set("a", 1.0_real64)
        few = 1
        call wrong%set("m", few)
        call search%sum(wrong, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "line 1, column 6|3 values|300 points", "few")
        some = 1
        call wrong%set("m", some)
        call wrong%get("y", some, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_state, errmsg, "sum", "no sum")
        call search%sum(wrong)
        call wrong%get("y", few, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "300 rows of 1|3 of 1", "a short array")
        call wrong%get("x", some, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "300 rows of 2", "vectors")
        call wrong%get("x", vectors)
        call wrong%get("y", wide, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "real64|real32", "another precision")
        call wrong%set_precision(3_c_int, stat, errmsg)
        call check_failure(stat, neargrid_status_bad_value, errmsg, "precision = 3", "precision")
    end subroutine refusals

end program formula
