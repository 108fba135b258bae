"""Writes a C program that calls every function of the headers wrongly, an argument at a time: without each array, with numbers that
no enumeration has, and with impossible counts. A new function joins by itself where the names of its arguments are known here.

No such call crashes or writes. A text names the argument, wherever the comment does not say that it may be missing.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../../scripts"))
import c_header  # noqa: E402

# Good arguments: by function and name, by name, and by type. `R` is the real type of a function; other capitals are in sweep.c.
OF_FUNCTION = {
    r".*exclusions.*": {"offsets": "PAIRED", "ids": "(ids_type)BACK"},
    r".*_formula_number|.*_set_constant": {"name": '"h"'},
    r".*_table": {"name": '"W"', "last": "2", "n": "4"},
    r".*(set|grid)_field_(f..|copy_f..)": {"name": '"v"', "components": "3"},
    r".*_set_device": {"choice": "NEARGRID_DEVICE_INDEX"},
    r".*_comm_create": {"comm": "&made_comm"},
    r".*_pair_field.*": {"name": '"a"'},
    r".*_take_by_cutoffs": {"n": "2", "lists": "lists"},
    r".*_take": {"list": "&lists[0]"},
    r".*_carry_.*": {"ids": "NEXT", "n": "N"},
    r".*_solve_radii_.*": {"formula": "counted"},
    r".*_set_types": {"stride": "4"},
    r".*_set_roles": {"stride": "4", "roles": "ONES32"},
    r".*_set_primary_types": {"primary": "ONES32"},
    r".*_set_ids": {"stride": "8"},
    r".*_set_cell": {"cell": "CELL"},
    r".*_sum_.*": {"words": "sum"},
    r".*_histogram": {"kind": "0"},
    r".*_verlet_view": {"kind": "0"},
    r".*_reorder": {"from": "NUMBERS64", "n": "N"},
    r".*_create_across": {"comm": "NULL", "search": "&made"},
    r".*_formula_create": {"formula": "&made_formula"},
    r".*_search_create": {"search": "&made"},
    r".*_halo_exchange|.*_migration_move": {"bytes": "8", "points": "NUMBERS64", "before": "NUMBERS64"},
}
BY_NAME = {
    "search": "search", "formula": "formula", "abi_version": "NEARGRID_ABI_VERSION", "dim": "3", "n": "N", "npoints": "N",
    "old_npoints": "N", "old_n": "N", "stride": "sizeof(R)", "mass_stride": "sizeof(R)", "npairs": "9", "total": "9",
    "capacity": "100", "maxnpair": "100", "maxpercell": "27", "width": "8", "max_entries": "100", "k": "3", "components": "1",
    "entries": "9", "max_iterations": "50", "target": "1", "smallest": "0.5", "largest": "8", "tolerance": "1e-6", "nbins": "3",
    "base": "0", "threads": "1", "number": "0", "bytes": "0", "ntypes": "2", "n_active": "N", "cutoff": "1.8", "radius": "0",
    "skin": "0.1", "rank": "0", "size": "1", "node_rank": "0", "name": '"m"', "field": '"n"', "text": '"n += 1"',
    "value": "1", "first": "0", "last": "1", "times": "1",
    "reason": "NEARGRID_STATUS_BAD_COUNT", "element_bytes": "8", "order": "NUMBERS32", "columns": "1", "old_first_row": "0",
    "first_row": "0", "min_size": "1", "nsystems": "1", "firsts": "FIRSTS", "periodic": "ZEROS32", "include": "0",
    "tie_rule": "-1", "index_base": "0", "lo": "ZEROS64", "types": "PARITY", "mask": "ONES32", "offsets": "ROWS",
    "old_offsets": "ROWS", "signs": "ONES32", "classes": "ONES32", "shifts": "ZEROS32", "list": "lists[0]", "kind": "1",
    "n_points": "N", "n_before": "N", "n_ghosts": "N", "n_after": "N", "rule": "0", "other": "sum", "ids": "(ids_type)NEXT",
    "old_ids": "NEXT", "pair_i": "NEXT", "pair_j": "NEXT", "radii": "ONES", "masses": "ONES", "cutoffs": "ONES64",
    "edges": "EDGES",
}
BY_TYPE = {"double": "NUMBERS64", "float": "NUMBERSF", "int32_t": "NUMBERS32", "int64_t": "NUMBERS64I"}
ENUMERATIONS = re.compile(r"neargrid_(?!status|search|formula|list|comm)\w+")

# Calls that one process, without ranks, has no good arguments for: refused whatever is wrong.
NEVER = re.compile(r".*ghosts_view.*|.*halo_exchange|.*migration.*|.*create_across|.*search_refuse|.*comm_create")
# Arguments that are not looked at, and numbers below 0 that have a meaning.
ANY = {("cellList", "maxpercell"), ("cellListf", "maxpercell")}
MEANT = {"neargrid_search_set_active": "n_active", "neargrid_celllist_count_f64": "tie_rule",
         "neargrid_celllist_count_f32": "tie_rule", "cellList_set_tie_rule": "rule"}
# Where the text is that of another call, and words of texts that differ from the argument's name.
OTHER_TEXT = {("neargrid_last_error", "buffer")}
CALLED = {"tie_rule": "rule", "index_base": "base"}


def real(name):
    return "float" if re.search(r"f32$|cellListf$", name) else "double"


def good(function, argument, slot):
    """A good argument, and for what a call writes the place that it has among the outputs."""
    for pattern, arguments in OF_FUNCTION.items():
        if argument.name in arguments and re.fullmatch(pattern, function.name):
            return arguments[argument.name]
    if argument.type.startswith("neargrid_comm_") or argument.name == "context":
        return "NULL"
    if argument.stars and not argument.constant and argument.type not in ("neargrid_search", "neargrid_formula", "neargrid_list"):
        return f"({argument.type} {'*' * argument.stars})(void *)(arena + {slot})"
    if argument.stars == 2:
        return f"(const {argument.type} **)(void *)(arena + {slot})"
    if ENUMERATIONS.fullmatch(argument.type) and argument.stars == 0:
        return BY_NAME.get(argument.name, "0")
    if argument.name in BY_NAME:
        return BY_NAME[argument.name]
    if argument.stars == 1 and argument.type in BY_TYPE:
        return BY_TYPE[argument.type]
    raise SystemExit(f"sweep.py knows no good argument {argument.name} of {function.name}")


def is_needed(core, function, argument, seen=()):
    """Whether the comment, or the one that it refers to, says that an array must be there where there are points and room."""
    text = " ".join(function.described(argument.name).split())
    if re.search(r"\bor (`\w+` )?NULL|[Mm]ay be NULL(?! if `\w+` is 0| if there are)", text):
        return False
    others = [name for name in re.findall(r"\b[Aa]s (?:for )?(neargrid_\w+)", text or function.doc)
              if name in core.functions and name not in seen]
    return all(is_needed(core, core.functions[name], argument, (*seen, function.name)) for name in others)


def wrong(core, function, argument):
    """Wrong values of an argument, and what a text must have; None where the call need not fail."""
    if argument.stars:
        is_needed_here = is_needed(core, function, argument) and (function.name, argument.name) not in OTHER_TEXT
        yield "NULL", f"{argument.name} is NULL" if is_needed_here else None
    elif ENUMERATIONS.fullmatch(argument.type) and "comm" not in argument.type:
        prefix = argument.type.upper() + "_"
        last = max(int(value) for name, (value, _) in core.numbers.items() if name.startswith(prefix))
        for value in ("-1", str(last + 1), "INT32_MIN", "INT32_MAX"):
            shown = value.replace("INT32_MIN", "-2147483648").replace("INT32_MAX", "2147483647")
            yield value, f"{argument.name} = {shown}"
    elif argument.type in ("int32_t", "int64_t", "int"):
        least = "INT64_MIN" if argument.type == "int64_t" else "INT32_MIN"
        for value in ("-1", least):
            shown = value.replace("INT32_MIN", "-2147483648").replace("INT64_MIN", "-9223372036854775808")
            is_open = (function.name, argument.name) in ANY or value == "-1" and MEANT.get(function.name) == argument.name
            yield value, None if is_open else f"{CALLED.get(argument.name, argument.name)} = {shown}"
        if argument.name != "times" and argument.type != "int":  # such a number of points may be there
            yield least.replace("MIN", "MAX"), None


def calls(core, function):
    lines = []
    slots = [good(function, argument, 1024 * k) for k, argument in enumerate(function.arguments)]
    never = NEVER.fullmatch(function.name)
    for k, argument in enumerate(function.arguments):
        for value, words in wrong(core, function, argument):
            call = f"{function.name}({', '.join(slots[:k] + [value] + slots[k + 1:])})"
            if never:
                lines.append(f'  WRONG({call}, "");')
            elif words:
                lines.append(f'  WRONG({call}, "{words}");')
            else:
                lines.append(f"  OPEN({call});")
    good_call = f"{function.name}({', '.join(slots)})"
    # What may be missing, and what has no limit, changes the handle: these calls are the last.
    lines.sort(key=lambda line: line.startswith("  OPEN"))
    at = sum(line.startswith("  WRONG") for line in lines)
    if "_images_" in function.name:
        lines.insert(0, "  OK(neargrid_search_set_cell(search, CELL, ONES32));\n"
                     "  OK(neargrid_search_set_points_f64(search, 3, N, NUMBERS64, NUMBERS64, NUMBERS64, 8));")
        at += 1
    lines.insert(at, f"  GOOD({good_call});" if not never else f'  WRONG({good_call}, "");')
    return lines


def main():
    core = c_header.Header(str(HERE / "../../include/*.h"))
    bodies, heads = [], []
    for name, function in core.functions.items():
        if function.returns not in ("neargrid_status", "int"):
            continue
        text = "\n".join(calls(core, function))
        wide = "int64_t" if any(a.name.endswith("ids") and a.type == "int64_t" for a in function.arguments) else "int32_t"
        text = re.sub(r"\(ids_type\)(\w+)", r"\g<1>64" if wide == "int64_t" else r"\1", text)
        text = re.sub(r"\bR\b", real(name), text).replace(" ONES,", " ONESF," if real(name) == "float" else " ONES64,")
        bodies.append(f"static void check_{name}(void) {{\n{text}\n}}\n")
        heads.append(f'  prepared(check_{name}, {int(real(name) == "float")});')
    frame = (HERE / "sweep.c").read_text(encoding="utf-8")
    print(frame.replace("@FUNCTIONS@", "\n".join(bodies)).replace("@CALLS@", "\n".join(heads)))


if __name__ == "__main__":
    main()
