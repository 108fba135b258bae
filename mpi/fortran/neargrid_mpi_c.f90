! Made from neargrid_mpi_c.fypp: change that file, then `make fortran`.
!> The C functions of libneargrid_mpi as Fortran sees them, each once. Programs use module
!> `neargrid_mpi`.
module neargrid_mpi_c
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr, &
        c_size_t
    implicit none (type, external)

    public

    !> What this module was written for; the library refuses another.
    integer(c_int32_t), parameter :: neargrid_mpi_abi = 1

    interface
        function neargrid_mpi_search_create_f(abi_version, comm, search) &
            bind(c, name="neargrid_mpi_search_create_f") result(status)
            import :: c_int, c_int32_t, c_ptr
            integer(c_int32_t), intent(in), value :: abi_version, comm
            type(c_ptr), intent(inout) :: search
            integer(c_int) :: status
        end function neargrid_mpi_search_create_f

        subroutine neargrid_mpi_search_destroy(search) &
            bind(c, name="neargrid_mpi_search_destroy")
            import :: c_ptr
            type(c_ptr), intent(in), value :: search
        end subroutine neargrid_mpi_search_destroy

        function neargrid_mpi_last_error(buffer, capacity, length) &
            bind(c, name="neargrid_mpi_last_error") result(status)
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_size_t), intent(in), value :: capacity
            integer(c_size_t), intent(inout) :: length
            integer(c_int) :: status
        end function neargrid_mpi_last_error

        function neargrid_mpi_search_refuse(search, number, text) &
            bind(c, name="neargrid_mpi_search_refuse") result(status)
            import :: c_char, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: number
            character(kind=c_char), intent(in) :: text(*)
            integer(c_int) :: status
        end function neargrid_mpi_search_refuse

        function neargrid_mpi_search_set_cutoff(search, cutoff) &
            bind(c, name="neargrid_mpi_search_set_cutoff") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: cutoff
            integer(c_int) :: status
        end function neargrid_mpi_search_set_cutoff

        function neargrid_mpi_search_set_tie_rule(search, rule) &
            bind(c, name="neargrid_mpi_search_set_tie_rule") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: rule
            integer(c_int) :: status
        end function neargrid_mpi_search_set_tie_rule

        function neargrid_mpi_search_set_index_base(search, base) &
            bind(c, name="neargrid_mpi_search_set_index_base") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: base
            integer(c_int) :: status
        end function neargrid_mpi_search_set_index_base

        function neargrid_mpi_search_set_threads(search, threads) &
            bind(c, name="neargrid_mpi_search_set_threads") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: threads
            integer(c_int) :: status
        end function neargrid_mpi_search_set_threads

        function neargrid_mpi_search_set_backend(search, backend) &
            bind(c, name="neargrid_mpi_search_set_backend") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: backend
            integer(c_int) :: status
        end function neargrid_mpi_search_set_backend

        function neargrid_mpi_search_set_skin(search, skin) &
            bind(c, name="neargrid_mpi_search_set_skin") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(in), value :: skin
            integer(c_int) :: status
        end function neargrid_mpi_search_set_skin

        function neargrid_mpi_search_set_device(search, device) &
            bind(c, name="neargrid_mpi_search_set_device") result(status)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: device
            integer(c_int) :: status
        end function neargrid_mpi_search_set_device

        function neargrid_mpi_search_set_box(search, dim, lo, length, periodic) &
            bind(c, name="neargrid_mpi_search_set_box") result(status)
            import :: c_double, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            real(c_double), intent(in) :: lo(*), length(*)
            integer(c_int32_t), intent(in) :: periodic(*)
            integer(c_int) :: status
        end function neargrid_mpi_search_set_box

        function neargrid_mpi_search_set_points_f32(search, dim, n, x, y, z, stride, ids) &
            bind(c, name="neargrid_mpi_search_set_points_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n, stride
            type(c_ptr), intent(in), value :: x, y, z, ids
            integer(c_int) :: status
        end function neargrid_mpi_search_set_points_f32

        function neargrid_mpi_search_set_points_f64(search, dim, n, x, y, z, stride, ids) &
            bind(c, name="neargrid_mpi_search_set_points_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n, stride
            type(c_ptr), intent(in), value :: x, y, z, ids
            integer(c_int) :: status
        end function neargrid_mpi_search_set_points_f64

        function neargrid_mpi_search_update_f32(search, dim, n, x, y, z, stride, ids, rebuilt) &
            bind(c, name="neargrid_mpi_search_update_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n, stride
            type(c_ptr), intent(in), value :: x, y, z, ids
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_mpi_search_update_f32

        function neargrid_mpi_search_update_f64(search, dim, n, x, y, z, stride, ids, rebuilt) &
            bind(c, name="neargrid_mpi_search_update_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n, stride
            type(c_ptr), intent(in), value :: x, y, z, ids
            integer(c_int32_t), intent(inout) :: rebuilt
            integer(c_int) :: status
        end function neargrid_mpi_search_update_f64

        function neargrid_mpi_search_skin_used(search, share) &
            bind(c, name="neargrid_mpi_search_skin_used") result(status)
            import :: c_double, c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            real(c_double), intent(inout) :: share
            integer(c_int) :: status
        end function neargrid_mpi_search_skin_used

        function neargrid_mpi_migration_plan_f32(search, dim, n, x, y, z, stride, ids, n_after) &
            bind(c, name="neargrid_mpi_migration_plan_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n, stride
            type(c_ptr), intent(in), value :: x, y, z, ids
            integer(c_int64_t), intent(inout) :: n_after
            integer(c_int) :: status
        end function neargrid_mpi_migration_plan_f32

        function neargrid_mpi_migration_plan_f64(search, dim, n, x, y, z, stride, ids, n_after) &
            bind(c, name="neargrid_mpi_migration_plan_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: dim
            integer(c_int64_t), intent(in), value :: n, stride
            type(c_ptr), intent(in), value :: x, y, z, ids
            integer(c_int64_t), intent(inout) :: n_after
            integer(c_int) :: status
        end function neargrid_mpi_migration_plan_f64

        function neargrid_mpi_migrate(search, element_bytes, before, after) &
            bind(c, name="neargrid_mpi_migrate") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: before, after
            integer(c_int) :: status
        end function neargrid_mpi_migrate

        function neargrid_mpi_search_counter(search, counter, value) &
            bind(c, name="neargrid_mpi_search_counter") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: counter
            integer(c_int64_t), intent(inout) :: value
            integer(c_int) :: status
        end function neargrid_mpi_search_counter

        function neargrid_mpi_pairs_view(search, sides, npairs, pair_i, pair_j) &
            bind(c, name="neargrid_mpi_pairs_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: sides
            integer(c_int64_t), intent(inout) :: npairs
            type(c_ptr), intent(inout) :: pair_i, pair_j
            integer(c_int) :: status
        end function neargrid_mpi_pairs_view

        function neargrid_mpi_neighbors_view(search, kind, n, total, offsets, ids) &
            bind(c, name="neargrid_mpi_neighbors_view") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(inout) :: n, total
            type(c_ptr), intent(inout) :: offsets, ids
            integer(c_int) :: status
        end function neargrid_mpi_neighbors_view

        function neargrid_mpi_ghosts_view_f32(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_ghosts_view_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_ghosts_view_f32

        function neargrid_mpi_ghosts_view_f64(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_ghosts_view_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_ghosts_view_f64

        function neargrid_mpi_halo_exchange(search, element_bytes, owned, ghosts) &
            bind(c, name="neargrid_mpi_halo_exchange") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: owned, ghosts
            integer(c_int) :: status
        end function neargrid_mpi_halo_exchange

        function neargrid_mpi_halo_begin(search, element_bytes, owned) &
            bind(c, name="neargrid_mpi_halo_begin") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: element_bytes
            type(c_ptr), intent(in), value :: owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_begin

        function neargrid_mpi_halo_finish(search, ghosts) &
            bind(c, name="neargrid_mpi_halo_finish") result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: search
            type(c_ptr), intent(in), value :: ghosts
            integer(c_int) :: status
        end function neargrid_mpi_halo_finish

        function neargrid_mpi_halo_sum_f32(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_f32

        function neargrid_mpi_halo_sum_f64(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_f64

        function neargrid_mpi_halo_sum_i32(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_i32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_i32

        function neargrid_mpi_halo_sum_i64(search, components, ghosts, owned) &
            bind(c, name="neargrid_mpi_halo_sum_i64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: components
            type(c_ptr), intent(in), value :: ghosts, owned
            integer(c_int) :: status
        end function neargrid_mpi_halo_sum_i64

        function neargrid_mpi_knn_view_f32(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_mpi_knn_view_f32") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_mpi_knn_view_f32

        function neargrid_mpi_knn_view_f64(search, kind, k, measure, n, ids, distances, counts) &
            bind(c, name="neargrid_mpi_knn_view_f64") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind, k, measure
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, distances, counts
            integer(c_int) :: status
        end function neargrid_mpi_knn_view_f64

        function neargrid_mpi_knn_ghosts_view_f32(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_knn_ghosts_view_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_knn_ghosts_view_f32

        function neargrid_mpi_knn_ghosts_view_f64(search, n, ids, ranks, positions) &
            bind(c, name="neargrid_mpi_knn_ghosts_view_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: ids, ranks, positions
            integer(c_int) :: status
        end function neargrid_mpi_knn_ghosts_view_f64

        function neargrid_mpi_groups_find_f32(search, min_size, n, masses, vx, vy, vz, stride, &
                                              ngroups) &
            bind(c, name="neargrid_mpi_groups_find_f32") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size, n
            type(c_ptr), intent(in), value :: masses, vx, vy, vz
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_groups_find_f32

        function neargrid_mpi_groups_find_f64(search, min_size, n, masses, vx, vy, vz, stride, &
                                              ngroups) &
            bind(c, name="neargrid_mpi_groups_find_f64") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size, n
            type(c_ptr), intent(in), value :: masses, vx, vy, vz
            integer(c_int64_t), intent(in), value :: stride
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_groups_find_f64

        function neargrid_mpi_fof_view(search, n, labels, ngroups) &
            bind(c, name="neargrid_mpi_fof_view") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: n
            type(c_ptr), intent(inout) :: labels
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_fof_view

        function neargrid_mpi_groups_find(search, min_size, ngroups) &
            bind(c, name="neargrid_mpi_groups_find") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(in), value :: min_size
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int) :: status
        end function neargrid_mpi_groups_find

        function neargrid_mpi_groups_view_sizes(search, ngroups, labels, sizes) &
            bind(c, name="neargrid_mpi_groups_view_sizes") result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            type(c_ptr), intent(inout) :: labels, sizes
            integer(c_int) :: status
        end function neargrid_mpi_groups_view_sizes

        function neargrid_mpi_groups_view_sums(search, ngroups, dim, masses, centers, velocities, &
                                               radii, wide) &
            bind(c, name="neargrid_mpi_groups_view_sums") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int64_t), intent(inout) :: ngroups
            integer(c_int32_t), intent(inout) :: dim
            type(c_ptr), intent(inout) :: masses, centers, velocities, radii, wide
            integer(c_int) :: status
        end function neargrid_mpi_groups_view_sums
    end interface

end module neargrid_mpi_c
