! Made from celllist_m.fypp: change that file, then `make fortran`.
!> Drop-in module `cellList_m`: all pairs of points within a cutoff, by neargrid.
!>
!>     use cellList_m, only: cellList
!>
!> Compile this file in place of the old module and link the library (`-lneargrid`). It declares the
!> C functions that it needs, so that a code which only wants this call carries one source file. The
!> module has no state: the library keeps one hidden search for each calling thread and reuses its
!> memory from call to call, so OpenMP threads may call at the same time.
!>
!> Integers are int32 or int64, all those of a call of one kind: default integers, whatever the flags
!> of the program are. (Those of 8 bytes are converted from the 32-bit ids of the library.) Points and
!> cutoff are real32 or real64. Logicals are default logicals.
module cellList_m
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_int, c_int32_t, &
        c_int64_t, c_size_t
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    implicit none (type, external)

    private
    public :: cellList, cellList_compact, cellList_real

    !> The real kind of a program that chooses it when it is compiled: real64, or real32 with
    !> `-DSINGLEPRECISION`. `cellList` takes both kinds in either case.
#ifdef SINGLEPRECISION
    integer, parameter :: cellList_real = real32
#else
    integer, parameter :: cellList_real = real64
#endif

    !> The pairs (i, j) with i < j whose distance is at most `cutoff`, ordered by i, then j,
    !> 1-based.
    !>
    !>     call cellList(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, pair_i, pair_j)
    !>     call cellList(dim, npoints, x, cutoff, pair_i, pair_j)
    !>
    !> * `dim`: coordinates of a point, 1, 2 or 3. `npoints`: number of points, 0 or more.
    !> * `maxpercell`: not needed; any value will do.
    !> * `x`: `x(dim, npoints)` or `x(dim*npoints)`, point after point; never changed. It has
    !>   explicit shape: the first `dim*npoints` elements of a larger array are the points, so
    !>   `x(dim, maxn)` works as it is. `cutoff` has the kind and the unit of `x`.
    !> * `maxnpair`: how many pairs `pair_i` and `pair_j` have room for. `npairs`: how many there
    !>   are. The elements beyond `npairs` are not touched.
    !> * `pair_i`, `pair_j` allocatable (second form): new arrays that fit.
    !>
    !> `exclusive=.true.`, optional and by keyword, leaves out pairs at a distance of exactly
    !> `cutoff`, `exclusive=.false.` keeps them. Without it the rule is that of NEARGRID_TIE in the
    !> environment, or else they are kept.
    !>
    !> Errors: `stat` (0 on success, otherwise the status of the library) and `errmsg` come last, by
    !> keyword, and are optional, as in `allocate`. Without `stat` a failure stops the program with
    !> the text. A failure changes no output, with two exceptions. If `maxnpair` is too small,
    !> `stat` is 8 and `npairs` is the number of pairs there are. If a GPU is lost while the pairs
    !> arrive, `stat` is 103 and the arrays have some of them. If an integer of the call cannot
    !> hold the number of pairs, `stat` is 101 and the text has the number.
    !>
    !> A generic does not take an array element such as `x(1,1)`: call the external subroutine
    !> `celllist` (real32: `scelllist`) of the library, which has the same nine arguments.
    interface cellList
        procedure :: fill_2d_f32_i32, fill_2d_f32_i64, fill_2d_f64_i32, fill_2d_f64_i64, &
            fill_1d_f32_i32, fill_1d_f32_i64, fill_1d_f64_i32, fill_1d_f64_i64
        procedure :: fit_2d_f32_i32, fit_2d_f32_i64, fit_2d_f64_i32, fit_2d_f64_i64, &
            fit_1d_f32_i32, fit_1d_f32_i64, fit_1d_f64_i32, fit_1d_f64_i64
    end interface cellList

    !> The same list with its left points folded: the pairs of point i are `pair_j(k)` for
    !> `k = endpos(i-1)+1, ..., endpos(i)`, where `endpos(0)` means 0. `endpos(i)` is the number of
    !> pairs whose left point is at most i.
    !>
    !>     call cellList_compact(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j)
    !>
    !> There is no `maxpercell`, and `endpos(npoints)` takes the place of `pair_i`. Everything else
    !> is as for `cellList`, but a list has at most 2^31 - 1 pairs, also for integers of 8 bytes.
    interface cellList_compact
        procedure :: compact_2d_f32_i32, compact_2d_f32_i64, compact_2d_f64_i32, compact_2d_f64_i64, &
            compact_1d_f32_i32, compact_1d_f32_i64, compact_1d_f64_i32, compact_1d_f64_i64
    end interface cellList_compact

    integer(c_int), parameter :: status_ok = 0
    integer(c_int), parameter :: status_capacity = 8
    integer(c_int), parameter :: status_out_of_memory = 100
    integer(c_int), parameter :: status_too_many_pairs = 101
    integer(c_int32_t), parameter :: tie_default = -1
    integer(c_int32_t), parameter :: tie_inclusive = 0, tie_exclusive = 1
    integer(c_int32_t), parameter :: first_index = 1    ! Fortran counts from 1
    integer, parameter :: text_length = 1024            ! the library's texts are far shorter

    interface

        !> As neargrid_celllist_count_f64, in real32.
        function count_f32(dim, npoints, x, cutoff, tie_rule, index_base, npairs) &
            bind(c, name="neargrid_celllist_count_f32") result(status)
            import :: c_float, c_int, c_int32_t, c_int64_t
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: npoints
            real(c_float), intent(in), optional :: x(*)
            real(c_float), intent(in), value :: cutoff
            integer(c_int32_t), intent(in), value :: tie_rule, index_base
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int) :: status
        end function count_f32

        !> Searches the pairs of points within a cutoff and counts them. The search belongs to the
        !> calling thread: each thread has its own hidden handle and result. neargrid_celllist_fetch
        !> and neargrid_celllist_fetch_compact then return the pairs without another search.
        function count_f64(dim, npoints, x, cutoff, tie_rule, index_base, npairs) &
            bind(c, name="neargrid_celllist_count_f64") result(status)
            import :: c_double, c_int, c_int32_t, c_int64_t
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: npoints
            real(c_double), intent(in), optional :: x(*)
            real(c_double), intent(in), value :: cutoff
            integer(c_int32_t), intent(in), value :: tie_rule, index_base
            integer(c_int64_t), intent(inout) :: npairs
            integer(c_int) :: status
        end function count_f64

        ! `type(*)`: the reference with the caller's own arrays of 8 bytes must compile, although
        ! it is reached for arrays too small to be written only.
        function fetch(maxnpair, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_celllist_fetch") result(status)
            import :: c_int, c_int64_t
            integer(c_int64_t), intent(in), value :: maxnpair
            integer(c_int64_t), intent(inout) :: npairs
            type(*), intent(inout) :: pair_i(*), pair_j(*)
            integer(c_int) :: status
        end function fetch

        function fetch_compact(maxnpair, npairs, endpos, pair_j) &
            bind(c, name="neargrid_celllist_fetch_compact") result(status)
            import :: c_int, c_int64_t
            integer(c_int64_t), intent(in), value :: maxnpair
            integer(c_int64_t), intent(inout) :: npairs
            type(*), intent(inout) :: endpos(*), pair_j(*)
            integer(c_int) :: status
        end function fetch_compact

        !> Copies the text of the calling thread's last failed call. The text names the argument,
        !> its value and what is allowed. A later success does not clear it. Each thread has its own
        !> text.
        function last_error(buffer, capacity, length) &
            bind(c, name="neargrid_last_error") result(status)
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(inout), optional :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout), optional :: length
            integer(c_int) :: status
        end function last_error
    end interface

    interface deliver
        procedure :: deliver_i32, deliver_i64
    end interface deliver

    interface deliver_to_fit
        procedure :: deliver_to_fit_i32, deliver_to_fit_i64
    end interface deliver_to_fit

    interface deliver_compact
        procedure :: deliver_compact_i32, deliver_compact_i64
    end interface deliver_compact

    interface narrow
        procedure :: narrow_i32, narrow_i64
    end interface narrow

