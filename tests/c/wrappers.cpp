// The classes of neargrid.hpp: each call once, with results that are known.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <neargrid.hpp>

namespace {

int checks, failures;

void verdict(bool ok, const char *what, int line) {
    checks++;
    if (ok) return;
    failures++;
    std::fprintf(stderr, "FAILED wrappers.cpp:%d: %s\n", line, what);
}

template <class T>
bool same(neargrid::span<const T> found, const std::vector<T> &wanted) {
    if (found.size() != wanted.size()) return false;
    for (std::size_t k = 0; k < wanted.size(); k++)
        if (found[k] != wanted[k]) return false;
    return true;
}

template <class F>
bool refused(neargrid_status status, F call) {
    try {
        call();
    } catch (const neargrid::error &error) {
        return error.status() == status && *error.what() != '\0';
    }
    return false;
}

}  // namespace

#define CHECK(...) verdict(__VA_ARGS__, #__VA_ARGS__, __LINE__)

using offsets = std::vector<std::int64_t>;
using ids = std::vector<std::int32_t>;
using reals = std::vector<double>;

/** Points at 0, 1, 2 and 4 on a line. */
static neargrid::search line(double cutoff) {
    neargrid::search search;
    const reals x{0.0, 1.0, 2.0, 4.0};
    search.set_cutoff(cutoff);
    search.set_points(1, 4, x.data());
    return search;
}

static bool has_rows(const neargrid::neighbors &rows, const offsets &wanted_offsets, const ids &wanted_ids) {
    return same(rows.offsets, wanted_offsets) && same(rows.ids, wanted_ids);
}

static void kinds() {
    neargrid::search search = line(1.0);
    const std::int32_t half = NEARGRID_NEIGHBORS_HALF;
    search.set_exclusions({offsets{0, 1, 2, 2, 2}, ids{1, 0}}, ids{3, 3});
    CHECK(has_rows(search.neighbors(half), {0, 0, 1, 1, 1}, {2}));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_exclusions({offsets{0, 1, 2}, ids{1}}); }));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_exclusions({offsets{0, 1, 2}, ids{1, 0}}, ids{1}); }));
    CHECK(has_rows(search.neighbors(half), {0, 0, 1, 1, 1}, {2}));
    search.clear_exclusions();
    neargrid::search ring = line(1.0);
    ring.set_cell(reals{4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, ids{1, 0, 0});
    CHECK(has_rows(ring.images(half).rows, {0, 2, 4, 4, 4}, {1, 3, 2, 3}));
    ring.set_exclusions({offsets{0, 1, 1, 1, 2}, ids{3, 0}}, {}, ids{-1, 0, 0, 1, 0, 0});
    CHECK(has_rows(ring.images(half).rows, {0, 1, 3, 3, 3}, {1, 2, 3}));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { ring.set_exclusions({offsets{0, 1, 1, 1, 2}, ids{3, 0}}, {}, ids{1, 0, 0}); }));
    search.set_types(ids{0, 0, 1, 1}, 2, ids{1, 1, 1, 1});
    search.set_type_cutoffs(2, reals{1.0, 0.0, 0.0, 2.0});
    CHECK(has_rows(search.neighbors(half), {0, 1, 1, 2, 2}, {1, 3}));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_type_cutoffs(2, reals{1.0}); }));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_types(ids{0, 0, 1, 1}, 2, ids{1}); }));
    search.set_type_cutoffs(0, {});
    search.set_types({}, 0, {});
    search.set_roles(ids{NEARGRID_ROLE_GHOST, NEARGRID_ROLE_GHOST, NEARGRID_ROLE_ACTIVE, NEARGRID_ROLE_ABSENT});
    CHECK(has_rows(search.neighbors(), {0, 0, 1, 2, 2}, {2, 1}));
    search.set_ghost_rows(NEARGRID_GHOST_ROWS_ALL);
    CHECK(has_rows(search.neighbors(), {0, 1, 3, 4, 4}, {1, 0, 2, 1}));
    search.set_ghost_rows(NEARGRID_GHOST_ROWS_NONE);
    CHECK(has_rows(search.neighbors(), {0, 0, 0, 1, 1}, {1}));
    search.set_roles({});
    search.set_active(2);
    search.set_ids(offsets{5, 6, 1, 2});
    search.set_ghost_pairs(NEARGRID_GHOST_PAIRS_LARGER_IDS);
    CHECK(has_rows(search.neighbors(half), {0, 1, 1, 1, 1}, {1}));
}

