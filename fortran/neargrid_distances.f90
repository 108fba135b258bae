! Made from neargrid_distances.fypp: change that file, then `make fortran`.
!> Distances and displacements of pairs and rows that the caller has.
submodule (neargrid) neargrid_distances
    use neargrid_errors, only: differ, too_few
    implicit none (type, external)

contains

    module procedure distances_f32
        if (pairs_misfit(owned(self), pair_i, pair_j, "d", shape(d, int64), &
                         stat, errmsg)) return
        call report_on(owned(self), neargrid_pairs_distances_f32(owned(self), &
                       size(pair_i, kind=int64), pair_i, pair_j, distances=d), "distances", &
                       stat, errmsg)
    end procedure distances_f32

    module procedure row_distances_f32
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_points)
        if (rows_misfit(owned(self), n, offsets, ids, "d", shape(d, int64), &
                        "distances", stat, errmsg)) return
        call report_on(owned(self), neargrid_neighbors_distances_f32(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, distances=d), "distances", stat, errmsg)
    end procedure row_distances_f32

    module procedure query_distances_f32
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_queries)
        if (rows_misfit(owned(self), n, offsets, ids, "d", shape(d, int64), &
                        "query_distances", stat, errmsg)) return
        call report_on(owned(self), neargrid_queries_distances_f32(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, distances=d), "query_distances", stat, errmsg)
    end procedure query_distances_f32

    module procedure displacements_f32
        if (pairs_misfit(owned(self), pair_i, pair_j, "r", shape(r, int64), &
                         stat, errmsg)) return
        call report_on(owned(self), neargrid_pairs_distances_f32(owned(self), &
                       size(pair_i, kind=int64), pair_i, pair_j, displacements=r), "displacements", &
                       stat, errmsg)
    end procedure displacements_f32

    module procedure row_displacements_f32
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_points)
        if (rows_misfit(owned(self), n, offsets, ids, "r", shape(r, int64), &
                        "displacements", stat, errmsg)) return
        call report_on(owned(self), neargrid_neighbors_distances_f32(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, displacements=r), "displacements", stat, errmsg)
    end procedure row_displacements_f32

    module procedure query_displacements_f32
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_queries)
        if (rows_misfit(owned(self), n, offsets, ids, "r", shape(r, int64), &
                        "query_displacements", stat, errmsg)) return
        call report_on(owned(self), neargrid_queries_distances_f32(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, displacements=r), "query_displacements", stat, errmsg)
    end procedure query_displacements_f32

    module procedure distances_f64
        if (pairs_misfit(owned(self), pair_i, pair_j, "d", shape(d, int64), &
                         stat, errmsg)) return
        call report_on(owned(self), neargrid_pairs_distances_f64(owned(self), &
                       size(pair_i, kind=int64), pair_i, pair_j, distances=d), "distances", &
                       stat, errmsg)
    end procedure distances_f64

    module procedure row_distances_f64
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_points)
        if (rows_misfit(owned(self), n, offsets, ids, "d", shape(d, int64), &
                        "distances", stat, errmsg)) return
        call report_on(owned(self), neargrid_neighbors_distances_f64(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, distances=d), "distances", stat, errmsg)
    end procedure row_distances_f64

    module procedure query_distances_f64
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_queries)
        if (rows_misfit(owned(self), n, offsets, ids, "d", shape(d, int64), &
                        "query_distances", stat, errmsg)) return
        call report_on(owned(self), neargrid_queries_distances_f64(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, distances=d), "query_distances", stat, errmsg)
    end procedure query_distances_f64

    module procedure displacements_f64
        if (pairs_misfit(owned(self), pair_i, pair_j, "r", shape(r, int64), &
                         stat, errmsg)) return
        call report_on(owned(self), neargrid_pairs_distances_f64(owned(self), &
                       size(pair_i, kind=int64), pair_i, pair_j, displacements=r), "displacements", &
                       stat, errmsg)
    end procedure displacements_f64

    module procedure row_displacements_f64
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_points)
        if (rows_misfit(owned(self), n, offsets, ids, "r", shape(r, int64), &
                        "displacements", stat, errmsg)) return
        call report_on(owned(self), neargrid_neighbors_distances_f64(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, displacements=r), "displacements", stat, errmsg)
    end procedure row_displacements_f64

    module procedure query_displacements_f64
        integer(int64) :: n

        n = counted(owned(self), neargrid_counter_queries)
        if (rows_misfit(owned(self), n, offsets, ids, "r", shape(r, int64), &
                        "query_displacements", stat, errmsg)) return
        call report_on(owned(self), neargrid_queries_distances_f64(owned(self), n, &
                       ids_in(offsets, n), offsets, ids, displacements=r), "query_displacements", stat, errmsg)
    end procedure query_displacements_f64

    ! Whether arrays for values of pairs do not fit each other. `extent` is the shape of the array
    ! `name` to write, `d(:)` or `r(:, :)`.
    function pairs_misfit(handle, pair_i, pair_j, name, extent, stat, errmsg) result(is_wrong)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: pair_i(:), pair_j(:)
        character(len=*), intent(in) :: name
        integer(int64), intent(in) :: extent(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong

        is_wrong = differ("pair_j", size(pair_j, kind=int64), "size(pair_i)", &
                          size(pair_i, kind=int64), quantity(extent), stat, errmsg)
        if (.not. is_wrong) is_wrong = values_misfit(handle, name, extent, "size(pair_i)", &
            size(pair_i, kind=int64), quantity(extent), stat, errmsg)
    end function pairs_misfit

    ! The same for `n` rows. Without points C refuses before it reads any array.
    function rows_misfit(handle, n, offsets, ids, name, extent, caller, stat, errmsg) result(is_wrong)
        type(c_ptr), intent(in) :: handle
        integer(int64), intent(in) :: n, offsets(:)
        integer(c_int), intent(in) :: ids(:)
        character(len=*), intent(in) :: name, caller
        integer(int64), intent(in) :: extent(:)
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong
        integer(int64) :: total

        is_wrong = .false.
        if (dim_of(handle) == 0) return
        is_wrong = too_few("offsets", size(offsets, kind=int64), "n + 1", n + 1, caller, stat, errmsg)
        if (is_wrong) return
        total = offsets(n + 1) - 1
        is_wrong = too_few("ids", size(ids, kind=int64), "offsets(n + 1) - 1", total, &
                           caller, stat, errmsg)
        if (.not. is_wrong) is_wrong = values_misfit(handle, name, extent, "offsets(n + 1) - 1", &
            total, caller, stat, errmsg)
    end function rows_misfit

    function values_misfit(handle, name, extent, wanted_name, wanted, caller, stat, errmsg) result(is_wrong)
        type(c_ptr), intent(in) :: handle
        character(len=*), intent(in) :: name, wanted_name, caller
        integer(int64), intent(in) :: extent(:), wanted
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_wrong

        if (size(extent) == 1) then
            is_wrong = too_few(name, extent(1), wanted_name, wanted, caller, stat, errmsg)
            return
        end if
        is_wrong = .false.
        if (dim_of(handle) > 0) is_wrong = differ(name // ", 1", extent(1), "dim", dim_of(handle), &
            caller, stat, errmsg)
        if (.not. is_wrong) is_wrong = too_few(name // ", 2", extent(2), wanted_name, wanted, &
            caller, stat, errmsg)
    end function values_misfit

    ! The procedure that writes an array of this rank.
    pure function quantity(extent) result(caller)
        integer(int64), intent(in) :: extent(:)
        character(len=:), allocatable :: caller

        caller = "displacements"
        if (size(extent) == 1) caller = "distances"
    end function quantity

    ! The number of points, or of queries; 0 where none are set.
    function counted(handle, counter) result(n)
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(in) :: counter
        integer(int64) :: n

        if (neargrid_search_counter(handle, counter, n) /= neargrid_status_ok) n = 0
    end function counted

    ! The number of ids in `n` rows.
    pure function ids_in(offsets, n) result(total)
        integer(int64), intent(in) :: offsets(:), n
        integer(int64) :: total

        total = 0
        if (size(offsets, kind=int64) > n) total = max(0_int64, offsets(n + 1) - 1)
    end function ids_in

    ! The dimensions of the points, 0 where none are set.
    function dim_of(handle) result(dim)
        type(c_ptr), intent(in) :: handle
        integer(int64) :: dim

        if (neargrid_search_counter(handle, neargrid_counter_dim, dim) &
            /= neargrid_status_ok) dim = 0
    end function dim_of

end submodule neargrid_distances
