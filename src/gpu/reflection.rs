//! Compares the shaders, as naga reads them, with the Rust code that feeds them. Needs no device.
//!
//! in: `shaders/` as compiled in; out: failures where files, bindings, layouts or constants disagree.

mod drivers;
mod formula;
mod layouts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Expression, Function, Literal, Module, ShaderStage, front};

use super::dispatch::ROW;
use super::kernels::{self, Family, Row, STAGE_TABLE, Slot, Stage};
use super::params::SCAN_BLOCK;
use super::params::{BLOCK_ROWS, BLOCK_WORDS, LEAF, SHARES};
use super::scopes::NO_SCOPE;
use super::shader::{self, Form, Piece};
use crate::radii::RadiusRule;
use crate::search::MAX_K;

/// A stage's whole source; where a formula is imported, one with all operations, for points of real64 if the form is wide.
fn expand(file: &str, form: Form) -> String {
    static PIECES: Mutex<BTreeMap<[bool; 5], &[Piece]>> = Mutex::new(BTreeMap::new());
    let mut pieces = PIECES.lock().unwrap();
    let of_points = ["each_point", "shared/totals", "shared/digits", "shared/wrapped"].contains(&file);
    let pieces = pieces
        .entry([form.wide, form.periodic, form.radii, form.real64, of_points])
        .or_insert_with_key(|&of| formula::sample(of).leak());
    shader::expand_with(file, form, pieces)
        .unwrap_or_else(|| panic!("src/gpu/shader.rs lacks {file} or what it imports"))
}

/// A stage's whole source, valid for a device that has nothing optional, except for forms that are not taken there. Each text is read once: many forms have the same.
fn read(file: &str, form: Form) -> &'static (Module, ModuleInfo) {
    static MODULES: Mutex<BTreeMap<String, &(Module, ModuleInfo)>> = Mutex::new(BTreeMap::new());
    let source = expand(file, form);
    if let Some(module) = MODULES.lock().unwrap().get(&source) {
        return module;
    }
    let module = &*Box::leak(Box::new(valid(&source, form, file)));
    MODULES.lock().unwrap().insert(source, module);
    module
}

/// A source as a module.
fn valid(source: &str, form: Form, file: &str) -> (Module, ModuleInfo) {
    let module =
        front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{file}: {}", error.emit_to_string(source)));
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::SUBGROUP, form.subgroups);
    capabilities.set(Capabilities::FLOAT64 | Capabilities::SHADER_INT64, form.doubles);
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{file}: {}", error.emit_to_string(source)));
    (module, info)
}

/// Every stage in every form.
fn stages() -> impl Iterator<Item = (&'static Row, Form)> {
    let families = [
        Family::Pairs,
        Family::Radii,
        Family::Ztree,
        Family::Knn,
        Family::Groups,
        Family::Sums,
    ];
    families.into_iter().flat_map(|family| {
        forms(family).into_iter().flat_map(move |form| {
            let rows = STAGE_TABLE.iter().filter(move |row| row.0.runs(family, form));
            rows.map(move |row| (row, form))
        })
    })
}

/// The forms in which the stages of a family are compiled.
fn forms(family: Family) -> Vec<Form> {
    // Windows, periodic axes, kinds, wide coordinates, subgroups, f64, exclusions: what makes a difference, a bit each.
    let bits = match family {
        Family::Pairs => 0b1010111,
        Family::Radii => 0b010111,
        Family::Ztree => 0b001001,
        Family::Groups => 0b001011,
        Family::Knn => 0b011011,
        Family::Sums => 0b111010, // and radii
    };
    let for_rows: Vec<_> = match family {
        Family::Knn => (1..=MAX_K).map(super::knn::form).collect(),
        _ => vec![Form::default()],
    };
    let mut forms = Vec::new();
    for (&form, k) in for_rows.iter().flat_map(|form| (0..128).map(move |k| (form, k))) {
        let form = Form {
            windows: k & 1 != 0,
            periodic: k & 2 != 0,
            kinds: k & 4 != 0,
            wide: k & 8 != 0,
            subgroups: k & 16 != 0,
            doubles: k & 32 != 0,
            excluded: k & 64 != 0,
            radii: family == Family::Radii,
            ..form
        };
        let is_one_of_many = family == Family::Knn && form.windows && k != 1; // one with windows will do
        if k & !bits == 0 && !is_one_of_many && !forms.contains(&form) {
            forms.push(form);
            let by_radii = Form { radii: true, ..form };
            forms.extend((family == Family::Sums).then_some(by_radii));
            let is_double = family == Family::Sums && form.doubles;
            forms.extend(is_double.then_some(Form { real64: true, ..form }));
        }
    }
    forms
}

