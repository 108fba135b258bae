/* Halos across ranks: groups of friends of friends in a clustered cloud in a periodic cube, of which each rank has a part; the
 * same numbers on any number of ranks. The ten largest are printed, all of at least MIN_SIZE points are written to halos.csv,
 * where the program runs, or in the folder that is its argument.
 *
 *     mpicc fof.c $(pkg-config --cflags --libs neargrid_mpi) -lm -o fof && mpirun -n 4 ./fof */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid_comm_mpi.h>

enum { N = 40000, BLOBS = 60, MIN_SIZE = 20, SHOWN = 10 };
static const double LINK = 0.006;

typedef struct {
  int64_t label, size;
  double mass, radius, center[3], velocity[3];
} halo;

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text); /* the same on all ranks: none is left waiting */
  MPI_Finalize();
  exit(1);
}

/* A number in 0 to 1 that depends on both arguments alone, so that any rank can make any point. */
static double unit(int64_t point, int which) {
  uint64_t x = (uint64_t)point * 16 + (uint64_t)which + 1;
  for (int round = 0; round < 3; round++) x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
  return (double)(x >> 11) / 9007199254740992.0;
}

static double normal(int64_t point, int which) {
  return sqrt(-2 * log(1 - unit(point, which))) * cos(6.283185307179586 * unit(point, which + 1));
}

/* A third of the points anywhere, the others in blobs that drift; heavy points in heavy blobs. */
static void make(int64_t k, double pos[3], double velocity[3], double *mass) {
  const int64_t b = k % BLOBS, blob = N + b;
  *mass = 1 + (double)(b % 4);
  for (int axis = 0; axis < 3; axis++) {
    const double wide = 0.002 + 0.02 * unit(blob, 8), around = unit(blob, axis) + wide * normal(k, 2 * axis);
    const double x = k % 3 > 0 ? around : unit(k, axis + 9);
    pos[axis] = x - floor(x);
    velocity[axis] = normal(k, 2 * axis + 1) + 3 * (unit(blob, axis + 3) - 0.5);
  }
}

static int larger(const void *a, const void *b) {
  const halo *p = a, *q = b;
  if (p->size != q->size) return p->size > q->size ? -1 : 1;
  return p->label < q->label ? -1 : 1;
}

/* This rank's part of the catalogue. */
static halo *catalogue(neargrid_search *search, int64_t n) {
  int64_t *labels = malloc(2 * ((size_t)n + 1) * sizeof *labels), *sizes = labels + n;
  const double *masses, *centers, *velocities, *radii;
  const int32_t *wide;
  int32_t dim;
  if (!labels) MPI_Abort(MPI_COMM_WORLD, 1);
  must(neargrid_groups_copy_ids(search, n, &n, labels, sizes));
  must(neargrid_groups_view_sums(search, &n, &dim, &masses, &centers, &velocities, &radii, &wide));
  halo *halos = malloc(((size_t)n + 1) * sizeof *halos);
  if (!halos) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t g = 0; g < n; g++) {
    halos[g] = (halo){labels[g], sizes[g], masses[g], radii[g], {0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
      halos[g].center[axis] = centers[3 * g + axis];
      halos[g].velocity[axis] = velocities[3 * g + axis];
    }
  }
  free(labels);
  return halos;
}

/* All parts on rank 0, the largest halo first; elsewhere nothing. */
static halo *gather(halo *mine, int n, int rank, int size, int *all) {
  int *bytes = calloc(2 * (size_t)size, sizeof *bytes), *starts = bytes + size, own = n * (int)sizeof *mine;
  if (!bytes) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Gather(&own, 1, MPI_INT, bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 1; r < size; r++) starts[r] = starts[r - 1] + bytes[r - 1];
  const int total = rank == 0 ? starts[size - 1] + bytes[size - 1] : 0;
  halo *halos = malloc((size_t)total + 1);
  if (!halos) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Gatherv(mine, own, MPI_BYTE, halos, bytes, starts, MPI_BYTE, 0, MPI_COMM_WORLD);
  *all = total / (int)sizeof *halos;
  qsort(halos, (size_t)*all, sizeof *halos, larger);
  free(bytes);
  return halos;
}

static void show(const halo *halos, int n, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/halos.csv", folder);
  FILE *csv = fopen(path, "w");
  if (!csv) {
    perror(path);
    return;
  }
  fprintf(csv, "label,size,mass,radius,x,y,z,vx,vy,vz\n");
  printf("%8s %6s %8s %8s   center\n", "label", "size", "mass", "radius");
  for (int g = 0; g < n; g++) {
    const halo *h = &halos[g];
    fprintf(csv, "%lld,%lld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", (long long)h->label, (long long)h->size, h->mass,
            h->radius, h->center[0], h->center[1], h->center[2], h->velocity[0], h->velocity[1], h->velocity[2]);
    if (g < SHOWN)
      printf("%8lld %6lld %8g %8.5f   %.4f %.4f %.4f\n", (long long)h->label, (long long)h->size, h->mass, h->radius,
             h->center[0], h->center[1], h->center[2]);
  }
  fclose(csv);
}

int main(int count, char **arguments) {
  static double pos[N][3], velocities[N][3], masses[N];
  static int64_t ids[N], labels[N];
  const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  const int32_t periodic[3] = {1, 1, 1};
  int rank, size, all;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int64_t n = 0, ngroups = 0, total = 0;
  for (int64_t k = rank; k < N; k += size) { /* any part will do */
    make(k, pos[n], velocities[n], &masses[n]);
    ids[n++] = k;
  }
  neargrid_comm *comm;
  neargrid_search *search;
  must(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm));
  must(neargrid_search_create_across(NEARGRID_ABI_VERSION, comm, &search));
  must(neargrid_search_set_threads(search, 1));
  must(neargrid_search_set_box(search, 3, lo, length, periodic));
  must(neargrid_search_set_cutoff(search, LINK)); /* the linking length */
  must(neargrid_search_set_points_f64(search, 3, n, pos[0], pos[0] + 1, pos[0] + 2, sizeof pos[0]));
  must(neargrid_search_set_ids(search, n, ids, sizeof ids[0]));
  must(neargrid_fof_copy_ids(search, n, labels, &total)); /* labels[k]: the smallest id in the group of point k */
  must(neargrid_groups_find_f64(search, MIN_SIZE, n, masses, sizeof masses[0], velocities[0], velocities[0] + 1,
                                velocities[0] + 2, sizeof velocities[0], &ngroups));
  halo *mine = catalogue(search, ngroups);
  halo *halos = gather(mine, (int)ngroups, rank, size, &all);
  if (rank == 0) {
    printf("%d points, %lld groups, %d of at least %d points\n", N, (long long)total, all, MIN_SIZE);
    show(halos, all, count > 1 ? arguments[1] : ".");
  }
  free(mine);
  free(halos);
  neargrid_search_destroy(search);
  neargrid_comm_destroy(comm);
  MPI_Finalize();
  return 0;
}
