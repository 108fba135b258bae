/* neargrid for C++17: handles that close themselves, statuses as exceptions, and arrays with their lengths. Header only; link with
 * libneargrid. All rules are those of neargrid.h.
 *
 *     neargrid::search search;
 *     search.set_cutoff(0.1);
 *     search.set_points(3, n, coordinates);
 *     for (auto [i, j] : search.pairs()) ...
 *
 * Results are views of memory of the search, valid until the next call on it that is not const. */

#ifndef NEARGRID_HPP
#define NEARGRID_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "neargrid.h"

namespace neargrid {

/** A call that failed. The text names the argument, its value and what is allowed. */
class error : public std::runtime_error {
public:
    error(neargrid_status status, const std::string &text) : std::runtime_error(text), status_(status) {}

    neargrid_status status() const noexcept { return status_; }

private:
    neargrid_status status_;
};

/** Throws an error unless `status` is NEARGRID_STATUS_OK. */
inline void check(neargrid_status status) {
    if (status == NEARGRID_STATUS_OK) return;
    std::size_t length = 0;
    neargrid_last_error(nullptr, 0, &length);
    std::string text(length + 1, '\0');
    neargrid_last_error(&text[0], text.size(), &length);
    text.resize(length);
    throw error(status, text);
}

/** Throws an error unless `size` is the one that an argument must have. */
inline void same_size(const char *name, std::size_t size, std::size_t wanted) {
    if (size != wanted)
        throw error(NEARGRID_STATUS_BAD_COUNT, std::string("size of ") + name + " = " + std::to_string(size) +
                                                   " is not allowed: it must be " + std::to_string(wanted));
}

/** A text for C. Refuses a text with a NUL, where C would stop reading. */
inline const char *c_text(const char *name, const std::string &text) {
    const std::size_t nul = text.find('\0');
    if (nul != std::string::npos)
        throw error(NEARGRID_STATUS_BAD_VALUE,
                    std::string(name) + " has a NUL as character " + std::to_string(nul + 1) + ": remove it");
    return text.c_str();
}

/** Elements in a row in memory that it does not own. std::span for C++17. */
template <class T>
class span {
public:
    span() noexcept = default;
    span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    /** All elements of a container whose elements are in a row. */
    template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
    span(C &&container) noexcept : data_(container.data()), size_(container.size()) {}

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T &operator[](std::size_t k) const noexcept { return data_[k]; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    span part(std::size_t first, std::size_t size) const noexcept { return span(data_ + first, size); }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** All pairs, i < j, in the order of (i, j). */
struct pairs {
    span<const std::int32_t> i, j;

    std::size_t size() const noexcept { return i.size(); }
    std::pair<std::int32_t, std::int32_t> operator[](std::size_t k) const noexcept { return {i[k], j[k]}; }

    class iterator {
    public:
        iterator(const std::int32_t *i, const std::int32_t *j) noexcept : i_(i), j_(j) {}
        std::pair<std::int32_t, std::int32_t> operator*() const noexcept { return {*i_, *j_}; }
        iterator &operator++() noexcept {
            ++i_, ++j_;
            return *this;
        }
        bool operator!=(const iterator &other) const noexcept { return i_ != other.i_; }

    private:
        const std::int32_t *i_, *j_;
    };
    iterator begin() const noexcept { return {i.begin(), j.begin()}; }
    iterator end() const noexcept { return {i.end(), j.end()}; }
};

/** Rows of neighbors. */
struct neighbors {
    span<const std::int64_t> offsets;
    span<const std::int32_t> ids;

    /** Number of rows. */
    std::size_t size() const noexcept { return offsets.size() - 1; }
    /** Row `i`, counted from 0 whatever the index base. */
    span<const std::int32_t> operator[](std::size_t i) const noexcept {
        return ids.part(static_cast<std::size_t>(offsets[i] - offsets[0]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
};

/** Rows of neighbors that a search gave away: nothing that becomes of the search changes them. It can be moved, not copied. */
class list {
public:
    /** The rows, valid until the list takes others or is destroyed. */
    neargrid::neighbors neighbors() const {
        std::int64_t n = 0, total = 0;
        const std::int64_t *offsets = nullptr;
        const std::int32_t *ids = nullptr;
        check(neargrid_list_view(get(), &n, &total, &offsets, &ids));
        return {{offsets, static_cast<std::size_t>(n + 1)}, {ids, static_cast<std::size_t>(total)}};
    }

    /** The handle; null before the list has taken rows. */
    neargrid_list *get() const noexcept { return handle_.get(); }

private:
    friend class search;

    struct destroy {
        void operator()(neargrid_list *handle) const noexcept { neargrid_list_destroy(handle); }
    };

    std::unique_ptr<neargrid_list, destroy> handle_;
};

/** Rows of neighbors in a cell, and three numbers for each entry: the shift of its image. */
struct images {
    neargrid::neighbors rows;
    span<const std::int32_t> shifts;
};

/** Rows of neighbors of one width, the rest of each filled with the index base minus 1. The first counts[i] of row i are neighbors. */
struct padded {
    std::size_t width;
    std::vector<std::int32_t> ids, counts;
};

/** Systems of points that follow each other: the first point of each and the end of the last, in the index base, a cutoff for each,
 * and boxes with an element for each axis, or none. */
struct systems {
    span<const std::int64_t> firsts;
    span<const double> cutoffs, lo, length;
    span<const std::int32_t> periodic;
};

/** Rows of contacts, from the first point on or none, and where points have other numbers than in another list a global id for each. */
struct contacts {
    span<const std::int64_t> offsets;
    span<const std::int32_t> ids;
    span<const std::int64_t> global_ids;

    contacts() noexcept = default;
    contacts(const neighbors &rows, span<const std::int64_t> global_ids = {}) noexcept
        : offsets(rows.offsets), ids(rows.ids), global_ids(global_ids) {}
    std::int64_t size() const noexcept { return offsets.empty() ? 0 : static_cast<std::int64_t>(offsets.size()) - 1; }
};

/** Values that contacts have in a new list, and the places in the old one of those that are lost, in the index base. */
template <class T>
struct carried {
    std::vector<T> values;
    std::vector<std::int64_t> lost;
};

/** The rows of a pair field, by point numbers or global ids, and `components` values for each entry. */
template <class T, class Id = std::int32_t>
struct pair_values {
    std::int32_t components;
    std::vector<std::int64_t> offsets;
    std::vector<Id> ids;
    std::vector<T> values;
};

/** Radii at which a sum reaches a target, what each is, one of NEARGRID_OUTCOME_*, and how many are not solved. */
template <class T>
struct solved_radii {
    std::vector<T> radii;
    std::vector<neargrid_outcome> outcomes;
    std::int64_t unsolved;
};

/** Rows of `k` neighbors, nearest first. The first counts[i] of row i are neighbors. */
template <class T>
struct nearest {
    std::size_t k;
    span<const std::int32_t> ids;
    span<const T> distances;
    span<const std::int32_t> counts;
};

/** The label of each point, and the number of groups. */
struct groups {
    span<const std::int32_t> labels;
    std::int64_t count;
};

/** A formula with its constants, tables and numbers. */
class formula {
public:
    /** Makes a formula in single precision. `search::info` then says that this is the default. */
    explicit formula(const std::string &text) {
        neargrid_formula *handle = nullptr;
        check(neargrid_formula_create(c_text("text", text), &handle));
        handle_.reset(handle);
    }
    formula(const std::string &text, std::int32_t precision) : formula(text) { set_precision(precision); }

    /** Sets the precision, one of NEARGRID_PRECISION_*. */
    void set_precision(std::int32_t precision) { check(neargrid_formula_set_precision(get(), precision)); }
    void include_self(bool include) { check(neargrid_formula_set_include_self(get(), include)); }

    /** Sets a constant, or a number that a statement makes. */
    void set(const std::string &name, double value) { check(neargrid_formula_set_constant(get(), c_text("name", name), value)); }

    /** Sets a table of values at equal steps from `first` to `last` of a variable, one of NEARGRID_TABLE_*. It is linear between them. */
    void set_table(const std::string &name, std::int32_t of, double first, double last, span<const double> values) {
        check(neargrid_formula_set_table(get(), c_text("name", name), of, first, last, static_cast<std::int64_t>(values.size()),
                                         values.data()));
    }
    /** The same with a cubic spline between the values, of which there must be at least four. */
    void set_cubic_table(const std::string &name, std::int32_t of, double first, double last, span<const double> values) {
        check(neargrid_formula_set_cubic_table(get(), c_text("name", name), of, first, last,
                                               static_cast<std::int64_t>(values.size()), values.data()));
    }

    /** A constant, or the number that a statement has made in the last run. */
    double number(const std::string &name) const {
        double value = 0;
        check(neargrid_formula_number(get(), c_text("name", name), &value));
        return value;
    }

    /** The handle, for all that this class does not do. */
    neargrid_formula *get() const noexcept { return handle_.get(); }

private:
    struct destroy {
        void operator()(neargrid_formula *handle) const noexcept { neargrid_formula_destroy(handle); }
    };

    std::unique_ptr<neargrid_formula, destroy> handle_;
};

/** A type that is deduced from other arguments only, so that an argument of this type may be `nullptr`. */
template <class T>
struct decided {
    using type = T;
};
template <class T>
using of_x = typename decided<T>::type;

/** A neighbor search: settings, points, index and results, reused from call to call. It can be moved, not copied. */
class search {
public:
    search() {
        neargrid_search *handle = nullptr;
        check(neargrid_search_create(NEARGRID_ABI_VERSION, &handle));
        handle_.reset(handle);
    }
    /** A search across the ranks of a communicator, which stays the caller's. */
    explicit search(const neargrid_comm *comm) {
        neargrid_search *handle = nullptr;
        check(neargrid_search_create_across(NEARGRID_ABI_VERSION, comm, &handle));
        handle_.reset(handle);
    }

    void set_cutoff(double cutoff) { check(neargrid_search_set_cutoff(get(), cutoff)); }
    void set_skin(double skin) { check(neargrid_search_set_skin(get(), skin)); }
    void set_knn_within(double radius) { check(neargrid_search_set_knn_within(get(), radius)); }
    void set_tie_rule(std::int32_t rule) { check(neargrid_search_set_tie_rule(get(), rule)); }
    void set_index_base(std::int32_t base) { check(neargrid_search_set_index_base(get(), base)); }
    void set_threads(std::int32_t threads) { check(neargrid_search_set_threads(get(), threads)); }
    void set_backend(std::int32_t backend) { check(neargrid_search_set_backend(get(), backend)); }
    void set_memory_limit(std::int64_t bytes) { check(neargrid_search_set_memory_limit(get(), bytes)); }
    void set_box(span<const double> lo, span<const double> length, span<const std::int32_t> periodic) {
        if (lo.size() != length.size() || lo.size() != periodic.size())
            throw error(NEARGRID_STATUS_BAD_DIM, "lo, length and periodic must have one size");
        check(neargrid_search_set_box(get(), static_cast<std::int32_t>(lo.size()), lo.data(), length.data(), periodic.data()));
    }

    /** Sets a cell of three vectors, one after the other, and which of them are periodic. `images` has its rows. */
    void set_cell(span<const double> vectors, span<const std::int32_t> periodic) {
        same_size("vectors", vectors.size(), 9);
        same_size("periodic", periodic.size(), 3);
        check(neargrid_search_set_cell(get(), vectors.data(), periodic.data()));
    }
    void clear_cell() { check(neargrid_search_set_cell(get(), nullptr, nullptr)); }

    /** The first points are active, and the others ghosts. All are, where `n` is -1. */
    void set_active(std::int64_t n) { check(neargrid_search_set_active(get(), n)); }
    /** The role of each point, one of NEARGRID_ROLE_*; none for all active. */
    void set_roles(span<const std::int32_t> roles) {
        check(neargrid_search_set_roles(get(), count(roles), roles.data(), sizeof(std::int32_t)));
    }
    void set_ghost_rows(std::int32_t which) { check(neargrid_search_set_ghost_rows(get(), which)); }
    void set_ghost_pairs(std::int32_t which) { check(neargrid_search_set_ghost_pairs(get(), which)); }
    /** A global id for each point; none for none. */
    void set_ids(span<const std::int64_t> ids) { check(neargrid_search_set_ids(get(), count(ids), ids.data(), sizeof(std::int64_t))); }
    /** The type of each point, and a square table of which types interact; none for none. */
    void set_types(span<const std::int32_t> types, std::int32_t ntypes, span<const std::int32_t> mask) {
        if (!types.empty()) same_size("mask", mask.size(), square(ntypes));
        check(neargrid_search_set_types(get(), count(types), types.data(), sizeof(std::int32_t), ntypes, mask.data()));
    }
    /** A symmetric table of the cutoffs of pairs of types, 0 for types that are no neighbors; 0 types for one cutoff. */
    void set_type_cutoffs(std::int32_t ntypes, span<const double> cutoffs) {
        same_size("cutoffs", cutoffs.size(), square(ntypes));
        check(neargrid_search_set_type_cutoffs(get(), ntypes, cutoffs.data()));
    }
    /** The points that each point does not list, and the class of each pair, or 1 for all. With `shifts`, three numbers for each element of
        a row, of each point only the image in a cell by that shift. */
    void set_exclusions(const neargrid::neighbors &rows, span<const std::int32_t> classes = {},
                        span<const std::int32_t> shifts = {}) {
        check_rows(rows);
        if (rows.offsets.empty()) return clear_exclusions();
        if (!classes.empty()) same_size("classes", classes.size(), rows.ids.size());
        if (!shifts.empty()) same_size("shifts", shifts.size(), 3 * rows.ids.size());
        check(neargrid_search_set_exclusions_shifts(get(), contacts(rows).size(), rows.offsets.data(), rows.ids.data(),
                                                    shifts.empty() ? nullptr : shifts.data(),
                                                    classes.empty() ? nullptr : classes.data()));
    }
    void clear_exclusions() { check(neargrid_search_set_exclusions(get(), 0, nullptr, nullptr, nullptr)); }
    /** A radius for each point, and the rule for the cutoff of two, one of NEARGRID_RADIUS_*. */
    template <class T>
    void set_radii(span<const T> radii, std::int32_t rule) {
        set_radii(NEARGRID_OF_POINTS, radii, rule);
    }
    /** A radius for each query. */
    template <class T>
    void set_query_radii(span<const T> radii) {
        set_radii(NEARGRID_OF_QUERIES, radii, NEARGRID_RADIUS_GATHER);
    }
    void clear_radii() {
        for (std::int32_t of : {NEARGRID_OF_POINTS, NEARGRID_OF_QUERIES})
            check(neargrid_search_set_radii_f64(get(), of, 0, nullptr, 0, NEARGRID_RADIUS_GATHER));
    }

    /** Copies `n` points whose `dim` coordinates are together. */
    template <class T>
    void set_points(std::int32_t dim, std::int64_t n, const T *coordinates) {
        const bases<T> a(dim, coordinates);
        set_points(dim, n, a.x, a.y, a.z, a.stride);
    }
    /** Copies `n` points from an array for each axis, with `stride` bytes from one point to the next. Axes that the points do not
     * have are `nullptr`. */
    template <class T>
    void set_points(std::int32_t dim, std::int64_t n, const T *x, of_x<const T *> y, of_x<const T *> z,
                    std::int64_t stride = sizeof(T)) {
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_points_f32(get(), dim, n, x, y, z, stride));
        else
            check(neargrid_search_set_points_f64(get(), dim, n, x, y, z, stride));
    }
    /** Copies queries, as `set_points` does. */
    template <class T>
    void set_queries(std::int32_t dim, std::int64_t n, const T *coordinates) {
        const bases<T> a(dim, coordinates);
        set_queries(dim, n, a.x, a.y, a.z, a.stride);
    }
    /** Copies queries from an array for each axis, as `set_points` does. */
    template <class T>
    void set_queries(std::int32_t dim, std::int64_t n, const T *x, of_x<const T *> y, of_x<const T *> z,
                     std::int64_t stride = sizeof(T)) {
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_queries_f32(get(), dim, n, x, y, z, stride));
        else
            check(neargrid_search_set_queries_f64(get(), dim, n, x, y, z, stride));
    }

    std::int64_t count_pairs() {
        std::int64_t n = 0;
        check(neargrid_pairs_count(get(), &n));
        return n;
    }
    neargrid::pairs pairs() {
        std::int64_t n = 0;
        const std::int32_t *i = nullptr, *j = nullptr;
        check(neargrid_pairs_view(get(), &n, &i, &j));
        return {{i, static_cast<std::size_t>(n)}, {j, static_cast<std::size_t>(n)}};
    }
    neargrid::neighbors neighbors(std::int32_t kind = NEARGRID_NEIGHBORS_FULL) {
        std::int64_t n = 0, total = 0;
        const std::int64_t *offsets = nullptr;
        const std::int32_t *ids = nullptr;
        check(neargrid_neighbors_view(get(), kind, &n, &total, &offsets, &ids));
        return {{offsets, static_cast<std::size_t>(n + 1)}, {ids, static_cast<std::size_t>(total)}};
    }
    /** Moves the rows into a list, which keeps them. Two lists that take turns allocate nothing once they are large enough. */
    void take_neighbors(list &list, std::int32_t kind = NEARGRID_NEIGHBORS_FULL) {
        neargrid_list *handle = list.get();
        check(neargrid_neighbors_take(get(), kind, &handle));
        if (handle != list.get()) list.handle_.reset(handle);
    }
    /** Moves rows by several cutoffs into lists, one for each. */
    void take_neighbors_by_cutoffs(span<list> lists, span<const double> cutoffs, std::int32_t kind = NEARGRID_NEIGHBORS_FULL) {
        same_size_or_refuse("lists", lists.size(), cutoffs.size());
        std::vector<neargrid_list *> handles;
        for (const list &list : lists) handles.push_back(list.get());
        check(neargrid_neighbors_take_by_cutoffs(get(), kind, count(cutoffs), cutoffs.data(), handles.data()));
        for (std::size_t k = 0; k < lists.size(); k++)
            if (handles[k] != lists[k].get()) lists[k].handle_.reset(handles[k]);
    }
    /** The rows, copied to one width: that of the longest, or more. */
    neargrid::padded padded_neighbors(std::int32_t kind = NEARGRID_NEIGHBORS_FULL, std::size_t width = 0) {
        const std::int64_t n = counter(kind == NEARGRID_NEIGHBORS_QUERIES ? NEARGRID_COUNTER_QUERIES : NEARGRID_COUNTER_POINTS);
        neargrid::padded made{width, {}, std::vector<std::int32_t>(static_cast<std::size_t>(n))};
        for (;;) {
            made.ids.resize(static_cast<std::size_t>(n) * made.width);
            std::int64_t longest = 0;
            const neargrid_status status = neargrid_neighbors_padded(get(), kind, n, static_cast<std::int64_t>(made.width), &longest,
                                                                     made.ids.data(), made.counts.data());
            if (status != NEARGRID_STATUS_CAPACITY) {
                check(status);
                return made;
            }
            made.width = static_cast<std::size_t>(longest);
        }
    }
    /** Counts neighbors in bins of distance, from an edge on and below the next. */
    std::vector<std::int64_t> histogram(span<const double> edges, std::int32_t kind = NEARGRID_NEIGHBORS_HALF) {
        std::vector<std::int64_t> counts(edges.empty() ? 0 : edges.size() - 1);
        check(neargrid_neighbors_histogram(get(), kind, count(span<const std::int64_t>(counts)), edges.data(), counts.data()));
        return counts;
    }
    /** The rows of neighbors in a cell, with all images. */
    neargrid::images images(std::int32_t kind = NEARGRID_NEIGHBORS_FULL) {
        std::int64_t n = 0, total = 0;
        const std::int64_t *offsets = nullptr;
        const std::int32_t *ids = nullptr, *shifts = nullptr;
        check(neargrid_images_view(get(), kind, &n, &total, &offsets, &ids, &shifts));
        const auto entries = static_cast<std::size_t>(total);
        return {{{offsets, static_cast<std::size_t>(n + 1)}, {ids, entries}}, {shifts, 3 * entries}};
    }
    /** Rows of many systems of points, whose `dim` coordinates are together. */
    template <class T>
    neargrid::neighbors systems(std::int32_t dim, span<const T> coordinates, const neargrid::systems &systems,
                                std::int32_t kind = NEARGRID_NEIGHBORS_FULL) {
        const auto axes = static_cast<std::size_t>(dim > 0 ? dim : 0), boxes = systems.cutoffs.size() * axes;
        same_size("firsts", systems.firsts.size(), systems.cutoffs.size() + 1);
        std::int64_t base = systems.firsts[0], n = systems.firsts[systems.cutoffs.size()] - base;
        same_size("coordinates", coordinates.size(), n > 0 ? static_cast<std::size_t>(n) * axes : 0);
        const bool are_open = systems.periodic.empty();
        same_size("lo", systems.lo.size(), are_open ? 0 : boxes);
        same_size("length", systems.length.size(), are_open ? 0 : boxes);
        same_size("periodic", systems.periodic.size(), are_open ? 0 : boxes);
        const double *lo = are_open ? nullptr : systems.lo.data(), *length = are_open ? nullptr : systems.length.data();
        const std::int32_t *periodic = are_open ? nullptr : systems.periodic.data(), *ids = nullptr;
        const bases<T> a(dim, coordinates.data());
        const std::int64_t *offsets = nullptr;
        const std::int64_t nsystems = count(systems.cutoffs);
        std::int64_t total = 0;
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_systems_view_f32(get(), kind, dim, nsystems, systems.firsts.data(), a.x, a.y, a.z, a.stride, systems.cutoffs.data(),
                                            lo, length, periodic, &total, &offsets, &ids));
        else
            check(neargrid_systems_view_f64(get(), kind, dim, nsystems, systems.firsts.data(), a.x, a.y, a.z, a.stride, systems.cutoffs.data(),
                                            lo, length, periodic, &total, &offsets, &ids));
        return {{offsets, static_cast<std::size_t>(n + 1)}, {ids, static_cast<std::size_t>(total)}};
    }
    /** Carries `columns` values of each contact from one list to another. A column with the sign -1 changes it where a pair is turned. */
    template <class T>
    carried<T> carry(const contacts &from, span<const T> values, const contacts &to, std::int64_t columns = 1,
                     span<const std::int32_t> signs = {}) const {
        check_rows(from);
        check_rows(to);
        if (!signs.empty()) same_size("signs", signs.size(), static_cast<std::size_t>(columns));
        if (columns >= 0) same_size("values", values.size(), from.ids.size() * static_cast<std::size_t>(columns));
        const std::int64_t first = from.offsets.empty() ? 0 : from.offsets[0], to_first = to.offsets.empty() ? 0 : to.offsets[0];
        const auto width = static_cast<std::size_t>(columns > 0 ? columns : 0);
        carried<T> made{std::vector<T>(to.ids.size() * width), std::vector<std::int64_t>(from.ids.size())};
        std::int64_t lost = 0;
        const auto call = [&](auto function) {
            check(function(get(), first, from.size(), from.offsets.data(), from.ids.data(), count(from.global_ids),
                           from.global_ids.data(), to_first, to.size(), to.offsets.data(), to.ids.data(), count(to.global_ids),
                           to.global_ids.data(), columns, signs.empty() ? nullptr : signs.data(), values.data(), made.values.data(),
                           &lost, made.lost.data()));
        };
        if constexpr (std::is_same_v<T, float>)
            call(neargrid_carry_f32);
        else
            call(neargrid_carry_f64);
        made.lost.resize(static_cast<std::size_t>(lost));
        return made;
    }
    template <class T>
    neargrid::nearest<T> knn(std::int32_t k, std::int32_t kind = NEARGRID_KNN_OTHERS,
                             std::int32_t measure = NEARGRID_MEASURE_DISTANCE) {
        std::int64_t n = 0;
        const std::int32_t *ids = nullptr, *counts = nullptr;
        const T *distances = nullptr;
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_knn_view_f32(get(), kind, k, measure, &n, &ids, &distances, &counts));
        else
            check(neargrid_knn_view_f64(get(), kind, k, measure, &n, &ids, &distances, &counts));
        const auto rows = static_cast<std::size_t>(n), width = static_cast<std::size_t>(k);
        return {width, {ids, rows * width}, {distances, rows * width}, {counts, rows}};
    }
    neargrid::groups fof() {
        std::int64_t n = 0, count = 0;
        const std::int32_t *labels = nullptr;
        check(neargrid_fof_view(get(), &n, &labels, &count));
        return {{labels, static_cast<std::size_t>(n)}, count};
    }
    /** Sets a field: `components` numbers for each point, those of a point together. The search copies them. */
    template <class T>
    void set_field(const std::string &name, span<const T> values, std::int32_t components = 1) {
        set_field(NEARGRID_OF_POINTS, name, values, components);
    }
    /** Sets the values that a field has for queries. */
    template <class T>
    void set_query_field(const std::string &name, span<const T> values, std::int32_t components = 1) {
        set_field(NEARGRID_OF_QUERIES, name, values, components);
    }
    /** Sets a pair field: `components` values for each entry of rows. The search copies them. */
    template <class T>
    void set_pair_field(const std::string &name, const contacts &rows, span<const T> values, std::int32_t components = 1) {
        check_rows(rows);
        if (components > 0) same_size("values", values.size(), rows.ids.size() * static_cast<std::size_t>(components));
        const std::int64_t *offsets = rows.offsets.data();
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_pair_field_f32(get(), c_text("name", name), components, rows.size(), offsets, rows.ids.data(),
                                                     values.data()));
        else
            check(neargrid_search_set_pair_field_f64(get(), c_text("name", name), components, rows.size(), offsets, rows.ids.data(),
                                                     values.data()));
    }
    /** The same by rows of global ids, each of which ascends. */
    template <class T>
    void set_pair_field_by_ids(const std::string &name, span<const std::int64_t> offsets, span<const std::int64_t> ids,
                               span<const T> values, std::int32_t components = 1) {
        same_size_or_refuse("ids", ids.size(),
                            offsets.empty() ? 0 : static_cast<std::size_t>(offsets[offsets.size() - 1] - offsets[0]));
        if (components > 0) same_size_or_refuse("values", values.size(), ids.size() * static_cast<std::size_t>(components));
        const std::int64_t n = offsets.empty() ? 0 : count(offsets) - 1;
        const char *const spelled = c_text_or_refuse("name", name);
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_pair_field_by_ids_f32(get(), spelled, components, n, offsets.data(), ids.data(),
                                                            values.data()));
        else
            check(neargrid_search_set_pair_field_by_ids_f64(get(), spelled, components, n, offsets.data(), ids.data(),
                                                            values.data()));
    }
    /** A pair field that was set or that a formula has made. */
    template <class T>
    pair_values<T> pair_field(const std::string &name) const {
        if constexpr (std::is_same_v<T, float>)
            return pair_field<T, std::int32_t>(name, neargrid_pair_field_copy_f32);
        else
            return pair_field<T, std::int32_t>(name, neargrid_pair_field_copy_f64);
    }
    /** The same by global ids. */
    template <class T>
    pair_values<T, std::int64_t> pair_field_by_ids(const std::string &name) const {
        if constexpr (std::is_same_v<T, float>)
            return pair_field<T, std::int64_t>(name, neargrid_pair_field_copy_ids_f32);
        else
            return pair_field<T, std::int64_t>(name, neargrid_pair_field_copy_ids_f64);
    }
    /** Finds the smallest radius of each active point, or query, at which a sum that the formula makes reaches a target. */
    template <class T>
    neargrid::solved_radii<T> solve_radii(formula &formula, const std::string &field, double target, double smallest, double largest,
                                          double tolerance = 1e-6, std::int64_t max_iterations = 100,
                                          std::int32_t kind = NEARGRID_NEIGHBORS_FULL) {
        const std::int64_t rows = counter(kind == NEARGRID_NEIGHBORS_QUERIES ? NEARGRID_COUNTER_QUERIES : NEARGRID_COUNTER_POINTS);
        const auto room = static_cast<std::size_t>(rows);
        neargrid::solved_radii<T> made{std::vector<T>(room), std::vector<neargrid_outcome>(room), 0};
        std::int64_t n = 0;
        const char *const spelled = c_text_or_refuse("field", field);
        const auto call = [&](auto function) {
            check(function(get(), formula.get(), kind, spelled, target, smallest, largest, tolerance, max_iterations, rows, &n,
                           made.radii.data(), made.outcomes.data(), &made.unsolved));
        };
        if constexpr (std::is_same_v<T, float>)
            call(neargrid_solve_radii_f32);
        else
            call(neargrid_solve_radii_f64);
        made.radii.resize(static_cast<std::size_t>(n));
        made.outcomes.resize(static_cast<std::size_t>(n));
        return made;
    }
    /** Runs a formula over the rows of a kind, as often as `times` says. */
    void run(formula &formula, std::int32_t kind = NEARGRID_NEIGHBORS_FULL, std::int64_t times = 1) {
        check(neargrid_search_run(get(), formula.get(), kind, times));
    }
    /** A field that was set or that a formula has made, a number or a vector for each point; `x` is that of the points. */
    template <class T>
    std::vector<T> field(const std::string &name) const {
        return field<T>(NEARGRID_OF_POINTS, name);
    }
    /** The same of queries. */
    template <class T>
    std::vector<T> query_field(const std::string &name) const {
        return field<T>(NEARGRID_OF_QUERIES, name);
    }

