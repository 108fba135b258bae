!> Module `neargrid_mpi`: all of module `neargrid`, and a search across the ranks of an MPI communicator.
!>
!>     use neargrid_mpi
!>     type(neargrid_mpi_search) :: search
!>
!>     call search%create(comm)                        ! comm%MPI_VAL of mpi_f08
!>     call search%set_cutoff(h)
!>     call search%set_points(pos)                     ! those of this rank
!>     call search%neighbors(offsets, ids)             ! among the points of all ranks
!>
!> Everything but `create` is that of `neargrid_search`. The module needs neither module mpi nor mpi_f08; it
!> needs neargrid_comm_mpi.c, which the library `neargrid_mpi` holds.
module neargrid_mpi
    use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
    use neargrid
    use neargrid_c, only: neargrid_abi, neargrid_comm_destroy
    use neargrid_errors, only: conclude, last_error
    implicit none (type, external)

    public
    private :: c_int, c_null_ptr, c_ptr, conclude, create_of_mpi, last_error, neargrid_abi
    private :: neargrid_comm_destroy, neargrid_comm_of_mpi_f, reason

    !> A search across ranks. Free it at any time, also after MPI_Finalize: `destroy` is not collective.
    type, extends(neargrid_search) :: neargrid_mpi_search
    contains
        !> `call search%create(comm)` makes a search of all ranks of `comm`, the integer of a communicator:
        !> `comm` of module mpi, `comm%MPI_VAL` of mpi_f08. A search that exists starts over. Messages
        !> travel in a duplicate of `comm`, one for all its searches. Collective.
        generic, public :: create => create_of_mpi
        procedure, private :: create_of_mpi
    end type neargrid_mpi_search

    interface
        function neargrid_comm_of_mpi_f(abi_version, comm, made) bind(c) result(status)
            import :: c_int, c_ptr
            implicit none (type, external)
            integer(c_int), intent(in), value :: abi_version, comm
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function neargrid_comm_of_mpi_f
    end interface

contains

    subroutine create_of_mpi(self, comm, stat, errmsg)
        class(neargrid_mpi_search), intent(inout) :: self
        integer, intent(in) :: comm
        class(*), intent(inout), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status

        made = c_null_ptr
        status = neargrid_comm_of_mpi_f(neargrid_abi, int(comm, c_int), made)
        if (status == neargrid_status_ok) then
            call self%create(made, stat, errmsg)
        else
            call conclude(status, "create", reason(status), stat, errmsg)
        end if
        call neargrid_comm_destroy(made)
    end subroutine create_of_mpi

    !> The text of a status of `neargrid_comm_of_mpi_f`, which leaves none where it refuses itself.
    function reason(status) result(text)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: text

        select case (status)
        case (neargrid_status_bad_value)
            text = "comm is not allowed: it must be an intracommunicator, not MPI_COMM_NULL"
        case (neargrid_status_bad_state)
            text = "MPI is not running: call this after MPI_Init and before MPI_Finalize"
        case (neargrid_status_out_of_memory)
            text = "out of memory for a communicator, on this rank or another"
        case (neargrid_status_communication)
            text = "MPI failed to duplicate the communicator"
        case default
            text = trim(last_error(status))
        end select
    end function reason

end module neargrid_mpi
