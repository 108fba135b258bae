!> Programs without `stat`: one failing call each, chosen by the first argument. Each must end
!> there, with the text on standard error; the harness looks at both.
program stops
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, output_unit, real32, real64
    use cellList_m, only: cellList, cellList_compact
    use neargrid, only: neargrid_formula, neargrid_list, neargrid_search
    implicit none (type, external)
    type(neargrid_search) :: search, other
    type(neargrid_search), allocatable :: copy, moved
    type(neargrid_list) :: list, second
    type(neargrid_list), allocatable :: third
    type(neargrid_formula) :: formula
    type(neargrid_formula), allocatable :: another
    real(real64) :: x(3, 10)
    integer :: npairs, pair_i(2), pair_j(2), endpos(10)
    integer, allocatable :: fit_i(:), fit_j(:)
    integer(int64) :: count
    integer(int64), pointer :: offsets(:)
    integer(c_int), pointer :: ids(:)
    integer(c_int) :: ids_i(2), ids_j(2), ids_k(3)
    character(len=40) :: mode
    character(len=10) :: errmsg

    x = 0
    call get_command_argument(1, mode)
    select case (mode)
    case ("cutoff")
        call search%create()
        call search%set_cutoff(-1.0_real64)
    case ("errmsg-alone")
        call search%create()
        call search%set_cutoff(-2.0_real32, errmsg=errmsg)
    case ("points")
        call search%create()
        call search%set_points(x, n=11_c_int)
    case ("order")
        call search%create()
        call search%count_pairs(count)
    case ("capacity")
        call search%create()
        call search%set_cutoff(1.0_real64)
        call search%set_points(x)
        call search%pairs(count, ids_i, ids_j)
    case ("sizes")
        call search%create()
        call search%set_cutoff(1.0_real64)
        call search%set_points(x)
        call search%pairs(count, ids_i, ids_k)
    case ("missing")
        call search%set_cutoff(1.0_real64)
    case ("copy")
        call search%create()
        other = search
    case ("source")
        call search%create()
        allocate (copy, source=search)
        call copy%set_cutoff(1.0_real64)
    case ("source-destroyed")
        call search%create()
        allocate (copy, source=search)
        call search%destroy()
        call copy%count_pairs(count)
    case ("source-finalized")
        call search%create()
        allocate (copy, source=search)
        deallocate (copy)
    case ("source-list")
        call take()
        allocate (third, source=list)
        call third%neighbors(offsets, ids)
    case ("copy-list")
        call take()
        second = list
    case ("list")
        call list%neighbors(offsets, ids)
    case ("source-formula")
        call formula%create("n += 1")
        allocate (another, source=formula)
        call another%set_include_self(.true.)
    case ("overwrite")
        call search%create()
        search = other
    case ("environment")
        ! The harness sets a variable that no search may accept.
        call search%create()
        call search%set_cutoff(1.0_real64)
        call search%set_points(x)
        call search%count_pairs(count)
    case ("celllist")
        call cellList(3, 10, 1, x, -1.0_real64, 2, npairs, pair_i, pair_j)
    case ("celllist-capacity")
        call cellList(3, 10, 1, x, 1.0_real64, 2, npairs, pair_i, pair_j)
    case ("celllist-fit")
        call cellList(5, 10, x, 1.0_real64, fit_i, fit_j)
    case ("celllist-compact")
        call cellList_compact(3, -3, x, 1.0_real64, 2, npairs, endpos, pair_j)
    case ("nothing")
        allocate (copy, source=search)
        call copy%create()  ! and so does this one from now on
        call move_alloc(copy, moved)
        call moved%set_cutoff(1.0_real64)
        deallocate (moved)
        other = search      ! two searches that do not exist share nothing
    case default
        error stop "no such mode"
    end select
    write (output_unit, "(a)") "went on"

contains

    subroutine take()
        call search%create()
        call search%set_cutoff(1.0_real64)
        call search%set_points(x)
        call search%take_neighbors(list)
    end subroutine take

end program stops
