!> Lists that are taken out of a search: they keep their rows beside those of the next step, and after the
!> search.
program lists
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, same
    implicit none (type, external)
    integer, parameter :: n = 600, nsteps = 8
    type(neargrid_search) :: search
    type(neargrid_list) :: old, new, pair(2)

    call contacts()
    call kinds()
    call by_cutoffs()
    call other_forms()
    call search%destroy()
    call search%destroy()
    call old%destroy()
    call old%destroy()
    call new%destroy()
    call pair(1)%destroy()
    call pair(2)%destroy()
    call finish("lists", 48)

contains

    subroutine begin(seed)
        integer, intent(in) :: seed

        call search%set_points(cloud_f64(3, n, seed))
    end subroutine begin

    !> Rows in a table, and with offsets of 32 bits.
    subroutine other_forms()
        integer(int64), allocatable :: offsets(:)
        integer(c_int), allocatable :: ids(:), table(:, :)
        integer(c_int) :: counts(n + 1), narrow(n + 1), few, stat
        integer(int64) :: longest, bins(2), full_bins(2)
        integer :: i
        logical :: right
        character(len=300) :: errmsg

        call search%create()
        call search%set_cutoff(0.15_real64)
        call begin(3)
        call search%neighbors(offsets, ids)
        allocate (table(1, n))
        table = -7
        call search%padded_neighbors(longest, table, counts, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, "width = 1 is too small", "narrow")
        call check(all(table == -7), "something was written")
        deallocate (table)
        allocate (table(longest + 2, n + 1))
        table = -7
        call search%padded_neighbors(longest, table, counts)
        right = all(table(:, n + 1) == -7)
        do i = 1, n
            right = right .and. counts(i) == offsets(i + 1) - offsets(i)
            right = right .and. all(table(:counts(i), i) == ids(offsets(i):offsets(i + 1) - 1))
            right = right .and. all(table(counts(i) + 1:, i) == 0)
        end do
        call check(right, "padded rows")
        call search%padded_neighbors(longest, table(:, :n - 1), counts, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(ids, 2) = 599", "few columns")
        call search%histogram([0.0_real64, 0.05_real64, 0.15_real64], bins)
        call check(2*sum(bins) == size(ids) .and. bins(1) > 0, "bins of distance")
        call search%histogram([0.0_real64, 0.05_real64, 0.15_real64], full_bins, &
                              kind=neargrid_neighbors_full)
        call check(all(full_bins == 2*bins), "bins of full rows")
        call search%histogram([0.0_real64, 0.05_real64], bins, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, "size(counts) = 2", "few edges")
        call search%neighbors(few, narrow, ids)
        call check(few == size(ids) .and. all(narrow == offsets), "offsets of 32 bits")
        ids = -7
        few = 0
        call search%neighbors(few, narrow, ids(:5), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_capacity, errmsg, "capacity = 5", "few ids")
        call check(few == size(ids) .and. all(ids == -7), "the need in 32 bits")
    end subroutine other_forms

    !> At each step the old list has the rows of the step before.
    subroutine contacts()
        integer(int64), pointer :: offsets(:), old_offsets(:)
        integer(c_int), pointer :: ids(:), old_ids(:)
        integer(int64), allocatable :: fit_offsets(:), before_offsets(:)
        integer(c_int), allocatable :: fit_ids(:), before_ids(:)
        integer :: step

        call search%create()
        call search%set_cutoff(0.15_real64)
        do step = 1, nsteps
            call begin(step)
            call search%neighbors(fit_offsets, fit_ids, kind=neargrid_neighbors_half)
            call search%take_neighbors(new, kind=neargrid_neighbors_half)
            call new%neighbors(offsets, ids)
            call check(lbound(ids, 1) == 1 .and. size(offsets) == n + 1, "bounds")
            call check(same(ids, fit_ids) .and. all(offsets == fit_offsets), "rows of a list")
            if (step > 1) then
                call old%neighbors(old_offsets, old_ids)
                call check(same(old_ids, before_ids) .and. all(old_offsets == before_offsets), &
                           "rows of the step before")
            end if
            call old%swap(new)
            call check(same(ids, fit_ids), "a view after a swap")
            call move_alloc(fit_offsets, before_offsets)
            call move_alloc(fit_ids, before_ids)
        end do
        call search%destroy()
        call old%neighbors(old_offsets, old_ids)
        call check(same(old_ids, before_ids), "a list without its search")
    end subroutine contacts

    !> Elements of an array, rows of all kinds, a local variable.
    subroutine kinds()
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(c_int), allocatable :: fit_ids(:)
        integer(int64), allocatable :: fit_offsets(:)
        integer(c_int), parameter :: all_kinds(3) = [neargrid_neighbors_half, &
            neargrid_neighbors_full, neargrid_neighbors_queries]
        type(neargrid_list) :: local
        integer(c_int) :: stat
        integer :: k

        call search%create()
        call search%set_cutoff(0.15_real64)
        call begin(3)
        call search%set_queries(cloud_f64(3, 20, 4))
        do k = 1, 3
            call search%neighbors(fit_offsets, fit_ids, kind=all_kinds(k))
            call search%take_neighbors(pair(1 + mod(k, 2)), kind=all_kinds(k), stat=stat)
            call check(stat == neargrid_status_ok, "stat")
            call pair(1 + mod(k, 2))%neighbors(offsets, ids)
            call check(same(ids, fit_ids) .and. all(offsets == fit_offsets), "rows of a kind")
        end do
        call search%neighbors(fit_offsets, fit_ids)
        call search%take_neighbors(local)
        call local%neighbors(offsets, ids)
        call check(same(ids, fit_ids), "full rows are the default")
    end subroutine kinds

    !> Lists by several cutoffs are those of a search for each.
    subroutine by_cutoffs()
        real(real64), parameter :: cutoffs(3) = [0.05_real64, 0.15_real64, 0.1_real64]
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(c_int), allocatable :: fit_ids(:)
        integer(int64), allocatable :: fit_offsets(:)
        type(neargrid_list) :: three(3)
        integer(c_int) :: stat
        integer :: k
        character(len=200) :: errmsg

        call search%take_neighbors_by_cutoffs(cutoffs, three, kind=neargrid_neighbors_half)
        do k = 1, 3
            call search%set_cutoff(cutoffs(k))
            call search%neighbors(fit_offsets, fit_ids, kind=neargrid_neighbors_half)
            call three(k)%neighbors(offsets, ids)
            call check(same(ids, fit_ids) .and. all(offsets == fit_offsets), "rows by a cutoff")
        end do
        call search%set_cutoff(0.25_real64)
        call search%neighbors(fit_offsets, fit_ids)
        call search%take_neighbors_by_cutoffs([0.125, 0.25], three(3:1:-2))
        call three(1)%neighbors(offsets, ids)
        call check(same(ids, fit_ids) .and. all(offsets == fit_offsets), "single precision")
        call search%take_neighbors_by_cutoffs(cutoffs, three(:2), stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_count, errmsg, &
                           "size(lists) = 2 is not allowed: it must be size(cutoffs) = 3", "few lists")
        call search%take_neighbors_by_cutoffs(-cutoffs, three, stat=stat, errmsg=errmsg)
        call check_failure(stat, neargrid_status_bad_cutoff, errmsg, "of list 1", "negative cutoffs")
        call three(1)%neighbors(offsets, ids)
        call check(same(ids, fit_ids), "a list after a failure")
    end subroutine by_cutoffs

end program lists
