/* The operations of a neargrid_comm by MPI. Each returns MPI_SUCCESS, which is 0, or a code of MPI's. */
#include "neargrid_comm_mpi.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MPI_SUCCESS == 0, "neargrid takes 0 for success");

/* A duplicate whose errors are returned. Its users are the attribute of the communicator that it was made from, and each
 * neargrid_comm until its release. */
typedef struct {
  MPI_Comm comm;
  atomic_int users;
  int rank, size, node_rank;
} duplicate;

/* A message that is received has `bytes` bytes. A message that is sent has -1 there. */
typedef struct {
  MPI_Request request;
  int bytes;
} message;

typedef struct {
  int count;
  message messages[];
} posted;

/* The most bytes of one MPI message: larger ones travel in pieces, which arrive in order. Tests make it small. */
#ifndef NEARGRID_MPI_PIECE
#define NEARGRID_MPI_PIECE (1 << 30)
#endif
static const int64_t PIECE = NEARGRID_MPI_PIECE;
enum { TAG = 1 };

/* The code of a wait that has received and sent all messages, one of which did not have the expected size. Codes of MPI are not
 * negative. */
enum { OTHER_SIZE = -1 };

static int is_running(void) {
  int initialized = 0, finalized = 1;
  return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized && MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized;
}

static void release(void *context) {
  duplicate *self = context;
  if (atomic_fetch_sub(&self->users, 1) > 1) return;
  if (is_running()) MPI_Comm_free(&self->comm);
  free(self);
}

static int32_t min(void *context, int32_t n, int64_t *values) {
  const duplicate *self = context;
  return MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_MIN, self->comm);
}

static int32_t all_gather(void *context, const void *mine, int32_t bytes, void *all, const int32_t *counts,
                          const int32_t *starts) {
  const duplicate *self = context;
  return MPI_Allgatherv(mine, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, self->comm);
}

static int32_t all_to_all(void *context, const int64_t *out, int64_t *received) {
  const duplicate *self = context;
  return MPI_Alltoall(out, 1, MPI_INT64_T, received, 1, MPI_INT64_T, self->comm);
}

static int64_t pieces(int32_t n, const int64_t *bytes) {
  int64_t count = 0;
  for (int32_t k = 0; k < n; k++) count += (bytes[k] + PIECE - 1) / PIECE;
  return count;
}

static int piece(int64_t left) { return (int)(left < PIECE ? left : PIECE); }

/* After a failure, what was started is left as it is: MPI may still use it. */
static int32_t post(void *context, int32_t nout, const int32_t *to, const void *const *out, const int64_t *out_bytes,
                    int32_t nin, const int32_t *from, void *const *received, const int64_t *received_bytes,
                    void **request) {
  const duplicate *self = context;
  const size_t most = (size_t)(pieces(nout, out_bytes) + pieces(nin, received_bytes));
  posted *made = malloc(sizeof *made + most * sizeof(message));
  int code = MPI_SUCCESS;
  if (!made) return MPI_ERR_NO_MEM;
  made->count = 0;
  for (int32_t k = 0; k < nin; k++) {
    for (int64_t done = 0; done < received_bytes[k]; done += PIECE) {
      message *next = &made->messages[made->count++];
      next->bytes = piece(received_bytes[k] - done);
      code = MPI_Irecv((char *)received[k] + done, next->bytes, MPI_BYTE, from[k], TAG, self->comm, &next->request);
      if (code != MPI_SUCCESS) return code;
    }
  }
  for (int32_t k = 0; k < nout; k++) {
    for (int64_t done = 0; done < out_bytes[k]; done += PIECE) {
      message *next = &made->messages[made->count++];
      next->bytes = -1;
      code = MPI_Isend((const char *)out[k] + done, piece(out_bytes[k] - done), MPI_BYTE, to[k], TAG, self->comm, &next->request);
      if (code != MPI_SUCCESS) return code;
    }
  }
  *request = made;
  return MPI_SUCCESS;
}

/* Waits for a message. MPI returns an error for a message larger than expected, but none for a smaller one. */
static int wait_for_one(message *one, int *is_other) {
  MPI_Status status;
  int bytes = one->bytes, class = MPI_SUCCESS, code = MPI_Wait(&one->request, &status);
  if (one->bytes < 0) return code;
  if (code == MPI_SUCCESS) code = MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes != one->bytes) *is_other = 1;
  if (code == MPI_SUCCESS || MPI_Error_class(code, &class) != MPI_SUCCESS || class != MPI_ERR_TRUNCATE) return code;
  *is_other = 1;
  return MPI_SUCCESS;
}

/* Waits for one message after the other, because each has a code of its own. */
static int32_t wait_for(void *context, void *request) {
  posted *self = request;
  int code = MPI_SUCCESS, is_other = 0;
  (void)context;
  for (int k = 0; k < self->count && code == MPI_SUCCESS; k++) code = wait_for_one(&self->messages[k], &is_other);
  free(self);
  return code == MPI_SUCCESS && is_other ? OTHER_SIZE : code;
}