/// Bindings of `slots` and what they are.
fn wanted((stage, slots): (Stage, &[Slot]), form: Form) -> BTreeMap<u32, &'static str> {
    let mut wanted = BTreeMap::new();
    for &slot in slots.iter().filter(|slot| slot.is_bound(stage, form)) {
        wanted.insert(slot as u32, if slot.is_uniform() { "uniform" } else { "storage" });
        let more = slot.windows().iter().filter(|_| form.windows);
        wanted.extend(more.map(|&binding| (binding, "storage")));
    }
    wanted
}

/// Every entry point has its line in the table, and uses the buffers that line says, each as what it is.
#[test]
fn bindings() {
    let mut entries = BTreeSet::new();
    for (&(stage, file, entry, slots), form) in stages() {
        let (module, info) = read(file, form);
        let index = module.entry_points.iter().position(|point| point.name == entry);
        let uses = info.get_entry_point(index.unwrap_or_else(|| panic!("{file} has no {entry}")));
        let mut found = BTreeMap::new();
        let used = module
            .global_variables
            .iter()
            .filter(|(handle, _)| !uses[*handle].is_empty());
        for (variable, binding) in used.filter_map(|(_, variable)| Some((variable, variable.binding.as_ref()?))) {
            if binding.group == 1 {
                assert_eq!(
                    stage,
                    Stage::EachPoint,
                    "fields are bound by statements for each point alone"
                );
                continue;
            }
            assert_eq!(binding.group, 0, "{file}");
            let space = match variable.space {
                AddressSpace::Uniform => "uniform",
                AddressSpace::Storage { .. } => "storage",
                _ => "neither uniform nor storage",
            };
            assert_eq!(
                found.insert(binding.binding, space),
                None,
                "{file}: two at {}",
                binding.binding
            );
        }
        let name = format!("{stage:?}, {form:?}");
        let mut wanted = wanted((stage, slots), form);
        if matches!(
            stage,
            Stage::Sum | Stage::SumByRadii | Stage::Columns | Stage::EachPoint
        ) {
            wanted.retain(|binding, _| found.contains_key(binding)); // the others are for other formulas
        }
        assert_eq!(
            found, wanted,
            "{name}: what it uses, and what src/gpu/kernels/table.rs says"
        );
        entries.extend(module.entry_points.iter().map(|point| (file, point.name.clone())));
    }
    let table: BTreeSet<_> = STAGE_TABLE
        .iter()
        .map(|&(_, file, entry, _)| (file, entry.to_owned()))
        .collect();
    assert_eq!(entries, table, "entry points, and those in the table");
}

/// No stage asks how many workgroups there are: Direct3D tells it by a constant, and that is 0 in a dispatch whose size the device has
/// written.
#[test]
fn no_number_of_workgroups() {
    let number = Some(naga::Binding::BuiltIn(naga::BuiltIn::NumWorkGroups));
    for (&(_, file, _, _), form) in stages() {
        let (module, _) = read(file, form);
        let arguments = module.entry_points.iter().flat_map(|point| &point.function.arguments);
        let members = module.types.iter().flat_map(|(_, ty)| match &ty.inner {
            naga::TypeInner::Struct { members, .. } => members.as_slice(),
            _ => &[],
        });
        let mut bindings = arguments
            .map(|argument| &argument.binding)
            .chain(members.map(|member| &member.binding));
        assert!(bindings.all(|binding| *binding != number), "{file}");
    }
}

