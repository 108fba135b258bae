/* The few MPI calls of neargrid_mpi, as functions of plain integers and bytes, so that Rust knows nothing of the site's MPI.
 *
 * A communicator is a duplicate of the caller's whose errors are returned. Every function returns MPI_SUCCESS or MPI's error
 * class or code, which shim_text puts into words. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

typedef struct {
  MPI_Comm comm;
} shim_comm;

typedef struct {
  int count;
  MPI_Request requests[];
} shim_posted;

/* The most bytes of one MPI message: larger ones travel in pieces, which arrive in order. Tests make it small. */
#ifndef SHIM_PIECE
#define SHIM_PIECE (1 << 30)
#endif
static const int64_t PIECE = SHIM_PIECE;
enum { TAG = 1 };

int shim_open(int32_t handle, shim_comm **opened, int32_t *rank, int32_t *size, int32_t *node_rank, int32_t *refusal);
int shim_close(shim_comm *self);
int shim_min(const shim_comm *self, int64_t *values, int32_t count);
int shim_all_gather(const shim_comm *self, const void *mine, int32_t bytes, void *all, const int32_t *counts,
                    const int32_t *starts);
int shim_all_to_all(const shim_comm *self, const int64_t *out, int64_t *in);
int shim_post(const shim_comm *self, int32_t nout, const int32_t *to, void *const *out, const int64_t *out_bytes,
              int32_t nin, const int32_t *from, void *const *in, const int64_t *in_bytes, shim_posted **posted);
int shim_wait(shim_posted *posted);
void shim_text(int code, char *text, int32_t capacity);

/* Why a communicator is refused: no error of MPI's. */
enum { FINE = 0, NOT_INITIALIZED = 1, FINALIZED = 2, NULL_COMM = 3, INTER_COMM = 4, NO_MEMORY = 5 };

static int node_rank_of(MPI_Comm comm, int32_t *node_rank) {
  MPI_Comm node = MPI_COMM_NULL;
  int rank = 0, code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Comm_rank(node, &rank);
  *node_rank = rank;
  MPI_Comm_free(&node);
  return code;
}

/* Duplicates the communicator that Fortran knows as `handle`; collective. */
int shim_open(int32_t handle, shim_comm **opened, int32_t *rank, int32_t *size, int32_t *node_rank, int32_t *refusal) {
  int flag = 0, me = 0, all = 0, code = MPI_Initialized(&flag);
  *opened = NULL;
  *refusal = FINE;
  if (code != MPI_SUCCESS) return code;
  if (!flag) return *refusal = NOT_INITIALIZED, MPI_SUCCESS;
  if ((code = MPI_Finalized(&flag)) != MPI_SUCCESS) return code;
  if (flag) return *refusal = FINALIZED, MPI_SUCCESS;
  const MPI_Comm comm = MPI_Comm_f2c((MPI_Fint)handle);
  if (comm == MPI_COMM_NULL) return *refusal = NULL_COMM, MPI_SUCCESS;
  if ((code = MPI_Comm_test_inter(comm, &flag)) != MPI_SUCCESS) return code;
  if (flag) return *refusal = INTER_COMM, MPI_SUCCESS;
  shim_comm *self = malloc(sizeof *self);
  if (!self) return *refusal = NO_MEMORY, MPI_SUCCESS;
  if ((code = MPI_Comm_dup(comm, &self->comm)) != MPI_SUCCESS) return free(self), code;
  code = MPI_Comm_set_errhandler(self->comm, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(self->comm, &me);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(self->comm, &all);
  if (code == MPI_SUCCESS) code = node_rank_of(self->comm, node_rank);
  if (code != MPI_SUCCESS) return MPI_Comm_free(&self->comm), free(self), code;
  *rank = me;
  *size = all;
  *opened = self;
  return MPI_SUCCESS;
}

/* Frees the duplicate; collective, and nothing after MPI_Finalize. */
int shim_close(shim_comm *self) {
  int finalized = 1, code = MPI_Finalized(&finalized);
  if (code == MPI_SUCCESS && !finalized) code = MPI_Comm_free(&self->comm);
  free(self);
  return code;
}

int shim_min(const shim_comm *self, int64_t *values, int32_t count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, self->comm);
}

int shim_all_gather(const shim_comm *self, const void *mine, int32_t bytes, void *all, const int32_t *counts,
                    const int32_t *starts) {
  return MPI_Allgatherv(mine, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, self->comm);
}

int shim_all_to_all(const shim_comm *self, const int64_t *out, int64_t *in) {
  return MPI_Alltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, self->comm);
}

static int64_t pieces(int32_t n, const int64_t *bytes) {
  int64_t count = 0;
  for (int32_t k = 0; k < n; k++) count += (bytes[k] + PIECE - 1) / PIECE;
  return count;
}

/* Starts to receive and to send; the buffers stay where they are until shim_wait. */
int shim_post(const shim_comm *self, int32_t nout, const int32_t *to, void *const *out, const int64_t *out_bytes,
              int32_t nin, const int32_t *from, void *const *in, const int64_t *in_bytes, shim_posted **posted) {
  const int64_t most = pieces(nout, out_bytes) + pieces(nin, in_bytes);
  shim_posted *self_posted = malloc(sizeof *self_posted + (size_t)most * sizeof(MPI_Request));
  if (!self_posted) return MPI_ERR_NO_MEM;
  self_posted->count = 0;
  *posted = self_posted;
  for (int sends = 0; sends < 2; sends++) {
    const int32_t n = sends ? nout : nin, *peer = sends ? to : from;
    const int64_t *bytes = sends ? out_bytes : in_bytes;
    void *const *buffer = sends ? out : in;
    for (int32_t k = 0; k < n; k++) {
      for (int64_t done = 0; done < bytes[k]; done += PIECE) {
        const int length = (int)(bytes[k] - done < PIECE ? bytes[k] - done : PIECE);
        MPI_Request *request = &self_posted->requests[self_posted->count];
        char *at = (char *)buffer[k] + done;
        const int code = sends ? MPI_Isend(at, length, MPI_BYTE, peer[k], TAG, self->comm, request)
                               : MPI_Irecv(at, length, MPI_BYTE, peer[k], TAG, self->comm, request);
        if (code != MPI_SUCCESS) return code;
        self_posted->count++;
      }
    }
  }
  return MPI_SUCCESS;
}

/* Waits until all has come and gone, and frees what shim_post made. */
int shim_wait(shim_posted *posted) {
  const int code = MPI_Waitall(posted->count, posted->requests, MPI_STATUSES_IGNORE);
  free(posted);
  return code;
}

void shim_text(int code, char *text, int32_t capacity) {
  char buffer[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (capacity <= 0) return;
  if (MPI_Error_string(code, buffer, &length) != MPI_SUCCESS) length = 0;
  if (length > capacity - 1) length = capacity - 1;
  memcpy(text, buffer, (size_t)length);
  text[length] = 0;
}
