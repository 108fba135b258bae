/* Names for a block tagged `c fragment`, which takes the place of the line with the mark. It must compile and is not run. */
#include <celllist.h>
#include <neargrid.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 10, K = 8, ROOM = 100 };

neargrid_search *search;
neargrid_status status;
int64_t n = POINTS, n_active = 8, nq = POINTS, npairs, total, ngroups, first_row, nrows, capacity = ROOM, min_size = 1;
int64_t stride = 3 * sizeof(double), global_ids[POINTS], my_offsets[POINTS + 1];
int32_t k = K, dim, rebuilt, types[POINTS], roles[POINTS], classes[ROOM], periodic[3], my_i[ROOM], my_j[ROOM], my_ids[ROOM], my_labels[POINTS];
int32_t my_near[POINTS * K], my_counts[POINTS], my_offsets_32[POINTS + 1], total_32;
int64_t longest;
const int64_t *offsets, *sizes, *members;
const int32_t *pair_i, *pair_j, *ids, *labels, *order, *wide, *near, *counts, *shifts;
const double *distances, *mass_sums, *centers, *mean_velocities, *radii_of_groups;
double cutoff = 1, mean_spacing = 1, pos[POINTS][3], x[POINTS], y[POINTS], z[POINTS], qx[POINTS], qy[POINTS], qz[POINTS];
double lo[3], length[3], masses[POINTS], radii[POINTS], my_distances[POINTS * K];
int64_t nsystems = 2, firsts[3] = {0, 5, POINTS};
double cutoffs[2] = {1, 1};
double vx[POINTS], vy[POINTS], vz[POINTS];

int main(void) {
    @FRAGMENT@
  return status;
}
