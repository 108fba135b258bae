/* A program of somebody else's: points on a line, dealt out to ranks like cards. Neighbors are pairs. */
#include <stdio.h>

#include <neargrid_comm_mpi.h>

enum { MINE = 50 };

int main(int argc, char **argv) {
  double x[MINE];
  int rank, size;
  int64_t npairs = 0, all = 0;
  const int32_t *i, *j;
  neargrid_comm *comm = NULL;
  neargrid_search *search = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < MINE; k++) x[k] = rank + (double)size * k;
  int failed = neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm) ||
               neargrid_search_create_across(NEARGRID_ABI_VERSION, comm, &search) ||
               neargrid_search_set_cutoff(search, 1.0) ||
               neargrid_search_set_points_f64(search, 1, MINE, x, NULL, NULL, sizeof *x) ||
               neargrid_pairs_view(search, &npairs, &i, &j);
  MPI_Allreduce(&npairs, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  neargrid_search_destroy(search);
  neargrid_comm_destroy(comm);
  MPI_Finalize();
  failed = failed || all != (int64_t)MINE * size - 1;
  if (rank == 0) puts(failed ? "line: FAILED" : "line: OK");
  return failed;
}
