/* Shared by the C programs that run under mpirun: verdicts of all ranks, printed by the first.
 *
 * Failures go to stderr, from the rank that has them; one line on success, from rank 0. A program that hangs is ended by an
 * alarm. */
#ifndef RANKS_H
#define RANKS_H

#include <unistd.h>

#include <mpi.h>

#include "check.h"
#include "neargrid_comm_mpi.h"

static int rank, size;

static inline void begin(int *argc, char ***argv) {
  alarm(300);
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* The end of a program: rank 0 speaks for all. */
static inline int finish_all(const char *name, int at_least) {
  int mine[2] = {checks, failures}, all[2] = {0, 0};
  MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  checks = all[0];
  failures = all[1];
  MPI_Finalize();
  return rank == 0 ? finish(name, at_least) : 0;
}

/* A search of all ranks, of one thread each. */
static inline neargrid_search *new_across(void) {
  neargrid_comm *comm = NULL;
  neargrid_search *search = NULL;
  if (neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm) != 0 ||
      neargrid_search_create_across(NEARGRID_ABI_VERSION, comm, &search) != 0 || neargrid_search_set_threads(search, 1) != 0) {
    char said[300] = "";
    neargrid_last_error(said, sizeof said, NULL);
    fprintf(stderr, "no search of rank %d: %s\n", rank, said);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  neargrid_comm_destroy(comm);
  return search;
}

/* All ranks got the same error. Where one waits for the others instead, the alarm ends the program. */
static inline void expect_same(void) {
  char text[512] = "", first[512];
  neargrid_last_error(text, sizeof text, NULL);
  memcpy(first, text, sizeof text);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(first, text) == 0);
}

#endif
