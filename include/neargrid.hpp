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

/** A formula with its constants and numbers. */
class formula {
public:
    explicit formula(const std::string &text, std::int32_t precision = NEARGRID_PRECISION_SINGLE) {
        neargrid_formula *handle = nullptr;
        check(neargrid_formula_create(text.c_str(), &handle));
        handle_.reset(handle);
        check(neargrid_formula_set_precision(handle, precision));
    }

    void include_self(bool include) { check(neargrid_formula_set_include_self(get(), include)); }

    /** Sets a constant, or a number that a statement makes. */
    void set(const std::string &name, double value) { check(neargrid_formula_set_constant(get(), name.c_str(), value)); }

    /** A constant, or the number that a statement has made in the last run. */
    double number(const std::string &name) const {
        double value = 0;
        check(neargrid_formula_number(get(), name.c_str(), &value));
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

/** A neighbor search: settings, points, index and results, reused from call to call. It can be moved, not copied. */
class search {
public:
    search() {
        neargrid_search *handle = nullptr;
        check(neargrid_search_create(NEARGRID_ABI_VERSION, &handle));
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

    /** Copies `n` points whose `dim` coordinates are together. */
    template <class T>
    void set_points(std::int32_t dim, std::int64_t n, const T *coordinates) {
        const T *x = coordinates;
        set_points(dim, n, x, x + (dim > 1), x + 2 * (dim > 2), dim * static_cast<std::int64_t>(sizeof(T)));
    }
    /** Copies `n` points from an array for each axis, with `stride` bytes from one point to the next. */
    template <class T>
    void set_points(std::int32_t dim, std::int64_t n, const T *x, const T *y, const T *z, std::int64_t stride = sizeof(T)) {
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_points_f32(get(), dim, n, x, y, z, stride));
        else
            check(neargrid_search_set_points_f64(get(), dim, n, x, y, z, stride));
    }
    /** Copies queries, as `set_points` does. */
    template <class T>
    void set_queries(std::int32_t dim, std::int64_t n, const T *coordinates) {
        const T *x = coordinates, *y = x + (dim > 1), *z = x + 2 * (dim > 2);
        const std::int64_t stride = dim * static_cast<std::int64_t>(sizeof(T));
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
    void set_field(std::int32_t of, const std::string &name, span<const T> values, std::int32_t components) {
        const std::int64_t n = components > 0 ? static_cast<std::int64_t>(values.size()) / components : 0;
        const T *x = values.data(), *y = x + (components > 1), *z = x + 2 * (components > 2);
        const std::int64_t stride = components * static_cast<std::int64_t>(sizeof(T));
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_search_set_field_f32(get(), name.c_str(), of, components, n, x, y, z, stride));
        else
            check(neargrid_search_set_field_f64(get(), name.c_str(), of, components, n, x, y, z, stride));
    }

    template <class T>
    std::vector<T> field(std::int32_t of, const std::string &name) const {
        std::int32_t components = 0;
        std::int64_t n = 0;
        check(neargrid_field_size(get(), name.c_str(), of, &components, &n));
        std::vector<T> values(static_cast<std::size_t>(components * n));
        T *x = values.data(), *y = x + (components > 1), *z = x + 2 * (components > 2);
        const std::int64_t stride = components * static_cast<std::int64_t>(sizeof(T));
        if constexpr (std::is_same_v<T, float>)
            check(neargrid_field_copy_f32(get(), name.c_str(), of, components, n, x, y, z, stride));
        else
            check(neargrid_field_copy_f64(get(), name.c_str(), of, components, n, x, y, z, stride));
        return values;
    }

    std::unique_ptr<neargrid_search, destroy> handle_;
};

}  // namespace neargrid

#endif