static void forms() {
    neargrid::search search = line(1.0);
    const neargrid::padded rows = search.padded_neighbors();
    CHECK(rows.width == 2 && rows.ids == ids{1, -1, 0, 2, 1, -1, -1, -1} && rows.counts == ids{1, 2, 1, 0});
    CHECK(search.padded_neighbors(NEARGRID_NEIGHBORS_HALF, 3).width == 3);
    search.set_cutoff(2.5);
    CHECK(search.histogram(reals{0.0, 1.5, 2.5}) == offsets{2, 2});
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.histogram({}); }));
    std::vector<neargrid::list> lists(2);
    search.take_neighbors_by_cutoffs(lists, reals{1.0, 2.0}, NEARGRID_NEIGHBORS_HALF);
    CHECK(has_rows(lists[0].neighbors(), {0, 1, 2, 2, 2}, {1, 2}));
    CHECK(has_rows(lists[1].neighbors(), {0, 2, 3, 4, 4}, {1, 2, 2, 3}));
    neargrid_list *const first = lists[0].get();
    search.take_neighbors_by_cutoffs(lists, reals{2.0, 1.0}, NEARGRID_NEIGHBORS_HALF);
    CHECK(lists[0].get() == first && lists[0].neighbors().ids.size() == 4);
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.take_neighbors_by_cutoffs(lists, reals{1.0}); }));
}

static void cells() {
    neargrid::search search = line(1.0);
    search.set_cell(reals{5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, ids{1, 0, 0});
    const neargrid::images found = search.images(NEARGRID_NEIGHBORS_HALF);
    CHECK(has_rows(found.rows, {0, 2, 3, 3, 3}, {1, 3, 2}));
    CHECK(same(found.shifts, ids{0, 0, 0, -1, 0, 0, 0, 0, 0}));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_cell(reals{1.0}, ids{1, 0, 0}); }));
    search.clear_cell();
    CHECK(search.neighbors().ids.size() == 4);
}

template <class T>
static void systems() {
    neargrid::search search;
    const std::vector<T> x{0, 1, 0, T(0.5), 1};
    const offsets firsts{0, 2, 5};
    const reals cutoffs{1.0, 0.5}, lo(2), length{3.0, 1.25};
    const ids periodic{0, 1};
    neargrid::systems given{firsts, cutoffs, {}, {}, {}};
    const neargrid::span<const T> points = x;
    CHECK(has_rows(search.systems(1, points, given, NEARGRID_NEIGHBORS_HALF), {0, 1, 1, 2, 3, 3}, {1, 3, 4}));
    given.lo = lo, given.length = length, given.periodic = periodic;
    CHECK(has_rows(search.systems(1, points, given, NEARGRID_NEIGHBORS_HALF), {0, 1, 1, 3, 4, 4}, {1, 3, 4, 4}));
    given.lo = {};
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.systems(1, points, given); }));
    given = {firsts, cutoffs, {}, {}, {}};
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.systems(1, points.part(0, 4), given); }));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.systems(1, points, {{}, {}, {}, {}, {}}); }));
}

template <class T>
static void values_of_pairs() {
    neargrid::search search = line(1.0);
    neargrid::list before, now;
    search.take_neighbors(before);
    const std::vector<T> values{1, 2, 3, 4};
    const reals x{0.0, 1.0, 2.5, 4.0};
    search.set_points(1, 4, x.data());
    search.take_neighbors(now, NEARGRID_NEIGHBORS_HALF);
    const neargrid::span<const T> given = values;
    neargrid::carried<T> made = search.carry<T>(before.neighbors(), given, now.neighbors());
    CHECK(made.values == std::vector<T>{1} && made.lost == offsets{2, 3});
    made = search.carry<T>(now.neighbors(), std::vector<T>{7}, before.neighbors(), 1, ids{-1});
    CHECK(made.values == std::vector<T>{7, -7, 0, 0} && made.lost.empty());
    made = search.carry<T>({}, {}, now.neighbors());
    CHECK(made.values == std::vector<T>{0});
    const offsets names{4, 3, 2, 1}, turned{3, 4, 2, 1};
    made = search.carry<T>({now.neighbors(), names}, std::vector<T>{7}, {now.neighbors(), turned}, 1, ids{-1});
    CHECK(made.values == std::vector<T>{-7});
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.carry<T>(now.neighbors(), given, now.neighbors()); }));

    search.set_pair_field<T>("age", before.neighbors(), given);
    neargrid::formula formula("age_ij = age_ij + 1", NEARGRID_PRECISION_DOUBLE);
    search.run(formula);
    const neargrid::pair_values<T> age = search.pair_field<T>("age");
    CHECK(age.components == 1 && age.offsets == offsets{0, 1, 2, 2, 2} && age.ids == ids{1, 0});
    CHECK(age.values == std::vector<T>{2, 3});
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_pair_field<T>("age", now.neighbors(), given); }));
    CHECK(refused(NEARGRID_STATUS_BAD_STATE, [&] { search.pair_field<T>("none"); }));
    search.set_ids(names);
    const offsets first{0, 2}, partners{2, 3};
    search.set_pair_field_by_ids<T>("way", first, partners, std::vector<T>{1, 2});
    const neargrid::pair_values<T, std::int64_t> way = search.pair_field_by_ids<T>("way");
    CHECK(way.offsets == first && way.ids == partners && way.values == std::vector<T>{1, 2});
    CHECK(search.pair_field<T>("way").ids == ids{2, 1});
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_pair_field_by_ids<T>("way", first, names, given); }));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_pair_field_by_ids<T>("way", first, partners, given); }));
}

