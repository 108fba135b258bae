!> A program of somebody else's: points on a line, dealt out to ranks like cards. Neighbors are pairs.
program line
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    use neargrid_mpi
    implicit none (type, external)
    integer, parameter :: mine = 50
    type(neargrid_mpi_search) :: search
    integer(c_int), pointer :: pair_i(:), pair_j(:)
    integer :: rank, ranks, all_pairs, k

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call search%create(MPI_COMM_WORLD%MPI_VAL)
    call search%set_cutoff(1.0_real64)
    call search%set_points(reshape(real([(rank + ranks*k, k=1, mine)], real64), [1, mine]))
    call search%pairs(pair_i, pair_j)
    call MPI_Allreduce(size(pair_j), all_pairs, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call search%destroy()
    call MPI_Finalize()
    if (all_pairs /= mine*ranks - 1) error stop "line: FAILED"
    if (rank == 0) print '(a)', "line: OK"
end program line
