!> Groups of friends of friends and their catalogue in all forms: pointers and allocatables, both real
!> kinds, with and without masses and velocities; against the plain loop.
program fof
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, check_failure, cloud_f32, cloud_f64, finish, plain_pairs
    implicit none (type, external)
    integer, parameter :: n = 400
    type(neargrid_search) :: search

    call search%create()
    call search%set_backend(neargrid_backend_cpu)
    call labels_f64()
    call labels_f32()
    call catalogue()
    call across_a_corner()
    call primary()
    call few()
    call sums()
    call search%destroy()
    call finish("fof", 75)

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

    subroutine labels_f64()
        real(real64) :: x(3, n)
        integer(c_int), allocatable :: pair_i(:), pair_j(:), labels(:)
        integer(c_int), pointer :: view(:)
        integer(int64), allocatable :: ids(:)
        integer(int64) :: ngroups, again
        integer :: round

        x = cloud_f64(3, n, 11)
        do round = 1, 5
            call search%set_cutoff(0.03_real64*round)
            call search%set_points(x)
            call plain_pairs(x, 0.03_real64*round, pair_i, pair_j)
            call search%fof(labels, ngroups=ngroups)
            call check(all(labels == united(n, pair_i, pair_j)), "labels")
            call check(ngroups == count_own(labels), "number of groups")
            call search%fof(view, ngroups=again)
            call check(all(view == labels) .and. again == ngroups, "a view of labels")
            call search%fof(view)
            call check(all(view == labels), "a view again")
            call search%fof(ids, ngroups=again)
            call check(all(ids == labels) .and. again == ngroups, "numbers where no ids are set")
        end do
    end subroutine labels_f64

    subroutine labels_f32()
        real(real32) :: x(2, n)
        integer(c_int), allocatable :: pair_i(:), pair_j(:), labels(:)
        type(neargrid_groups) :: found

        x = cloud_f32(2, n, 12)
        call search%set_cutoff(0.05)
        call search%set_points(x)
        call plain_pairs(x, 0.05, pair_i, pair_j)
        call search%fof(labels)
        call check(all(labels == united(n, pair_i, pair_j)), "labels of real32")
        call search%groups(found, 1_c_int, x(1, :) + 1, x)
        call check(size(found%sizes, kind=int64) == count_own(labels), "all groups")
        call check(sum(found%sizes) == n, "all points in groups")
        call check(all(found%labels == found%order(found%offsets(1:size(found%sizes)))), &
                   "a label is the first of its group")
        call check(all(shape(found%velocities) == [2, size(found%sizes)]), "velocities")
        call check(all(found%ids == found%labels), "ids are numbers where none are set")
    end subroutine labels_f32

    subroutine catalogue()
        real(real64) :: x(3, n), masses(n), v(3, n), total, center(3)
        integer(c_int), allocatable :: labels(:), members(:)
        type(neargrid_groups) :: found
        integer :: g

        x = cloud_f64(3, n, 13)
        v = cloud_f64(3, n, 14)
        masses = 0.5_real64 + v(1, n:1:-1)
        call search%set_cutoff(0.1_real64)
        call search%set_points(x)
        call search%fof(labels)
        call search%groups(found, 3_c_int, masses, v)
        call check(size(found%sizes) > 3, "some groups")
        allocate (members(0)) ! without, gfortran 12 warns of bounds that are not set
        do g = 1, size(found%sizes)
            members = found%order(found%offsets(g):found%offsets(g + 1) - 1)
            call check(size(members, kind=int64) == found%sizes(g) .and. &
                       all(labels(members) == found%labels(g)), "members")
            total = sum(masses(members))
            call check(abs(found%masses(g) - total) < 1e-12_real64*total, "mass")
            center = matmul(x(:, members), masses(members))/total
            call check(all(abs(found%centers(:, g) - center) < 1e-12_real64), "center")
            call check(all(abs(found%velocities(:, g) - matmul(v(:, members), masses(members)) &
                               /total) < 1e-12_real64), "velocity")
            total = sum(masses(members)*sum((x(:, members) - spread(center, 2, size(members)))**2, &
                                            1))/total
            call check(abs(found%radii(g) - sqrt(total)) < 1e-12_real64, "radius")
        end do
        call check(all(.not. found%wide), "open boxes have no wide groups")
        call search%groups(found, 3_c_int, masses)
        call check(.not. allocated(found%velocities), "no velocities")
        call search%groups(found, 3_c_int)
        call check(all(nint(found%masses, int64) == found%sizes), "masses of 1")
    end subroutine catalogue

    subroutine across_a_corner()
        type(neargrid_groups) :: found
        real(real64) :: x(2, 4)

        x = reshape([0.25_real64, 0.25_real64, 9.75_real64, 0.25_real64, &
                     0.25_real64, 9.75_real64, 9.75_real64, 9.75_real64], [2, 4])
        call search%set_box([0.0_real64, 0.0_real64], [10.0_real64, 10.0_real64], [.true., .true.])
        call search%set_cutoff(1.0_real64)
        call search%set_points(x)
        call search%groups(found, 2_c_int)
        call check(size(found%sizes) == 1 .and. all(abs(found%centers) <= 0), "a corner's center")
    end subroutine across_a_corner

    subroutine primary()
        integer(c_int), allocatable :: labels(:)

        call search%create()
        call search%set_cutoff(1.5_real64)
        call search%set_points(reshape([0, 1, 3, 9, 4]*1.0_real64, [1, 5]))
        call search%set_types([1_c_int, 1_c_int, 2_c_int, 2_c_int, 1_c_int], &
                              reshape(spread(.true., 1, 4), [2, 2]))
        call search%set_primary_types([.true., .false.])
        call search%fof(labels)
        call check(all(labels == [1, 1, 3, 4, 3]), "points that attach")
        call search%set_primary_types([logical ::])
        call search%set_cutoff(2.0_real64)
        call search%fof(labels)
        call check(all(labels == [1, 1, 1, 4, 1]), "all link")
    end subroutine primary

    subroutine few()
        integer(c_int), allocatable :: labels(:)
        integer(c_int), pointer :: view(:)
        type(neargrid_groups) :: found
        real(real64) :: none(3, 0), one(3, 1)

        one = 2
        call search%create()
        call search%set_cutoff(1.5_real64)
        call search%set_points(none)
        call search%fof(labels)
        call search%fof(view)
        call search%groups(found, 1_c_int)
        call check(size(labels) == 0 .and. size(view) == 0 .and. size(found%sizes) == 0, "no points")
        call check(all(found%offsets == [1_int64]) .and. size(found%order) == 0, "no members")
        call search%set_points(one)
        call search%groups(found, 1_c_int)
        call check(all(found%order == [1]) .and. all(found%offsets == [1_int64, 2_int64]), "one point")
        call search%groups(found, 2_c_int)
        call check(size(found%centers, 2) == 0 .and. all(found%order == [1]), "one too few")
    end subroutine few

    ! The lowest of each point's group.
    function united(n, pair_i, pair_j) result(labels)
        integer, intent(in) :: n
        integer(c_int), intent(in) :: pair_i(:), pair_j(:)
        integer(c_int) :: labels(n), low
        integer :: i, k
        logical :: changes

        labels = [(int(i, c_int), i=1, n)]
        changes = .true.
        do while (changes)
            changes = .false.
            do k = 1, size(pair_i)
                low = min(labels(pair_i(k)), labels(pair_j(k)))
                changes = changes .or. labels(pair_i(k)) /= low .or. labels(pair_j(k)) /= low
                labels(pair_i(k)) = low
                labels(pair_j(k)) = low
            end do
        end do
    end function united

    function count_own(labels) result(own)
        integer(c_int), intent(in) :: labels(:)
        integer(int64) :: own
        integer :: i

        own = count([(labels(i) == i, i=1, size(labels))], kind=int64)
    end function count_own

end program fof
