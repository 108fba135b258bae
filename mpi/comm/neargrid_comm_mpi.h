/* Communicators of neargrid from communicators of MPI. Compile neargrid_comm_mpi.c with your MPI's compiler and link it with
 * libneargrid. */
#ifndef NEARGRID_COMM_MPI_H
#define NEARGRID_COMM_MPI_H

#include <stdint.h>

#include <mpi.h>
#include <neargrid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator of neargrid from an intracommunicator of MPI. Collective.
 *
 * The first call for `comm` duplicates it, and all messages travel in the duplicate. Later calls for the same `comm` share it. It is
 * freed with `comm`, or with the last of the communicators and searches that use it, whichever is later. All of these may be
 * destroyed at any time on any rank, also after MPI_Finalize, which then frees nothing of MPI's.
 *
 * - `abi_version`: NEARGRID_ABI_VERSION.
 * - `comm`: the ranks that search together.
 * - `made`: receives the communicator, or NULL on failure. The caller frees it with neargrid_comm_destroy.
 *
 * Returns the statuses of neargrid_comm_create. Refusals of this function itself leave no text in neargrid_last_error: NULL_POINTER
 * (`made`), BAD_STATE (MPI is not initialized, or is finalized), BAD_VALUE (MPI_COMM_NULL, an intercommunicator), OUT_OF_MEMORY (on
 * any rank), COMMUNICATION (MPI failed). */
NEARGRID_NODISCARD
neargrid_status neargrid_comm_of_mpi(int32_t abi_version, MPI_Comm comm, neargrid_comm **made);

/* As neargrid_comm_of_mpi, for the communicator that Fortran knows as `comm`. */
NEARGRID_NODISCARD
neargrid_status neargrid_comm_of_mpi_f(int32_t abi_version, MPI_Fint comm, neargrid_comm **made);

#ifdef __cplusplus
}
#endif

#endif
