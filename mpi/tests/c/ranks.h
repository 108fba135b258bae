/* Shared by the C programs that run under mpirun: verdicts of all ranks, printed by the first.
 *
 * Failures go to stderr, from the rank that has them; one line on success, from rank 0. A program that hangs is ended by an
 * alarm. */
#ifndef RANKS_H
#define RANKS_H

#include <unistd.h>

#include <neargrid_mpi.h>

#include "check.h"

static int rank, size;

/* As `ended` in check.h, for calls of neargrid_mpi. */
static inline int ended_mpi(int got, int want, const char *words, const char *call, const char *file, int line) {
  char text[512] = "", message[1400];
  if (got != 0) neargrid_mpi_last_error(text, sizeof text, NULL);
  snprintf(message, sizeof message, "rank %d of %d: %s: %s, wanted %s: %s", rank, size, call,
           neargrid_mpi_status_name(got), neargrid_mpi_status_name(want), text);
  if (!verdict(got == want, message, file, line)) return 0;
  while (*words) {
    const size_t length = strcspn(words, "|");
    char word[200];
    snprintf(word, sizeof word, "%.*s", (int)length, words);
    snprintf(message, sizeof message, "rank %d of %d: %s: no \"%s\" in \"%s\"", rank, size, call, word, text);
    verdict(strstr(text, word) != NULL, message, file, line);
    words += length + (words[length] == '|');
  }
  return 1;
}
#define OK_MPI(call) ended_mpi((call), NEARGRID_STATUS_OK, "", #call, __FILE__, __LINE__)
#define REFUSED_MPI(call, status, words) ended_mpi((call), status, words, #call, __FILE__, __LINE__)

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

static inline int64_t counter_mpi(neargrid_mpi_search *search, int32_t which) {
  int64_t value = GUARD;
  CHECK(neargrid_mpi_search_counter(search, which, &value) == 0);
  return value;
}

#endif
