//! Structs of shaders against their twins in Rust, and against structs of other shaders for the same buffer.

use core::mem::offset_of;
use std::collections::BTreeMap;

use wgpu::naga::{Module, ScalarKind, TypeInner};

use super::{Form, read, rust_constant, stages};
use crate::gpu::fof::Linking;
use crate::gpu::kernels::Slot;
use crate::gpu::knn::KnnInputs;
use crate::gpu::params::{BLOCKS_BEGIN, BLOCKS_HEAD_BYTES, BLOCKS_ROUND, BLOCKS_WORDS, Chunk, Params, SHAPE_BYTES};
use crate::gpu::scopes::Scopes;
use crate::gpu::stages::Shape;
use crate::gpu::sum::first_constant;
use crate::gpu::ztree::{Tree, Zorder};

/// The contents of a member: a number of 32-bit scalars of one kind; 0 for an array.
trait Scalars {
    const SCALARS: (ScalarKind, u32);
}

impl Scalars for u32 {
    const SCALARS: (ScalarKind, u32) = (ScalarKind::Uint, 1);
}

impl Scalars for i32 {
    const SCALARS: (ScalarKind, u32) = (ScalarKind::Sint, 1);
}

impl Scalars for f32 {
    const SCALARS: (ScalarKind, u32) = (ScalarKind::Float, 1);
}

impl<const N: usize> Scalars for [u32; N] {
    const SCALARS: (ScalarKind, u32) = (ScalarKind::Uint, N as u32);
}

impl<const N: usize> Scalars for [f32; N] {
    const SCALARS: (ScalarKind, u32) = (ScalarKind::Float, N as u32);
}

fn scalars<S, T: Scalars>(_: impl Fn(&S) -> T) -> (ScalarKind, u32) {
    T::SCALARS
}

/// The place and the contents of each member.
type Layout = BTreeMap<String, (usize, (ScalarKind, u32))>;

macro_rules! layout {
    ($twin:ident: $($member:ident),*) => {
        Layout::from([$((
            stringify!($member).to_owned(),
            (offset_of!($twin, $member), scalars(|twin: &$twin| twin.$member)),
        )),*])
    };
}

/// Bytes and members of the struct `name`, those kept for later left out.
fn layout(module: &Module, name: &str) -> (usize, Layout) {
    let mut types = module.types.iter().map(|(_, ty)| ty);
    let ty = types
        .find(|ty| ty.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no struct {name}"));
    let TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is not a struct");
    };
    let scalars = |ty| match module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => (scalar.kind, 1),
        TypeInner::Vector { size, scalar } => (scalar.kind, size as u32),
        TypeInner::Array { base, .. } => (module.types[base].inner.scalar_kind().unwrap_or(ScalarKind::Uint), 0),
        ref other => panic!("{name} has a member that no Rust twin can have: {other:?}"),
    };
    let named = members.iter().map(|member| {
        let name = member.name.clone().unwrap_or_default();
        (name, (member.offset as usize, scalars(member.ty)))
    });
    (
        *span as usize,
        named.filter(|(name, _)| !name.starts_with("reserved")).collect(),
    )
}