/// Every device that src/gpu/adapters.rs accepts has all that a stage takes.
#[test]
fn needs() {
    let adapters = include_str!("adapters.rs");
    let [buffers, invocations] = ["STORAGE_BUFFERS", "INVOCATIONS"].map(|name| rust_constant(adapters, name));
    for (&(stage, file, entry, slots), form) in stages() {
        let storage = wanted((stage, slots), form)
            .into_values()
            .filter(|&kind| kind == "storage");
        assert!(
            storage.count() as u64 <= buffers,
            "{stage:?} binds more storage buffers than {buffers}"
        );
        let (module, info) = read(file, form);
        let constants = kernels::constants(stage, slots, form, 1 << 27).into_iter();
        let constants = constants.map(|(name, value)| (name.to_owned(), value)).collect();
        let entry = Some((ShaderStage::Compute, entry));
        let (module, info) = process_overrides(module, info, entry, &constants).unwrap();
        assert_eq!(module.entry_points.len(), 1);
        let size: u32 = module.entry_points[0].workgroup_size.iter().product();
        assert!(u64::from(size) <= invocations, "{stage:?} has workgroups of {size}");
        let bytes = workgroup_memory(&module, info.get_entry_point(0));
        assert!(bytes <= 16 << 10, "{stage:?} takes {bytes} bytes of workgroup memory");
    }
}

/// Bytes that an entry point's workgroups share, each variable from a place on where drivers may begin it.
fn workgroup_memory(module: &Module, uses: &FunctionInfo) -> u32 {
    let shared = module
        .global_variables
        .iter()
        .filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
    let used = shared.filter(|(handle, _)| !uses[*handle].is_empty());
    used.map(|(_, variable)| {
        module.types[variable.ty]
            .inner
            .size(module.to_ctx())
            .next_multiple_of(16)
    })
    .sum()
}

/// The value of an unsigned constant.
pub fn constant(file: &str, name: &str) -> u64 {
    let (module, _) = read(file, Form::default());
    let mut constants = module.constants.iter().map(|(_, constant)| constant);
    let constant = constants.find(|constant| constant.name.as_deref() == Some(name));
    match constant.map(|constant| &module.global_expressions[constant.init]) {
        Some(&Expression::Literal(Literal::U32(value))) => value.into(),
        other => panic!("{name} in {file} is {other:?}"),
    }
}

/// The value of a constant of a Rust file that keeps it to itself.
fn rust_constant(source: &str, name: &str) -> u64 {
    let mut lines = source
        .lines()
        .filter_map(|line| line.split_once(&format!("const {name}: ")));
    let value = lines
        .next()
        .and_then(|(_, line)| line.split_once("= ")?.1.split_once(';'));
    value
        .and_then(|(value, _)| value.parse().ok())
        .unwrap_or_else(|| panic!("no constant {name}"))
}

#[test]
fn constants() {
    assert_eq!(
        constant("sort_rows", "ROWS"),
        rust_constant(include_str!("radii.rs"), "SORT_BLOCK")
    );
    assert_eq!(
        constant("lower_ghosts", "ROWS"),
        rust_constant(include_str!("lower_ghosts.rs"), "LOWER_ROWS")
    );
    assert_eq!(
        constant("lower_ghosts", "LONGEST"),
        rust_constant(include_str!("lower_ghosts.rs"), "LONGEST")
    );
    assert_eq!(constant("shared/blocks", "ROWS"), BLOCK_ROWS);
    let most = constant("shared/blocks", "MOST");
    assert_eq!(BLOCK_WORDS, most + BLOCK_ROWS + BLOCK_ROWS * most / 32);
    assert_eq!(constant("shape", "WIDTH"), SHARES);
    assert_eq!(constant("shared/scope_parts", "NO_SCOPE"), NO_SCOPE.into());
    assert_eq!(constant("shared/node", "EACH"), LEAF.into());
    assert_eq!(constant("shared/lanes", "TEAM"), LEAF.into());
    let rules = [
        ("GATHER", RadiusRule::Gather),
        ("SCATTER", RadiusRule::Scatter),
        ("MAX", RadiusRule::Max),
        ("MIN", RadiusRule::Min),
        ("MEAN", RadiusRule::Mean),
    ];
    for (name, rule) in rules {
        assert_eq!(constant("shared/radius", name), rule as u64, "{name}");
    }
    for file in ["link_leaf", "link_node", "link"] {
        assert_eq!(constant(file, "LEAF"), LEAF.into(), "{file}");
    }
    for file in ["scan_cells", "scan_rows"] {
        assert_eq!(constant(file, "BLOCK"), SCAN_BLOCK, "{file}");
        assert_eq!(constant(file, "WIDTH") * constant(file, "EACH"), SCAN_BLOCK, "{file}");
    }
    assert_eq!(constant("shared/grid_of_workgroups", "ROW_OF_WORKGROUPS"), ROW);

    // cell.wgsl shifts by parts of these, two words at a time.
    let params = include_str!("params.rs");
    let [drops, shift] = ["CELL_DROPS", "CELL_SHIFT"].map(|name| rust_constant(params, name) as u32);
    let (module, _) = read("shared/cell", Form::default());
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let cell = functions
        .find(|function| function.name.as_deref() == Some("unfolded_cell"))
        .unwrap();
    let expected = BTreeSet::from([drops, 32 - drops, shift - 32, 64 - shift, 0, 1]);
    assert_eq!(
        literals(cell),
        expected,
        "shifts of unfolded_cell, CELL_DROPS = {drops}, CELL_SHIFT = {shift}"
    );
}

