!> Many systems of points in one call, in both real kinds and of parts of arrays.
program systems
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    use neargrid
    use support, only: check, cloud_f64, finish
    implicit none (type, external)
    integer, parameter :: dim = 3, nsystems = 40, n = 900
    real(real64) :: pos(dim, n), cutoffs(nsystems), lo(dim, nsystems), length(dim, nsystems)
    logical :: periodic(dim, nsystems)
    integer(int64) :: firsts(nsystems + 1)
    type(neargrid_search) :: search
    integer :: k

    pos = cloud_f64(dim, n, 7)
    firsts = [(1_int64 + 22*k - mod(k, 4), k=0, nsystems)]
    firsts(nsystems + 1) = n + 1
    cutoffs = [(0.2_real64 + 0.04_real64*mod(k, 5), k=1, nsystems)]
    lo = 0
    length = 1
    periodic = reshape([(mod(k, 3) == 0, k=1, size(periodic))], shape(periodic))
    call search%create()
    call single_precision()
    call parts_of_arrays()
    call search%destroy()
    call finish("systems", 4)

contains

    !> Space is open without boxes.
    subroutine single_precision()
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)

        call search%systems(reshape([0.0_real32, 0.5_real32, 0.0_real32, 0.25_real32], [1, 4]), &
                            [1_int64, 3_int64, 5_int64], [0.5_real64, 0.1_real64], offsets, ids)
        call check(all(offsets == [1, 2, 3, 3, 3]), "offsets in real32")
        call check(all(ids == [2, 1]), "ids in real32, full rows")
        call search%systems(pos(:, 1:0), [1_int64], cutoffs(1:0), offsets, ids)
        call check(size(offsets) == 1 .and. size(ids) == 0, "no systems")
    end subroutine single_precision

    subroutine parts_of_arrays()
        integer(int64), pointer :: offsets(:)
        integer(c_int), pointer :: ids(:)
        integer(int64), allocatable :: kept(:)
        integer(c_int), allocatable :: kept_ids(:)
        real(real64) :: wide(2*dim, n)

        wide(1:2*dim:2, :) = pos
        call search%systems(pos, firsts, cutoffs, offsets, ids, lo=lo, length=length, periodic=periodic)
        allocate (kept, source=offsets)
        allocate (kept_ids, source=ids)
        call search%systems(wide(1:2*dim:2, :), firsts, cutoffs, offsets, ids, kind=neargrid_neighbors_full, lo=lo, &
                            length=length, periodic=periodic)
        call check(all(offsets == kept) .and. all(ids == kept_ids), "a part of an array")
    end subroutine parts_of_arrays

end program systems
