// Radial tables: linear ones, and cubic splines.
@group(0) @binding(53) var<storage, read> tables: array<Number>;

// The step of a table's argument, and the part of it that is before the argument, for a table of `steps` + 1 values, the first and last
// of which are at `first` and `last`. It is that of `Table::place` in `src/formula/tables.rs`.
fn table_place(x: Number, last: Number, first: Number, scale: Number, steps: Number) -> vec2<Number> {
    var place = (x - first) * scale;
    place = select(Number(0.0), place, is_less(Number(0.0), place));
    place = select(steps, place, place < steps && is_less(x, last));
    let below = floor(place);
    return vec2(below, place - below);
}

// The value of a linear table: that of `Table::linear`.
fn table_value(at: u32, x: Number, last: Number, first: Number, scale: Number, steps: Number) -> Number {
    let place = table_place(x, last, first, scale, steps);
    let part = place.y;
    let between = !is_zero(part);
    let k = at + u32(place.x);
    let y = tables[k];
    let z = tables[k + u32(between)]; // not beyond the last
    let step = z - y;
    let value = select(y * (Number(1.0) - part) + z * part, y + part * step, is_finite(step));
    return select(y, value, between);
}

// The value of a cubic table, whose values are the first numbers of polynomials: that of `Table::cubic`.
fn spline_value(at: u32, x: Number, last: Number, first: Number, scale: Number, steps: Number) -> Number {
    let place = table_place(x, last, first, scale, steps);
    let part = place.y;
    let k = at + 4u * u32(place.x);
    let y = tables[k];
    let value = y + part * (tables[k + 1u] + part * (tables[k + 2u] + part * tables[k + 3u]));
    return select(value, y, is_zero(part));
}