fn literals(function: &Function) -> BTreeSet<u32> {
    let values = function
        .expressions
        .iter()
        .filter_map(|(_, expression)| match *expression {
            Expression::Literal(Literal::U32(value)) => Some(value),
            _ => None,
        });
    values.collect()
}

fn imports(source: &str) -> Vec<String> {
    let names = source
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("#import"));
    let names = names.filter(|name| !name.trim().starts_with("formula"));
    names.map(|name| format!("shared/{}", name.trim())).collect()
}

/// Files are known, used, imported once, and say what they are for; none asks a device for more than it need have.
#[test]
fn sources() {
    let files = BTreeMap::from_iter(shader::SOURCES.iter().copied());
    let used = reachable(&files);
    for (&file, source) in &files {
        expand(file, Form::default());
        assert!(used.contains(file), "no stage uses {file}");
        let (all, once) = (imports(source), imports(source).into_iter().collect::<BTreeSet<_>>());
        assert_eq!(all.len(), once.len(), "{file} imports a file twice: {all:?}");
        let purpose = source.lines().next().and_then(|line| line.strip_prefix("// "));
        assert!(
            purpose.is_some_and(|text| text.len() > 20),
            "{file} does not begin with its purpose"
        );
        let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
        let mut words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let has_doubles = file.ends_with("_doubles") || file.ends_with("_real64") || file == "shared/double";
        let optional = match has_doubles {
            true => &["f16", "enable", "requires"][..],
            false => &["f64", "i64", "u64", "f16", "enable", "requires"][..],
        };
        let optional = words.find(|word| optional.contains(word));
        assert_eq!(optional, None, "{file}");
    }
    for (&(_, file, ..), form) in stages() {
        let source = expand(file, form);
        assert!(imports(&source).is_empty(), "{file}: an import is left");
        for (shared, text) in files.iter().filter(|(name, _)| name.starts_with("shared/")) {
            assert!(source.matches(*text).count() <= 1, "{file} has {shared} twice");
        }
    }
}

/// All files that stages use.
fn reachable(files: &BTreeMap<&str, &str>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    // The code that is generated of a formula imports a file.
    let of_formulas = ["shared/class_of".to_owned()];
    let of_stages = STAGE_TABLE.iter().map(|stage| stage.1.to_owned());
    let mut pending: Vec<_> = of_stages.chain(of_formulas).collect();
    while let Some(file) = pending.pop() {
        let forms = [
            "windows",
            "periodic",
            "kinds",
            "subgroups",
            "real64",
            "doubles",
            "radii",
            "excluded",
        ]
        .map(|suffix| format!("{file}_{suffix}"));
        pending.extend(forms.into_iter().filter(|file| files.contains_key(&**file)));
        let source = files
            .get(&*file)
            .unwrap_or_else(|| panic!("{file} is used, but not in shaders/"));
        let fresh = used.insert(file);
        pending.extend(imports(source).into_iter().filter(|_| fresh));
    }
    used
}
