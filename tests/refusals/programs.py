"""Writes programs of refused calls: python3 tests/refusals/programs.py TABLE. The frame beside the table has the language."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
SPLIT = re.compile(r", (?![^()]*\))(?![^\[\]]*\])")
CALL = re.compile(r"(.*?) -> (\w+) ?(.*)")


def alternatives(call, words):
    """The lines that a line with groups {a, b} stands for."""
    groups = [SPLIT.split(group[1]) for group in re.finditer(r"\{([^{}]*)\}", call + "\0" + words)]
    lengths = {len(group) for group in groups}
    if not groups:
        return [(call, words)]
    if len(lengths) > 1:
        raise SystemExit(f"groups of different lengths: {call} -> {words}")
    lines = []
    for k in range(lengths.pop()):
        turn = iter(groups)
        lines.append(tuple(re.sub(r"\{[^{}]*\}", lambda _: next(turn)[k], text) for text in (call, words)))
    return lines


def sections(table):
    """Subject, preparation and lines of each section: their numbers, and statements or (call, status, words)."""
    found = []
    for number, line in enumerate((HERE / table).read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("["):
            subject, preparation = line.strip("[]").split(": ")
            found.append((subject, preparation, []))
        elif line.startswith("  "):
            found[-1][2].append((number, line.strip()))
        elif line and not line.startswith("#"):
            match = CALL.fullmatch(line)
            if not match:
                raise SystemExit(f"{table}:{number}: not understood: {line}")
            found[-1][2].extend([(number, (call, match[2], words)) for call, words in alternatives(match[1], match[3])])
    return found


def c(table):
    bodies, calls, checks = [], [], 0
    for k, (_, preparation, lines) in enumerate(sections(table)):
        body = []
        for number, line in lines:
            body.append(f'#line {number} "tests/refusals/{table}"')
            if isinstance(line, tuple):
                checks += 2
                words = line[2].replace("\\", "\\\\").replace('"', '\\"')
                body.append(f'  REFUSE({line[0]}, {line[1]}, "{words}");')
            elif re.match(r"neargrid_\w+\(|cellList\w*\(", line) and not re.match(r"\w+(_destroy|_release)\(", line):
                body.append(f"  OK({line.rstrip(';')});")
            else:
                body.append("  " + line)
        body = "\n".join(body)
        bodies.append(f"static void section_{k}(void) {{\n  neargrid_search *search = NULL;\n"
                      f"  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));\n  {preparation}(search);\n{body}\n"
                      f"  {preparation}_ends(search);\n  neargrid_search_destroy(search);\n}}\n")
        calls.append(f"  section_{k}();")
    frame = (HERE / "frame.c").read_text(encoding="utf-8")
    return frame.replace("@SECTIONS@", "\n".join(bodies)).replace("@CALLS@", "\n".join(calls)).replace("@CHECKS@", str(checks))


# Settings of calls.txt that Fortran and Python have too: their arguments, from the first on, in Fortran.
SETTINGS = {"tie_rule": "c_int", "threads": "c_int", "backend": "c_int", "memory_limit": "int64", "cutoff": "real64",
            "skin": "real64", "knn_within": "real64", "active": "c_int", "ghost_pairs": "c_int", "ghost_rows": "c_int"}


def settings():
    """The name, value, status and words of each."""
    for _, _, lines in sections("calls.txt"):
        for number, line in lines:
            match = isinstance(line, tuple) and re.fullmatch(r"neargrid_search_set_(\w+)\(search, ([^,]+)\)", line[0])
            if match and match[1] in SETTINGS and not re.search(r"INT|\d{10}", match[2]):
                yield number, match[1], match[2], *line[1:]


def fortran(table):
    bodies, calls, checks = [], [], 0

    def refused(call, status, words, number):
        words = words.replace('"', '""')
        more = ", " if not call.endswith("(") else ""
        return [f"        call {call}{more}&", "            stat=stat, errmsg=errmsg)",
                f"        call refused(neargrid_status_{status.lower()}, &", f'            "{words}", &', f"            {number})"]

    known = sections(table)
    known.append(("of calls.txt", "cloud", []))
    for number, name, value, status, words in settings():
        kind = SETTINGS[name]
        literal = value.lower().replace("infinity", "inf")
        if literal.lstrip("-") not in ("nan", "inf"):
            literal = f"{literal}_{kind}"
        known[-1][2].append((number, (f"search%set_{name}({literal})", status, words)))
    for k, (subject, preparation, lines) in enumerate(known):
        declared = [line for _, line in lines if isinstance(line, str) and re.match(r"(integer|real|type|logical)\b.*::", line)]
        body = [f"    !> {subject}.", f"    subroutine section_{k}()", "        type(neargrid_search) :: search"]
        body += ["        " + line for line in declared] + ["", f"        call {preparation}(search)"]
        for number, line in lines:
            if isinstance(line, tuple):
                checks += 5
                body += refused(line[0][:-1], line[1], line[2], number)
            elif line not in declared:
                body.append("        " + line)
        if preparation == "cloud":
            body.append("        call cloud_ends(search)")
        bodies.append("\n".join([*body, f"    end subroutine section_{k}", ""]))
        calls.append(f"    call section_{k}()")
    frame = (HERE / "frame.f90").read_text(encoding="utf-8")
    return frame.replace("@SECTIONS@", "\n".join(bodies)).replace("@CALLS@", "\n".join(calls)).replace("@CHECKS@", str(checks))


if __name__ == "__main__":
    print({"calls.txt": c, "fortran.txt": fortran}[sys.argv[1]](sys.argv[1]))