static void text_of(void *context, int32_t code, char *text, int32_t capacity) {
  char said[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  (void)context;
  if (capacity <= 0) return;
  if (MPI_Error_string(code, said, &length) != MPI_SUCCESS) length = 0;
  if (length > capacity - 1) length = capacity - 1;
  memcpy(text, said, (size_t)length);
  text[length] = 0;
}

/* The caller frees the communicator, or MPI ends. */
static int attribute_goes(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm;
  (void)keyval;
  (void)extra;
  release(value);
  return MPI_SUCCESS;
}

static int places(duplicate *self) {
  MPI_Comm node = MPI_COMM_NULL;
  int code = MPI_Comm_rank(self->comm, &self->rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(self->comm, &self->size);
  if (code == MPI_SUCCESS) code = MPI_Comm_split_type(self->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Comm_rank(node, &self->node_rank);
  MPI_Comm_free(&node);
  return code;
}

/* Duplicates the communicator and attaches the duplicate to it, on all ranks or on none. */
static neargrid_status attach(MPI_Comm comm, int keyval, duplicate **attached) {
  duplicate *self = malloc(sizeof *self);
  MPI_Comm made = MPI_COMM_NULL;
  int is_attached = 0, all = 0, code = MPI_Comm_dup(comm, &made);
  if (code != MPI_SUCCESS) return free(self), NEARGRID_STATUS_COMMUNICATION;
  code = MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  duplicate here = {.comm = made};
  if (code == MPI_SUCCESS) code = places(&here);
  if (self && code == MPI_SUCCESS) {
    self->comm = made;
    self->rank = here.rank;
    self->size = here.size;
    self->node_rank = here.node_rank;
    atomic_init(&self->users, 1);
    is_attached = MPI_Comm_set_attr(comm, keyval, self) == MPI_SUCCESS;
  }
  if (code == MPI_SUCCESS) code = MPI_Allreduce(&is_attached, &all, 1, MPI_INT, MPI_MIN, made);
  if (code == MPI_SUCCESS && all) return *attached = self, NEARGRID_STATUS_OK;
  if (is_attached) {
    MPI_Comm_delete_attr(comm, keyval);
  } else {
    MPI_Comm_free(&made);
    free(self);
  }
  return code == MPI_SUCCESS ? NEARGRID_STATUS_OUT_OF_MEMORY : NEARGRID_STATUS_COMMUNICATION;
}

/* Gives the key of the attribute. If several threads make it at once, the first one's key is used. */
static int find_keyval(int *keyval) {
  static atomic_int known = MPI_KEYVAL_INVALID;
  int made = MPI_KEYVAL_INVALID, code;
  *keyval = atomic_load(&known);
  if (*keyval != MPI_KEYVAL_INVALID) return MPI_SUCCESS;
  code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_goes, &made, NULL);
  if (code != MPI_SUCCESS) return code;
  if (!atomic_compare_exchange_strong(&known, keyval, made)) return MPI_Comm_free_keyval(&made);
  *keyval = made;
  return MPI_SUCCESS;
}

neargrid_status neargrid_comm_of_mpi(int32_t abi_version, MPI_Comm comm, neargrid_comm **made) {
  int keyval = MPI_KEYVAL_INVALID;
  duplicate *self = NULL;
  neargrid_status status = NEARGRID_STATUS_OK;
  int flag = 0;
  if (!made) return NEARGRID_STATUS_NULL_POINTER;
  *made = NULL;
  if (!is_running()) return NEARGRID_STATUS_BAD_STATE;
  if (comm == MPI_COMM_NULL) return NEARGRID_STATUS_BAD_VALUE;
  if (MPI_Comm_test_inter(comm, &flag) != MPI_SUCCESS) return NEARGRID_STATUS_COMMUNICATION;
  if (flag) return NEARGRID_STATUS_BAD_VALUE;
  if (find_keyval(&keyval) != MPI_SUCCESS) return NEARGRID_STATUS_COMMUNICATION;
  if (MPI_Comm_get_attr(comm, keyval, &self, &flag) != MPI_SUCCESS) return NEARGRID_STATUS_COMMUNICATION;
  if (!flag) status = attach(comm, keyval, &self);
  if (status != NEARGRID_STATUS_OK) return status;
  atomic_fetch_add(&self->users, 1);
  status = neargrid_comm_create(abi_version, self->rank, self->size, self->node_rank, self, min, all_gather, all_to_all, post,
                                wait_for, text_of, release, made);
  if (status != NEARGRID_STATUS_OK) release(self);
  return status;
}

neargrid_status neargrid_comm_of_mpi_f(int32_t abi_version, MPI_Fint comm, neargrid_comm **made) {
  return neargrid_comm_of_mpi(abi_version, is_running() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL, made);
}