static void radii() {
    neargrid::search search = line(1.0);
    neargrid::formula formula("n += 1", NEARGRID_PRECISION_DOUBLE);
    const neargrid::solved_radii<double> found = search.solve_radii<double>(formula, "n", 2.0, 0.5, 3.0);
    CHECK(found.radii.size() == 4 && found.outcomes.size() == 4 && found.unsolved == 0);
    const reals wanted{2.0, 1.0, 2.0, 3.0};
    for (std::size_t k = 0; k < wanted.size() && k < found.radii.size(); k++) CHECK(std::abs(found.radii[k] - wanted[k]) < 1e-5);
    search.set_radii<double>(found.radii, NEARGRID_RADIUS_GATHER);
    CHECK(search.neighbors().ids.size() == 9);
    const reals queries{3.0}, reach{1.0};
    search.set_queries(1, 1, queries.data());
    search.set_query_radii<double>(reach);
    CHECK(has_rows(search.neighbors(NEARGRID_NEIGHBORS_QUERIES), {0, 2}, {2, 3}));
    search.clear_radii();
    CHECK(search.neighbors().ids.size() == 4);
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { search.solve_radii<float>(formula, "n", 2.0, 0.5, 3.0); }));
}

/** Axes that points do not have, fields whose size does not fit, and texts that C would cut. */
template <class T>
static void arrays() {
    neargrid::search search;
    search.set_cutoff(1.0);
    const std::vector<T> x{0, 1, 3}, y{0, 0, 0}, pairs{0, 0, 1, 0, 3, 0};
    search.set_points(2, 3, x.data(), y.data(), nullptr);
    CHECK(has_rows(search.neighbors(), {0, 1, 2, 2}, {1, 0}));
    search.set_queries(2, 2, x.data(), y.data(), nullptr);
    CHECK(has_rows(search.neighbors(NEARGRID_NEIGHBORS_QUERIES), {0, 2, 4}, {0, 1, 0, 1}));
    search.set_points(1, 3, x.data(), nullptr, nullptr);
    CHECK(search.count_pairs() == 1);
    search.set_points(2, 3, pairs.data());
    CHECK(search.count_pairs() == 1);
    search.set_queries(2, 0, static_cast<const T *>(nullptr));
    CHECK(refused(NEARGRID_STATUS_NULL_POINTER, [&] { search.set_points(2, 3, x.data(), nullptr, nullptr); }));
    CHECK(refused(NEARGRID_STATUS_NULL_POINTER, [&] { search.set_points(2, 3, static_cast<const T *>(nullptr)); }));
    CHECK(search.count_pairs() == 1);

    const neargrid::span<const T> six = pairs;
    search.set_field<T>("v", six, 2);
    CHECK(search.field<T>("v") == pairs);
    for (const std::size_t size : {std::size_t{5}, std::size_t{1}, std::size_t{3}})
        CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_field<T>("v", six.part(0, size), 2); }));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { search.set_query_field<T>("v", six.part(0, 5), 3); }));
    for (const std::int32_t components : {0, -1, 4})
        CHECK(refused(NEARGRID_STATUS_BAD_DIM, [&] { search.set_field<T>("v", six.part(0, 4), components); }));
    CHECK(search.field<T>("v") == pairs);

    const std::string nul("a\0b", 3);
    neargrid::formula formula("n += a");
    formula.set("a", 2.0);
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { neargrid::formula(std::string("n += 1\0; m += 1", 15)); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { formula.set(nul, 1.0); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { formula.number(nul); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { formula.set_table(nul, NEARGRID_TABLE_R, 0.0, 1.0, reals{1.0, 0.0}); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { search.set_field<T>(nul, six, 2); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { search.field<T>(nul); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { search.pair_field<T>(nul); }));
    CHECK(refused(NEARGRID_STATUS_BAD_VALUE, [&] { search.solve_radii<T>(formula, nul, 2.0, 0.5, 3.0); }));
    search.run(formula);
    CHECK(search.field<T>("n") == std::vector<T>{2, 2, 0});
}

/** Tables, and the default precision. */
static void formulas() {
    neargrid::search search = line(1.0);
    neargrid::formula tables("a += U(r); b += W(r/c)");
    tables.set_table("U", NEARGRID_TABLE_R, 0.0, 2.0, reals{4.0, 2.0, 0.0});
    tables.set_cubic_table("W", NEARGRID_TABLE_R_OVER_C, 0.0, 1.0, reals{0.0, 1.0, 2.0, 3.0});
    search.run(tables);
    CHECK(search.field<double>("a") == reals{2.0, 4.0, 2.0, 0.0});
    CHECK(search.field<double>("b") == reals{3.0, 6.0, 3.0, 0.0});
    CHECK(search.info().find("precision: single (by default") != std::string::npos);
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { tables.set_table("U", NEARGRID_TABLE_R, 0.0, 2.0, {}); }));
    CHECK(refused(NEARGRID_STATUS_BAD_COUNT, [&] { tables.set_cubic_table("W", NEARGRID_TABLE_R_OVER_C, 0.0, 1.0, {}); }));
    for (const std::int32_t precision : {NEARGRID_PRECISION_SINGLE, NEARGRID_PRECISION_DOUBLE}) {
        neargrid::formula chosen("n += 1", precision);
        search.run(chosen);
        CHECK(search.info().find("by default, also") == std::string::npos);
    }
}

/** A communicator of one rank. */
struct alone {
    neargrid_comm *comm = nullptr;

    alone() {
        neargrid::check(neargrid_comm_create(
            NEARGRID_ABI_VERSION, 0, 1, 0, this, [](void *, std::int32_t, std::int64_t *) { return 0; },
            [](void *, const void *mine, std::int32_t bytes, void *all, const std::int32_t *, const std::int32_t *starts) {
                if (bytes > 0) std::memcpy(static_cast<char *>(all) + *starts, mine, static_cast<std::size_t>(bytes));
                return 0;
            },
            [](void *, const std::int64_t *out, std::int64_t *received) {
                *received = *out;
                return 0;
            },
            [](void *, std::int32_t n, const std::int32_t *, const void *const *out, const std::int64_t *bytes, std::int32_t,
               const std::int32_t *, void *const *in, const std::int64_t *, void **) {
                for (std::int32_t k = 0; k < n; k++)
                    if (bytes[k] > 0) std::memcpy(in[k], out[k], static_cast<std::size_t>(bytes[k]));
                return 0;
            },
            [](void *, void *) { return 0; }, [](void *, std::int32_t, char *text, std::int32_t) { *text = '\0'; }, [](void *) {},
            &comm));
    }
    ~alone() { neargrid_comm_destroy(comm); }
};

/** The text of what a call throws. */
template <class F>
static std::string thrown(F call) {
    try {
        call();
    } catch (const neargrid::error &error) {
        return error.what();
    }
    return "";
}

/** Refusals in the place of collective calls are those of all ranks: they name the rank. */
static void ranks() {
    const alone one;
    neargrid::search search(one.comm);
    const reals x{0.0, 1.0, 2.0, 4.0};
    search.set_cutoff(1.0);
    search.set_points(1, 4, x.data());
    CHECK(has_rows(search.neighbors(), {0, 1, 3, 4, 4}, {1, 0, 2, 1}));
    std::vector<neargrid::list> lists(2);
    const std::string text = " is not allowed: it must be ";
    CHECK(thrown([&] { search.take_neighbors_by_cutoffs(lists, x); }) == "rank 0: size of lists = 2" + text + "4");
    const offsets first{0, 2}, partners{2, 3};
    const auto set = [&](const offsets &ids, const reals &values) {
        search.set_pair_field_by_ids<double>("way", first, ids, values);
    };
    CHECK(thrown([&] { set(first, x); }) == "rank 0: size of values = 4" + text + "2");
    CHECK(thrown([&] { set({}, x); }) == "rank 0: size of ids = 0" + text + "2");
    set(partners, {1.0, 2.0});
    CHECK(search.pair_field_by_ids<double>("way").ids == partners);
    CHECK(thrown([&] { search.set_box(x, {}, {}); }) == "lo, length and periodic must have one size");
    CHECK(refused(NEARGRID_STATUS_NULL_POINTER, [] { neargrid::search(static_cast<neargrid_comm *>(nullptr)); }));
}

int main() {
    ranks();
    kinds();
    forms();
    cells();
    systems<double>();
    systems<float>();
    values_of_pairs<double>();
    values_of_pairs<float>();
    radii();
    arrays<double>();
    arrays<float>();
    formulas();
    if (failures > 0) return 1;
    std::printf("wrappers: %d checks passed\n", checks);
    return 0;
}