    std::int64_t counter(std::int32_t which) const {
        std::int64_t value = 0;
        check(neargrid_search_counter(get(), which, &value));
        return value;
    }
    /** The way that the last query ran, and why. */
    std::string info() const {
        std::size_t length = 0;
        check(neargrid_search_info(get(), nullptr, 0, &length));
        std::string text(length + 1, '\0');
        check(neargrid_search_info(get(), &text[0], text.size(), &length));
        text.resize(length);
        return text;
    }

    /** The handle, for all that this class does not do. */
    neargrid_search *get() const noexcept { return handle_.get(); }

private:
    struct destroy {
        void operator()(neargrid_search *handle) const noexcept { neargrid_search_destroy(handle); }
    };

    template <class T>
    static std::int64_t count(span<T> values) noexcept {
        return static_cast<std::int64_t>(values.size());
    }
    static std::size_t square(std::int32_t n) noexcept {
        return n > 0 ? static_cast<std::size_t>(n) * static_cast<std::size_t>(n) : 0;
    }
    /** The addresses of axes that are interleaved in one array, and the bytes from one point to the next. */
    template <class T>
    struct bases {
        bases(std::int32_t dim, const T *base) noexcept : x(base), stride(dim * static_cast<std::int64_t>(sizeof(T))) {
            if (base != nullptr) y = base + (dim > 1), z = base + 2 * (dim > 2);
        }

