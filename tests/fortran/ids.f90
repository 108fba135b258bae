!> Global ids from Fortran, of both kinds of integers.
program ids
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int32, int64, real64
    use neargrid
    use support, only: check, check_failure, cloud_f64, finish, same
    implicit none (type, external)
    integer, parameter :: n = 160
    integer(int64) :: global(n)
    integer(c_int), allocatable :: pair_i(:), pair_j(:), again_i(:), again_j(:)
    type(neargrid_search) :: search
    integer(c_int) :: stat
    integer :: k
    character(len=300) :: errmsg

    global = [(100_int64 - 3*mod(59*k, n), k=0, n - 1)]
    call search%create()
    call search%set_cutoff(0.25_real64)
    call search%set_points(cloud_f64(3, n, 41))
    call search%set_active(90_c_int)
    call search%set_ids(global)
    call search%pairs(pair_i, pair_j)
    call check(all(global(pair_i) < global(pair_j) .or. pair_j > 90), "ids of 64 bits")
    call search%set_ids(int(global, int32))
    call search%pairs(again_i, again_j)
    call check(same(again_i, pair_i) .and. same(again_j, pair_j), "ids of 32 bits")
    call search%set_ghost_pairs(neargrid_ghost_pairs_larger_ids)
    call search%pairs(again_i, again_j)
    call check(size(again_i) < size(pair_i) .and. all(global(again_i) < global(again_j)), "ghosts of larger ids")
    call search%set_ghost_pairs(neargrid_ghost_pairs_all)
    call search%set_ids(global(1:0))
    call search%pairs(again_i, again_j)
    call check(size(again_i) == size(pair_i) .and. all(again_i < again_j), "no ids")
    call search%destroy()
    call search%set_ids(global, stat, errmsg)
    call check_failure(stat, neargrid_status_null_pointer, errmsg, "create", "ids of no search")
    deallocate (pair_i, pair_j, again_i, again_j)   ! a main program frees nothing by itself
    call finish("ids", 6)
end program ids
