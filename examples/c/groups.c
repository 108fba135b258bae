/* Halos in a periodic square: groups of friends of friends in a clustered cloud, their catalogue (groups.csv) and a picture of
 * them (groups.svg), written where the program runs, or in the folder that is its argument.
 *
 *     cc groups.c $(pkg-config --cflags --libs neargrid) -lm -o groups && ./groups */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { N = 20000, BLOBS = 40, MIN_SIZE = 20, EDGE = 800 };

static const char *const COLORS[] = {"#d1495b", "#00798c", "#edae49", "#66a182", "#8d6a9f", "#3d5a80", "#bc6c25", "#2e4057"};

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

static double unit(void) { return rand() / (RAND_MAX + 1.0); }

static double normal(void) { return sqrt(-2 * log(1 - unit())) * cos(6.283185307179586 * unit()); }

static FILE *file(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  if (!out) {
    perror(path);
    exit(1);
  }
  return out;
}

/* A third of the points anywhere, the others in blobs that drift; heavy points in heavy blobs. */
static void make(double pos[N][2], double velocities[N][2], double *masses) {
  double blobs[BLOBS][5];
  for (int b = 0; b < BLOBS; b++) {
    blobs[b][0] = unit(), blobs[b][1] = unit();
    blobs[b][2] = normal(), blobs[b][3] = normal();
    blobs[b][4] = 0.002 + 0.01 * unit();
  }
  blobs[0][0] = blobs[0][1] = 0; /* one in the corners */
  for (int i = 0; i < N; i++) {
    const int b = i % BLOBS, is_blob = i % 3 > 0;
    masses[i] = 1 + b % 4;
    for (int axis = 0; axis < 2; axis++) {
      const double x = is_blob ? blobs[b][axis] + blobs[b][4] * normal() : unit();
      pos[i][axis] = x - floor(x);
      velocities[i][axis] = normal() + (is_blob ? 3 * blobs[b][2 + axis] : 0);
    }
  }
}

int main(int count, char **arguments) {
  static double pos[N][2], velocities[N][2], masses[N];
  const char *folder = count > 1 ? arguments[1] : ".";
  const double corner[2] = {0, 0}, length[2] = {1, 1}, linking_length = 0.35 / sqrt(N);
  const int32_t periodic[2] = {1, 1}, *labels, *order, *wide;
  const int64_t *sizes, *offsets;
  const double *mass, *centers, *means, *radii;
  int64_t ngroups, members = 0;
  int32_t dim;
  neargrid_search *search;

  srand(1);
  make(pos, velocities, masses);
  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, linking_length));
  must(neargrid_search_set_box(search, 2, corner, length, periodic));
  must(neargrid_search_set_points_f64(search, 2, N, &pos[0][0], &pos[0][1], NULL, sizeof *pos));
  must(neargrid_groups_find_f64(search, MIN_SIZE, N, masses, sizeof(double), &velocities[0][0], &velocities[0][1],
                                NULL, sizeof *velocities, &ngroups));
  must(neargrid_groups_view_members(search, &ngroups, &labels, &sizes, &offsets, &order));
  must(neargrid_groups_view_sums(search, &ngroups, &dim, &mass, &centers, &means, &radii, &wide));

  FILE *table = file(folder, "groups.csv"), *picture = file(folder, "groups.svg");
  fprintf(table, "label,size,mass,x,y,vx,vy,radius,wide\n");
  fprintf(picture, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"><rect width=\"100%%\" height=\"100%%\" "
          "fill=\"white\"/>\n", EDGE, EDGE);
  for (int64_t k = offsets[ngroups]; k < N; k++) /* points of no group */
    fprintf(picture, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\".6\" fill=\"#bbb\"/>\n", EDGE * pos[order[k]][0],
            EDGE * pos[order[k]][1]);
  for (int64_t g = 0; g < ngroups; g++) {
    const double *x = &centers[2 * g];
    fprintf(table, "%d,%lld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d\n", labels[g], (long long)sizes[g], mass[g], x[0], x[1],
            means[2 * g], means[2 * g + 1], radii[g], wide[g]);
    fprintf(picture, "<g fill=\"%s\">", COLORS[g % 8]);
    for (int64_t k = offsets[g]; k < offsets[g + 1]; k++)
      fprintf(picture, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1\"/>", EDGE * pos[order[k]][0], EDGE * pos[order[k]][1]);
    fprintf(picture, "</g><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"black\"/>\n", EDGE * x[0],
            EDGE * x[1], EDGE * radii[g]);
    members += sizes[g];
  }
  fprintf(picture, "</svg>\n");
  if (fclose(table) != 0 || fclose(picture) != 0) {
    perror("groups");
    return 1;
  }
  printf("%lld groups of at least %d points hold %lld of %d; the largest has %lld, at %.4f %.4f\n", (long long)ngroups,
         MIN_SIZE, (long long)members, N, (long long)sizes[0], centers[0], centers[1]);
  neargrid_search_destroy(search);
  return 0;
}
