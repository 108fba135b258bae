!> Exact sums. They have the same bits for any order of the terms, and for any distribution of the
!> terms over threads or processes, which merge their parts.
!>
!>     type(neargrid_sum) :: energy                ! no terms yet: 0
!>     call energy%add_products(mass, speed**2)    ! the products are exact too
!>     call energy%merge(part)                     ! from another process, which sent its `words`
!>     print *, 0.5_real64*energy%rounded()
!>
!> `stat` and `errmsg` are optional, as everywhere in module `neargrid`, which programs use.
module neargrid_sums
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid_c
    use neargrid_errors, only: conclude, differ, last_error
    implicit none (type, external)

    private
    public :: neargrid_sum

    !> An exact sum of fewer than 2^32 finite numbers. Programs may copy it, and send `words` to
    !> other processes. Assign `neargrid_sum()` to start over.
    type :: neargrid_sum
        !> The sum, in a form that only neargrid reads; all 0 for no terms.
        integer(int64) :: words(neargrid_sum_words) = 0
    contains
        !> `call sum%add(term)`, `call sum%add(terms)`: adds one real64 number, or those of
        !> `terms(:)`.
        generic, public :: add => add_one, add_all
        !> `call sum%add_products(x, y)`: adds the products `x(k)*y(k)` of two real64 arrays of one
        !> size (`neargrid_status_bad_count`).
        procedure, public :: add_products
        !> `call sum%merge(other)`: adds another sum.
        procedure, public :: merge => merge_sum
        !> `sum%rounded()`: the real64 number nearest to the sum, the even one of two that are
        !> equally near; 0 on a failure.
        procedure, public :: rounded
        procedure, private :: add_one, add_all
    end type neargrid_sum

contains

    subroutine add_one(self, term, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        real(real64), intent(in) :: term
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call add_all(self, [term], stat, errmsg)
    end subroutine add_one

    subroutine add_all(self, terms, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        real(real64), intent(in), contiguous :: terms(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        status = neargrid_sum_add(self%words, size(terms, kind=int64), terms)
        call conclude(status, "add", last_error(status), stat, errmsg)
    end subroutine add_all

    subroutine add_products(self, x, y, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        real(real64), intent(in), contiguous :: x(:), y(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        if (differ("y", size(y, kind=int64), "size(x)", size(x, kind=int64), "add_products", &
                   stat, errmsg)) return
        status = neargrid_sum_add_products(self%words, size(x, kind=int64), x, y)
        call conclude(status, "add_products", last_error(status), stat, errmsg)
    end subroutine add_products

    subroutine merge_sum(self, other, stat, errmsg)
        class(neargrid_sum), intent(inout) :: self
        type(neargrid_sum), intent(in) :: other
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status

        status = neargrid_sum_merge(self%words, other%words)
        call conclude(status, "merge", last_error(status), stat, errmsg)
    end subroutine merge_sum

    function rounded(self, stat, errmsg) result(value)
        class(neargrid_sum), intent(in) :: self
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        real(real64) :: value
        integer(c_int) :: status

        value = 0
        status = neargrid_sum_round(self%words, value)
        call conclude(status, "rounded", last_error(status), stat, errmsg)
    end function rounded

end module neargrid_sums
