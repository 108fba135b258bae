!> Calls from inside a parallel region: each of 64 threads with a search of its own, and the
!> drop-in, whose hidden search belongs to its thread. The process must stay at about 64 threads:
!> in a parallel region a search runs on the thread that calls it. Argument: how many threads a
!> search may use outside of one.
program threads
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use omp_lib, only: omp_get_num_threads, omp_get_thread_num
    use cellList_m, only: cellList
    use neargrid, only: neargrid_counter_threads, neargrid_search
    use neargrid_c, only: neargrid_celllist_release
    use support, only: check, cloud_f32, cloud_f64, finish, plain_pairs, same
    implicit none (type, external)
    integer, parameter :: team = 64, rounds = 3
    integer, parameter :: many = 6000       ! points that are worth more than one thread
    integer :: available, wrong, wrong_dropin, members, most, used
    character(len=10) :: argument

    call get_command_argument(1, argument)
    read (argument, *) available
    call alone()
    wrong = 0
    wrong_dropin = 0
    members = 0
    most = 0
    used = 0
    !$omp parallel num_threads(team) default(none) shared(members) &
    !$omp reduction(+: wrong, wrong_dropin) reduction(max: most, used)
    !$omp single
    members = omp_get_num_threads()
    !$omp end single
    call one_thread(wrong, wrong_dropin, used)
    !$omp barrier
    most = os_threads()
    !$omp barrier
    call neargrid_celllist_release()
    !$omp end parallel
    call check(members == team, "a team of 64 threads")
    call check(wrong == 0, "searches in a parallel region")
    call check(wrong_dropin == 0, "the drop-in in a parallel region")
    call check(used == 1, "a search in a parallel region runs on its caller")
    ! Beside the team there is the pool of the process, once, and no other.
    call check(most >= team .and. most <= team + available + 2, "OS threads: " // text(most))
    call alone()
    call finish("threads", 11)

contains

    !> Outside of a parallel region, before and after.
    subroutine alone()
        integer :: wrong, wrong_dropin, used

        wrong = 0
        wrong_dropin = 0
        used = 0
        call one_thread(wrong, wrong_dropin, used)
        call check(wrong == 0, "searches outside of a parallel region")
        call check(wrong_dropin == 0, "the drop-in outside of a parallel region")
        call check(used == available, "outside of a parallel region a search uses what there is")
        call neargrid_celllist_release()
    end subroutine alone

    subroutine one_thread(wrong, wrong_dropin, used)
        integer, intent(inout) :: wrong, wrong_dropin, used
        type(neargrid_search) :: search
        integer, parameter :: n = 200
        real(real64) :: x(3, n)
        integer(c_int), allocatable :: want_i(:), want_j(:), ids_i(:), ids_j(:)
        integer, allocatable :: pair_i(:), pair_j(:)
        integer(int64) :: value
        integer :: round, points

        call search%create()
        do round = 1, rounds
            points = n - 10*round
            x = cloud_f64(3, n, 1 + 100*omp_get_thread_num() + round)
            call search%set_cutoff(0.1_real64*round)
            call search%set_points(x, n=int(points, c_int))
            call search%pairs(ids_i, ids_j)
            call plain_pairs(x(:, 1:points), 0.1_real64*round, want_i, want_j)
            if (.not. (same(ids_i, want_i) .and. same(ids_j, want_j))) wrong = wrong + 1
            call cellList(3, points, x, 0.1_real64*round, pair_i, pair_j)
            if (.not. (same(pair_i, want_i) .and. same(pair_j, want_j))) &
                wrong_dropin = wrong_dropin + 1
            call plain_pairs(real(x, real32), 0.1_real32, want_i, want_j)
            call cellList(3, n, real(x, real32), 0.1_real32, pair_i, pair_j)
            if (.not. (same(pair_i, want_i) .and. same(pair_j, want_j))) &
                wrong_dropin = wrong_dropin + 1
        end do
        call row_of_points(search, wrong, wrong_dropin)
        call search%counter(neargrid_counter_threads, value)
        used = max(used, int(value))
        call search%destroy()
    end subroutine one_thread

    !> Many points in a row: each is a pair with the next.
    subroutine row_of_points(search, wrong, wrong_dropin)
        type(neargrid_search), intent(inout) :: search
        integer, intent(inout) :: wrong, wrong_dropin
        real(real64) :: x(many), step
        integer(c_int), pointer :: ids_i(:), ids_j(:)
        integer, allocatable :: pair_i(:), pair_j(:)
        integer :: i

        step = 1.0_real64 + omp_get_thread_num()
        x = [(step*i, i=1, many)]
        call cellList(1, many, x, 1.5_real64*step, pair_i, pair_j)
        if (.not. (same(pair_i, [(i, i=1, many - 1)]) .and. same(pair_j, [(i, i=2, many)]))) &
            wrong_dropin = wrong_dropin + 1
        call search%set_cutoff(1.5_real64*step)
        call search%set_points(x, dim=1)
        call search%pairs(ids_i, ids_j)
        if (.not. (same(ids_i, pair_i) .and. same(ids_j, pair_j))) wrong = wrong + 1
    end subroutine row_of_points

    !> The number of threads of this process, by the kernel's account.
    integer function os_threads()
        character(len=200) :: line
        integer :: unit, ios

        os_threads = -1
        !$omp critical (reading)
        open (newunit=unit, file="/proc/self/status", action="read", status="old")
        do
            read (unit, "(a)", iostat=ios) line
            if (ios /= 0) exit
            if (line(1:8) == "Threads:") read (line(9:), *) os_threads
        end do
        close (unit)
        !$omp end critical (reading)
    end function os_threads

    function text(number)
        integer, intent(in) :: number
        character(len=6) :: text

        write (text, "(i0)") number
    end function text

end program threads