#[test]
fn layouts() {
    let params = layout!(Params: points, dim, words, shift, bound, lower, upper, multiplier, reach, most_cells, full, base,
        every_block, most_blocks, shares, period_low, mask_words, period_high, again, length_low, length_high, rule,
        exclusive, planes_low, planes_high, origin_low, slack, origin_high, top, lo_low, direct, lo_high, splits, most_windows, spare_words,
        room, id_bits, lower_ghosts);
    let chunk = layout!(Chunk: start, end);
    let shape =
        layout!(Shape: origin_low, cells, origin_high, verify, dims, folds, multiplier, wraps, width, by_integers);
    let linking = layout!(Linking: period_high, radius, period_low, slack, share, around, border);
    let mut tree = layout!(Tree: points, first, blocks, planes, unit, nodes, places);
    let zorder = layout!(Zorder: magnitude, differs, signs, crowd, saturated, top, bottom, sign, rounds, shift, plane, windows,
        drops, sorted);
    let asked = layout!(KnnInputs: queries, first, k, row, end, selves, query_nodes, budget, band, wide_band, all, query_places,
        period_high, finite, period_low, infinite, within);
    let array = (ScalarKind::Uint, 0);
    tree.insert("firsts".to_owned(), (offset_of!(Tree, firsts), array));
    tree.insert("counts".to_owned(), (offset_of!(Tree, counts), array));
    assert_eq!(size_of::<Shape>() as u64, SHAPE_BYTES);
    let classes = [("scopes", 0), ("of_points", size_of::<Scopes>())];
    let classes = classes.map(|(name, at)| (name.to_owned(), (at, array))).into();
    for (file, twin) in [
        ("shared/params", ("Params", size_of::<Params>(), &params)),
        ("shared/chunk", ("Chunk", size_of::<Chunk>(), &chunk)),
        ("shared/shape", ("Shape", size_of::<Shape>(), &shape)),
        ("shared/linking", ("Linking", size_of::<Linking>(), &linking)),
        ("shared/tree", ("Tree", size_of::<Tree>(), &tree)),
        ("shared/zorder", ("Zorder", size_of::<Zorder>(), &zorder)),
        ("shared/knn", ("Knn", size_of::<KnnInputs>(), &asked)),
        // A struct that ends in an array spans one element of it, rounded up to the largest alignment.
        ("scope", ("Classes", size_of::<Scopes>() + 16, &classes)),
    ] {
        let (module, _) = read(file, Form::default());
        let (name, bytes, members) = twin;
        assert_eq!(layout(module, name), (bytes, members.clone()), "{name}: WGSL, Rust");
    }
}

/// A name that several shaders use in one buffer has one place, and the host looks for it there.
#[test]
fn buffers() {
    let mut known = BTreeMap::new();
    for (&(_, file, ..), form) in stages() {
        let (module, _) = read(file, form);
        for (_, variable) in module.global_variables.iter() {
            let (ty, binding) = (&module.types[variable.ty], variable.binding.as_ref());
            let (Some(binding), TypeInner::Struct { .. }) = (binding, &ty.inner) else {
                continue;
            };
            for (member, (at, scalars)) in layout(module, ty.name.as_deref().unwrap()).1 {
                if member == "divisors" {
                    continue; // after as many numbers as the formula has
                }
                if member == "uniforms" {
                    let size = if form.real64 { 8 } else { 4 };
                    assert_eq!(at as u64, first_constant(size), "{file}");
                    continue;
                }
                let place = (binding.binding, member);
                let &mut (other_at, other, other_file) = known.entry(place.clone()).or_insert((at, scalars, file));
                assert_eq!((at, scalars), (other_at, other), "{place:?}: {file}, {other_file}");
            }
        }
    }
    let radii = include_str!("../radii.rs");
    for (slot, member, at) in [
        (Slot::Far, "workgroups", rust_constant(radii, "FAR_WORKGROUPS")),
        (
            Slot::Far,
            "direct_workgroups",
            rust_constant(radii, "DIRECT_WORKGROUPS"),
        ),
        (Slot::Far, "teams", rust_constant(radii, "FAR_HEAD_BYTES")),
        (Slot::Far, "long_workgroups", rust_constant(radii, "LONG_WORKGROUPS")),
        (Slot::Direct, "rows", rust_constant(radii, "DIRECT_HEAD_BYTES")),
        (Slot::Rows, "numbers", rust_constant(radii, "ROWS_HEAD_BYTES")),
        (Slot::Doubts, "workgroups", 0),
        (Slot::Blocks, "begin", BLOCKS_BEGIN),
        (Slot::Blocks, "next", BLOCKS_BEGIN + 4),
        (Slot::Blocks, "words", BLOCKS_WORDS),
        (Slot::Blocks, "round", BLOCKS_ROUND),
        (Slot::Blocks, "entries", BLOCKS_HEAD_BYTES),
    ] {
        let found = known[&(slot as u32, member.to_owned())].0;
        assert_eq!(found as u64, at, "{member} of {slot:?}");
    }
}
