!> Groups of friends of friends and their catalogue in all forms: pointers and allocatables, both real
!> kinds, with and without masses and velocities; and exact sums.
program fof
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: n = 400
    type(neargrid_search) :: search
    integer(c_int) :: k

    call search%create()
    call search%set_backend(neargrid_backend_cpu)
    call forms_f64()
    call forms_f32()
    call sums()
    call search%destroy()
    call finish("fof", 22)

contains

    !> Sums that catalogues round: parts in any order, products, refusals.
    subroutine sums()
        type(neargrid_sum) :: whole, parts(2)
        real(real64) :: terms(100), products(100)
        integer(c_int) :: stat
        character(len=200) :: errmsg
        integer :: k

        terms = [(sin(real(k, real64))*10.0_real64**(k - 50), k=1, 100)]
        products = terms*2
        call whole%add(terms)
        do k = 100, 1, -1
            call parts(1 + mod(k, 2))%add_products(products(k:k), [0.5_real64])
        end do
        call parts(1)%merge(parts(2))
        call check(abs(parts(1)%rounded() - whole%rounded()) <= 0, "parts of a sum")
        call parts(1)%add(-whole%rounded())
        call check(abs(parts(1)%rounded()) < spacing(whole%rounded()), "what rounding took")
        whole = neargrid_sum()
        call whole%add(huge(1.0_real64))
        call whole%add(0.25_real64)
        call whole%add(-huge(1.0_real64))
        call check(abs(whole%rounded() - 0.25_real64) <= 0, "what a plain sum loses")
        call whole%add_products(terms, terms(2:), stat, errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(y) = 99|size(x) = 100", "y")
        call whole%add(sqrt(-terms(1:1)**2), stat, errmsg)
        call check_failure(stat, neargrid_status_non_finite, errmsg, "NaN |finite", "NaN")
        whole%words = huge(0_int64)
        call check(whole%rounded(stat, errmsg) <= 0, "no sum")
        call check_failure(stat, neargrid_status_bad_value, errmsg, "words", "words")
    end subroutine sums

    !> Pointers, allocatables and ids; groups with masses and velocities, with masses alone and with neither.
    subroutine forms_f64()
        real(real64) :: x(3, n)
        integer(c_int), allocatable :: labels(:)
        integer(c_int), pointer :: view(:)
        integer(int64), allocatable :: ids(:)
        integer(int64) :: ngroups, again
        type(neargrid_groups) :: found

        x = cloud_f64(3, n, 11)
        call search%set_cutoff(0.09_real64)
        call search%set_points(x)
        call search%fof(labels, ngroups=ngroups)
        call search%fof(view, ngroups=again)
        call check(all(view == labels) .and. again == ngroups .and. ngroups > 3, "a view of labels")
        call search%fof(ids, ngroups=again)
        call check(all(ids == labels) .and. again == ngroups, "numbers where no ids are set")
        call search%groups(found, 1_c_int, 1 + x(1, :), x)
        call check(size(found%sizes, kind=int64) == ngroups .and. sum(found%sizes) == n, "all groups")
        call check(all(found%labels == found%order(found%offsets(1:ngroups))), "a label is the first of its group")
        call check(all(abs(found%velocities - found%centers) < 1e-12_real64), "velocities")
        call check(all(found%ids == found%labels) .and. .not. any(found%wide), "ids are numbers where none are set")
        call search%groups(found, 3_c_int, 1 + x(1, :))
        call check(.not. allocated(found%velocities) .and. all(found%sizes > 2), "no velocities")
        call search%groups(found, 3_c_int)
        call check(all(nint(found%masses, int64) == found%sizes), "masses of 1")
        call search%set_types([(1_c_int + mod(k, 2_c_int), k=1, n)], reshape(spread(.true., 1, 4), [2, 2]))
        call search%set_primary_types([.true., .false.])
        call search%fof(labels, ngroups=again)
        call check(again > ngroups, "groups of one type that links")
        call search%set_primary_types([logical ::])
        call search%fof(labels, ngroups=again)
        call check(again == ngroups, "all link")
    end subroutine forms_f64

    subroutine forms_f32()
        real(real32) :: x(2, n)
        type(neargrid_groups) :: found

        x = cloud_f32(2, n, 12)
        call search%create()
        call search%set_cutoff(0.05)
        call search%set_points(x)
        call search%groups(found, 1_c_int, x(1, :) + 1, x)
        call check(sum(found%sizes) == n, "all points in groups")
        call check(all(shape(found%velocities) == [2, size(found%sizes)]), "velocities in real32")
        call search%set_points(x(:, :0))
        call search%groups(found, 1_c_int)
        call check(all(found%offsets == [1_int64]) .and. size(found%order) == 0, "no members")
    end subroutine forms_f32

end program fof