contains

    subroutine fill_2d_f32_i32(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real32), intent(in) :: x(dim, npoints), cutoff
        integer(int32), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fill_1d_f32_i32(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                         pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fill_2d_f32_i32

    ! The flat forms take `x(*)`: the product dim*npoints may exceed a default integer.

    subroutine fill_1d_f32_i32(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real32), intent(in) :: x(*), cutoff
        integer(int32), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        associate (not_needed => maxpercell); end associate
        status = count_f32(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver(status, need, maxnpair, npairs, pair_i, pair_j, stat, errmsg)
    end subroutine fill_1d_f32_i32

    subroutine fit_2d_f32_i32(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints
        real(real32), intent(in) :: x(dim, npoints), cutoff
        integer(int32), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fit_1d_f32_i32(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fit_2d_f32_i32

    subroutine fit_1d_f32_i32(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints
        real(real32), intent(in) :: x(*), cutoff
        integer(int32), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f32(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_to_fit(status, need, pair_i, pair_j, stat, errmsg)
    end subroutine fit_1d_f32_i32

    subroutine compact_2d_f32_i32(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxnpair
        real(real32), intent(in) :: x(dim, npoints), cutoff
        integer(int32), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call compact_1d_f32_i32(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                            exclusive, stat, errmsg)
    end subroutine compact_2d_f32_i32

    subroutine compact_1d_f32_i32(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxnpair
        real(real32), intent(in) :: x(*), cutoff
        integer(int32), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f32(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_compact(status, need, maxnpair, npairs, endpos, pair_j, stat, errmsg)
    end subroutine compact_1d_f32_i32

    subroutine fill_2d_f32_i64(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real32), intent(in) :: x(dim, npoints), cutoff
        integer(int64), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fill_1d_f32_i64(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                         pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fill_2d_f32_i64

    ! The flat forms take `x(*)`: the product dim*npoints may exceed a default integer.

    subroutine fill_1d_f32_i64(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real32), intent(in) :: x(*), cutoff
        integer(int64), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        associate (not_needed => maxpercell); end associate
        status = count_f32(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver(status, need, maxnpair, npairs, pair_i, pair_j, stat, errmsg)
    end subroutine fill_1d_f32_i64

    subroutine fit_2d_f32_i64(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints
        real(real32), intent(in) :: x(dim, npoints), cutoff
        integer(int64), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fit_1d_f32_i64(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fit_2d_f32_i64

    subroutine fit_1d_f32_i64(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints
        real(real32), intent(in) :: x(*), cutoff
        integer(int64), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f32(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_to_fit(status, need, pair_i, pair_j, stat, errmsg)
    end subroutine fit_1d_f32_i64

    subroutine compact_2d_f32_i64(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxnpair
        real(real32), intent(in) :: x(dim, npoints), cutoff
        integer(int64), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call compact_1d_f32_i64(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                            exclusive, stat, errmsg)
    end subroutine compact_2d_f32_i64

    subroutine compact_1d_f32_i64(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxnpair
        real(real32), intent(in) :: x(*), cutoff
        integer(int64), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f32(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_compact(status, need, maxnpair, npairs, endpos, pair_j, stat, errmsg)
    end subroutine compact_1d_f32_i64

    subroutine fill_2d_f64_i32(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real64), intent(in) :: x(dim, npoints), cutoff
        integer(int32), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fill_1d_f64_i32(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                         pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fill_2d_f64_i32

    ! The flat forms take `x(*)`: the product dim*npoints may exceed a default integer.

    subroutine fill_1d_f64_i32(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real64), intent(in) :: x(*), cutoff
        integer(int32), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        associate (not_needed => maxpercell); end associate
        status = count_f64(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver(status, need, maxnpair, npairs, pair_i, pair_j, stat, errmsg)
    end subroutine fill_1d_f64_i32

    subroutine fit_2d_f64_i32(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints
        real(real64), intent(in) :: x(dim, npoints), cutoff
        integer(int32), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fit_1d_f64_i32(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fit_2d_f64_i32

    subroutine fit_1d_f64_i32(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints
        real(real64), intent(in) :: x(*), cutoff
        integer(int32), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f64(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_to_fit(status, need, pair_i, pair_j, stat, errmsg)
    end subroutine fit_1d_f64_i32

    subroutine compact_2d_f64_i32(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxnpair
        real(real64), intent(in) :: x(dim, npoints), cutoff
        integer(int32), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call compact_1d_f64_i32(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                            exclusive, stat, errmsg)
    end subroutine compact_2d_f64_i32

    subroutine compact_1d_f64_i32(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int32), intent(in) :: dim, npoints, maxnpair
        real(real64), intent(in) :: x(*), cutoff
        integer(int32), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f64(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_compact(status, need, maxnpair, npairs, endpos, pair_j, stat, errmsg)
    end subroutine compact_1d_f64_i32

    subroutine fill_2d_f64_i64(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real64), intent(in) :: x(dim, npoints), cutoff
        integer(int64), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fill_1d_f64_i64(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                         pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fill_2d_f64_i64

    ! The flat forms take `x(*)`: the product dim*npoints may exceed a default integer.

    subroutine fill_1d_f64_i64(dim, npoints, maxpercell, x, cutoff, maxnpair, npairs, &
                           pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxpercell, maxnpair
        real(real64), intent(in) :: x(*), cutoff
        integer(int64), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        associate (not_needed => maxpercell); end associate
        status = count_f64(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver(status, need, maxnpair, npairs, pair_i, pair_j, stat, errmsg)
    end subroutine fill_1d_f64_i64

    subroutine fit_2d_f64_i64(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints
        real(real64), intent(in) :: x(dim, npoints), cutoff
        integer(int64), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call fit_1d_f64_i64(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
    end subroutine fit_2d_f64_i64

    subroutine fit_1d_f64_i64(dim, npoints, x, cutoff, pair_i, pair_j, exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints
        real(real64), intent(in) :: x(*), cutoff
        integer(int64), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f64(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_to_fit(status, need, pair_i, pair_j, stat, errmsg)
    end subroutine fit_1d_f64_i64

    subroutine compact_2d_f64_i64(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxnpair
        real(real64), intent(in) :: x(dim, npoints), cutoff
        integer(int64), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call compact_1d_f64_i64(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                            exclusive, stat, errmsg)
    end subroutine compact_2d_f64_i64

    subroutine compact_1d_f64_i64(dim, npoints, x, cutoff, maxnpair, npairs, endpos, pair_j, &
                              exclusive, stat, errmsg)
        integer(int64), intent(in) :: dim, npoints, maxnpair
        real(real64), intent(in) :: x(*), cutoff
        integer(int64), intent(inout) :: npairs, endpos(npoints), pair_j(maxnpair)
        logical, intent(in), optional :: exclusive
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: need
        integer(c_int) :: status

        status = count_f64(narrow(dim), int(npoints, int64), x, cutoff, rule_of(exclusive), &
                           first_index, need)
        call deliver_compact(status, need, maxnpair, npairs, endpos, pair_j, stat, errmsg)
    end subroutine compact_1d_f64_i64

    ! --- what the specifics share: from the counted pairs to the caller's arrays ---

    !> The tie rule of a call.
    pure function rule_of(exclusive) result(rule)
        logical, intent(in), optional :: exclusive
        integer(c_int32_t) :: rule

        rule = tie_default
        if (present(exclusive)) rule = merge(tie_exclusive, tie_inclusive, exclusive)
    end function rule_of

    !> `status`, `need`: what counting gave. Copies the list, or reports why not.
    subroutine deliver_i32(status, need, maxnpair, npairs, pair_i, pair_j, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need
        integer(int32), intent(in) :: maxnpair
        integer(int32), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: ids_i(:), ids_j(:)
        integer(c_int64_t) :: found
        integer(c_int) :: outcome
        character(len=text_length) :: text

        call check_count(status, need, int(huge(npairs), int64), outcome, text)
        if (outcome == status_ok) then
            if (kind(pair_i) == c_int .or. need > maxnpair) then
                outcome = fetch(int(maxnpair, int64), found, pair_i, pair_j)
                if (outcome /= status_ok) call get_error(text)
            else
                call fetch_wide(need, ids_i, ids_j, outcome, text)
                if (outcome == status_ok) pair_i(1:need) = ids_i
                if (outcome == status_ok) pair_j(1:need) = ids_j
            end if
            if (any(outcome == [status_ok, status_capacity])) npairs = int(need, kind(npairs))
        end if
        call conclude_i32(outcome, "cellList", text, stat, errmsg)
    end subroutine deliver_i32

    !> As `deliver`, into arrays allocated here: the old ones go when the new ones are complete.
    subroutine deliver_to_fit_i32(status, need, pair_i, pair_j, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need
        integer(int32), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int32), allocatable :: new_i(:), new_j(:)
        integer(int32) :: npairs, failed
        integer :: unallocated
        integer(c_int) :: outcome
        character(len=text_length) :: text

        call check_count(status, need, int(huge(npairs), int64), outcome, text)
        if (outcome == status_ok) then
            allocate (new_i(need), new_j(need), stat=unallocated)
            if (unallocated /= 0) then
                call refuse_memory(need, outcome, text)
            else
                call deliver(status, need, int(need, int32), npairs, new_i, new_j, failed, text)
                outcome = int(failed, c_int)
            end if
        end if
        if (outcome == status_ok) call move_alloc(new_i, pair_i)
        if (outcome == status_ok) call move_alloc(new_j, pair_j)
        call conclude_i32(outcome, "cellList", text, stat, errmsg)
    end subroutine deliver_to_fit_i32

    !> As `deliver`, for the folded list. The points are as many as `endpos` has elements.
    subroutine deliver_compact_i32(status, need, maxnpair, npairs, endpos, pair_j, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need
        integer(int32), intent(in) :: maxnpair
        integer(int32), intent(inout) :: npairs, pair_j(maxnpair)
        integer(int32), intent(inout), contiguous :: endpos(:)
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: ends(:), ids(:)
        integer(c_int64_t) :: found
        integer(c_int) :: outcome
        character(len=text_length) :: text

        call check_count(status, need, int(huge(npairs), int64), outcome, text)
        if (outcome == status_ok) then
            if (kind(pair_j) == c_int .or. need > maxnpair) then
                outcome = fetch_compact(int(maxnpair, int64), found, endpos, pair_j)
                if (outcome /= status_ok) call get_error(text)
            else
                call fetch_wide(need, ends, ids, outcome, text, size(endpos, kind=int64))
                if (outcome == status_ok) endpos = ends
                if (outcome == status_ok) pair_j(1:need) = ids
            end if
            if (any(outcome == [status_ok, status_capacity])) npairs = int(need, kind(npairs))
        end if
        call conclude_i32(outcome, "cellList_compact", text, stat, errmsg)
    end subroutine deliver_compact_i32

    !> The one place where a status becomes `stat`, `errmsg` or the end of the program.
    subroutine conclude_i32(status, caller, text, stat, errmsg)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller, text
        integer(int32), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (present(stat)) stat = status
        if (status == status_ok) return
        if (present(errmsg)) errmsg = text
        if (present(stat)) return
        if (status == status_capacity) error stop caller // ": " // trim(text) // &
            "; make the list arrays and maxnpair that large, or pass stat and use npairs"
        error stop caller // ": " // trim(text)
    end subroutine conclude_i32

    !> To the C integer, values out of its range to its ends, so that the library refuses them.
    pure function narrow_i32(value) result(narrowed)
        integer(int32), intent(in) :: value
        integer(c_int32_t) :: narrowed
        integer(int64), parameter :: largest = huge(0_c_int32_t)

        narrowed = int(max(-largest, min(largest, int(value, int64))), c_int32_t)
    end function narrow_i32

    !> `status`, `need`: what counting gave. Copies the list, or reports why not.
    subroutine deliver_i64(status, need, maxnpair, npairs, pair_i, pair_j, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need
        integer(int64), intent(in) :: maxnpair
        integer(int64), intent(inout) :: npairs, pair_i(maxnpair), pair_j(maxnpair)
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: ids_i(:), ids_j(:)
        integer(c_int64_t) :: found
        integer(c_int) :: outcome
        character(len=text_length) :: text

        call check_count(status, need, int(huge(npairs), int64), outcome, text)
        if (outcome == status_ok) then
            if (kind(pair_i) == c_int .or. need > maxnpair) then
                outcome = fetch(int(maxnpair, int64), found, pair_i, pair_j)
                if (outcome /= status_ok) call get_error(text)
            else
                call fetch_wide(need, ids_i, ids_j, outcome, text)
                if (outcome == status_ok) pair_i(1:need) = ids_i
                if (outcome == status_ok) pair_j(1:need) = ids_j
            end if
            if (any(outcome == [status_ok, status_capacity])) npairs = int(need, kind(npairs))
        end if
        call conclude_i64(outcome, "cellList", text, stat, errmsg)
    end subroutine deliver_i64

    !> As `deliver`, into arrays allocated here: the old ones go when the new ones are complete.
    subroutine deliver_to_fit_i64(status, need, pair_i, pair_j, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need
        integer(int64), allocatable, intent(inout) :: pair_i(:), pair_j(:)
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: new_i(:), new_j(:)
        integer(int64) :: npairs, failed
        integer :: unallocated
        integer(c_int) :: outcome
        character(len=text_length) :: text

        call check_count(status, need, int(huge(npairs), int64), outcome, text)
        if (outcome == status_ok) then
            allocate (new_i(need), new_j(need), stat=unallocated)
            if (unallocated /= 0) then
                call refuse_memory(need, outcome, text)
            else
                call deliver(status, need, int(need, int64), npairs, new_i, new_j, failed, text)
                outcome = int(failed, c_int)
            end if
        end if
        if (outcome == status_ok) call move_alloc(new_i, pair_i)
        if (outcome == status_ok) call move_alloc(new_j, pair_j)
        call conclude_i64(outcome, "cellList", text, stat, errmsg)
    end subroutine deliver_to_fit_i64

    !> As `deliver`, for the folded list. The points are as many as `endpos` has elements.
    subroutine deliver_compact_i64(status, need, maxnpair, npairs, endpos, pair_j, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need
        integer(int64), intent(in) :: maxnpair
        integer(int64), intent(inout) :: npairs, pair_j(maxnpair)
        integer(int64), intent(inout), contiguous :: endpos(:)
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: ends(:), ids(:)
        integer(c_int64_t) :: found
        integer(c_int) :: outcome
        character(len=text_length) :: text

        call check_count(status, need, int(huge(npairs), int64), outcome, text)
        if (outcome == status_ok) then
            if (kind(pair_j) == c_int .or. need > maxnpair) then
                outcome = fetch_compact(int(maxnpair, int64), found, endpos, pair_j)
                if (outcome /= status_ok) call get_error(text)
            else
                call fetch_wide(need, ends, ids, outcome, text, size(endpos, kind=int64))
                if (outcome == status_ok) endpos = ends
                if (outcome == status_ok) pair_j(1:need) = ids
            end if
            if (any(outcome == [status_ok, status_capacity])) npairs = int(need, kind(npairs))
        end if
        call conclude_i64(outcome, "cellList_compact", text, stat, errmsg)
    end subroutine deliver_compact_i64

    !> The one place where a status becomes `stat`, `errmsg` or the end of the program.
    subroutine conclude_i64(status, caller, text, stat, errmsg)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: caller, text
        integer(int64), intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        if (present(stat)) stat = status
        if (status == status_ok) return
        if (present(errmsg)) errmsg = text
        if (present(stat)) return
        if (status == status_capacity) error stop caller // ": " // trim(text) // &
            "; make the list arrays and maxnpair that large, or pass stat and use npairs"
        error stop caller // ": " // trim(text)
    end subroutine conclude_i64

    !> To the C integer, values out of its range to its ends, so that the library refuses them.
    pure function narrow_i64(value) result(narrowed)
        integer(int64), intent(in) :: value
        integer(c_int32_t) :: narrowed
        integer(int64), parameter :: largest = huge(0_c_int32_t)

        narrowed = int(max(-largest, min(largest, int(value, int64))), c_int32_t)
    end function narrow_i64

    !> For integers wider than the library's ids: the list in arrays of their kind. With
    !> `npoints`, `left` receives the `endpos` of the folded list.
    subroutine fetch_wide(need, left, right, outcome, text, npoints)
        integer(c_int64_t), intent(in) :: need
        integer(c_int), allocatable, intent(out) :: left(:), right(:)
        integer(c_int), intent(out) :: outcome
        character(len=*), intent(inout) :: text
        integer(int64), intent(in), optional :: npoints
        integer(c_int64_t) :: found, length
        integer :: unallocated

        length = need
        if (present(npoints)) length = npoints
        allocate (left(length), right(need), stat=unallocated)
        if (unallocated /= 0) then
            call refuse_memory(need, outcome, text)
            return
        end if
        if (present(npoints)) then
            outcome = fetch_compact(need, found, left, right)
        else
            outcome = fetch(need, found, left, right)
        end if
        if (outcome /= status_ok) call get_error(text)
    end subroutine fetch_wide

    !> A failed count keeps its status and text; a count that `npairs` cannot hold is refused.
    subroutine check_count(status, need, largest, outcome, text)
        integer(c_int), intent(in) :: status
        integer(c_int64_t), intent(in) :: need, largest
        integer(c_int), intent(out) :: outcome
        character(len=*), intent(inout) :: text

        outcome = status
        if (status /= status_ok) then
            call get_error(text)
        else if (need > largest) then
            outcome = status_too_many_pairs
            write (text, "(i0, a, i0, a)") need, " pairs were found, more than the ", &
                largest, " that npairs can hold: use module neargrid"
        end if
    end subroutine check_count

    subroutine refuse_memory(need, outcome, text)
        integer(c_int64_t), intent(in) :: need
        integer(c_int), intent(out) :: outcome
        character(len=*), intent(inout) :: text

        outcome = status_out_of_memory
        write (text, "(a, i0, a)") "no memory for a list of ", need, " pairs"
    end subroutine refuse_memory

    !> The text of this thread's last failure.
    subroutine get_error(text)
        character(len=*), intent(inout) :: text
        character(kind=c_char, len=text_length) :: buffer
        integer(c_size_t) :: length

        buffer = ""
        length = 0
        if (last_error(buffer, int(text_length, c_size_t), length) /= status_ok) length = 0
        text = buffer(1:min(int(length), text_length - 1))
    end subroutine get_error

end module cellList_m
