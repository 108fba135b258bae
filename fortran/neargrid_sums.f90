!> Sums without rounding: the same bits for any order of the terms, and however they are spread over
!> threads or processes, which merge their parts.
!>
!>     type(neargrid_sum) :: energy                ! of no terms yet
!>     call energy%add_products(mass, speed**2)    ! the products are not rounded either
!>     call energy%merge(part)                     ! what another process sent: its `words`
!>     print *, 0.5_real64*energy%rounded()
!>
!> Programs use module `neargrid`.
module neargrid_sums
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid_c
    use neargrid_errors, only: conclude, differ, last_error
    implicit none (type, external)

    private
    public :: neargrid_sum, neargrid_sum_words

    !> A sum of finite numbers, less than 2^32 of them. It may be copied, and `words` sent to
    !> other processes; to begin anew assign `neargrid_sum()`.
    type :: neargrid_sum
        !> What neargrid makes of it; all 0 for no terms.
        integer(int64) :: words(neargrid_sum_words) = 0
    contains
        generic, public :: add => add_one, add_all
        procedure, public :: add_products, merge => merge_sum, rounded
        procedure, private :: add_one, add_all
    end type neargrid_sum

contains

    !> Adds a number.
    subroutine add_one(self, term, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        real(real64), intent(in) :: term
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call add_all(self, [term], stat, errmsg)
    end subroutine add_one

    !> Adds numbers.
    subroutine add_all(self, terms, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        real(real64), intent(in), contiguous :: terms(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        status = neargrid_sum_add(self%words, size(terms, kind=int64), terms)
        call conclude(status, "add", last_error(status), stat, errmsg)
    end subroutine add_all

    !> Adds the products of numbers, `x(k)*y(k)`.
    subroutine add_products(self, x, y, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        real(real64), intent(in), contiguous :: x(:), y(:)
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        if (differ("y", size(y, kind=int64), "size(x)", size(x, kind=int64), "add_products", &
                   stat, errmsg)) return
        status = neargrid_sum_add_products(self%words, size(x, kind=int64), x, y)
        call conclude(status, "add_products", last_error(status), stat, errmsg)
    end subroutine add_products

    !> Adds another sum.
    subroutine merge_sum(self, other, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        type(neargrid_sum), intent(in) :: other
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        status = neargrid_sum_merge(self%words, other%words)
        call conclude(status, "merge", last_error(status), stat, errmsg)
    end subroutine merge_sum

    !> The number nearest to the sum, of two equally near ones the even one; 0 on failure.
    function rounded(self, stat, errmsg) result(value)
        class(neargrid_sum), intent(in) :: self
        integer(c_int), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        real(real64) :: value
        integer(c_int) :: status

        value = 0
        status = neargrid_sum_round(self%words, value)
        call conclude(status, "rounded", last_error(status), stat, errmsg)
    end function rounded

end module neargrid_sums