        const T *x, *y = nullptr, *z = nullptr;
        std::int64_t stride;
    };
    /** Runs `test` before a collective call. If it throws, the call fails on all ranks. */
    template <class F>
    auto or_refuse(F test) {
        try {
            return test();
        } catch (const error &wrong) {
            check(neargrid_search_refuse(get(), wrong.status(), wrong.what()));
            throw;
        }
    }
    void same_size_or_refuse(const char *name, std::size_t size, std::size_t wanted) {
        or_refuse([&] { same_size(name, size, wanted); });
    }
    const char *c_text_or_refuse(const char *name, const std::string &text) {
        return or_refuse([&] { return c_text(name, text); });
    }
    /** Refuses rows that do not have as many ids as their offsets say. */
    static void check_rows(const contacts &rows) {
        const auto n = static_cast<std::size_t>(rows.size());
        same_size("ids", rows.ids.size(), n > 0 ? static_cast<std::size_t>(rows.offsets[n] - rows.offsets[0]) : 0);
    }

    template <class T>
    void set_radii(std::int32_t of, span<const T> radii, std::int32_t rule) {
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_radii_f32(get(), of, count(radii), radii.data(), sizeof(T), rule));
        else
            check(neargrid_search_set_radii_f64(get(), of, count(radii), radii.data(), sizeof(T), rule));
    }

    template <class T>
    void set_field(std::int32_t of, const std::string &name, span<const T> values, std::int32_t components) {
        const auto width = static_cast<std::size_t>(components > 0 ? components : 1); // the library refuses others
        if (values.size() % width != 0)
            throw error(NEARGRID_STATUS_BAD_COUNT, "size of values = " + std::to_string(values.size()) +
                                                       " is not allowed: it must be a multiple of components = " + std::to_string(width));
        const auto n = static_cast<std::int64_t>(values.size() / width);
        const bases<T> a(components, values.data());
        const char *const spelled = c_text("name", name);
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_field_f32(get(), spelled, of, components, n, a.x, a.y, a.z, a.stride));
        else
            check(neargrid_search_set_field_f64(get(), spelled, of, components, n, a.x, a.y, a.z, a.stride));
    }

    template <class T>
    std::vector<T> field(std::int32_t of, const std::string &name) const {
        std::int32_t components = 0;
        std::int64_t n = 0;
        const char *const spelled = c_text("name", name);
        check(neargrid_field_size(get(), spelled, of, &components, &n));
        std::vector<T> values(static_cast<std::size_t>(components * n));
        T *x = values.data(), *y = x + (components > 1), *z = x + 2 * (components > 2);
        const std::int64_t stride = components * static_cast<std::int64_t>(sizeof(T));
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_field_copy_f32(get(), spelled, of, components, n, x, y, z, stride));
        else
            check(neargrid_field_copy_f64(get(), spelled, of, components, n, x, y, z, stride));
        return values;
    }

    template <class T, class Id, class Copy>
    pair_values<T, Id> pair_field(const std::string &name, Copy copy) const {
        pair_values<T, Id> made{};
        std::int64_t n = 0, entries = 0;
        const char *const spelled = c_text("name", name);
        check(neargrid_pair_field_size(get(), spelled, &made.components, &n, &entries));
        made.offsets.resize(static_cast<std::size_t>(n + 1));
        made.ids.resize(static_cast<std::size_t>(entries));
        made.values.resize(static_cast<std::size_t>(entries * made.components));
        check(copy(get(), spelled, made.components, n, entries, made.offsets.data(), made.ids.data(), made.values.data()));
        return made;
    }

    std::unique_ptr<neargrid_search, destroy> handle_;
};

}  // namespace neargrid

#endif
