#!/usr/bin/env python3
"""Refuses files of more than 400 lines and functions of more than 60, unless LONG has a reason. `make check` runs it.

Code as rustfmt writes it is all that it knows: a function ends at the first closing brace below it with its indentation. Tests are
free: a table of cases is one function.
"""

import pathlib
import re
import subprocess
import sys

FILE, FUNCTION = 400, 60
LONG = {
    "benches/cases/measure.rs": "all subjects that are measured, side by side",
    "shaders/shared/arithmetic.wgsl": "all operations of formulas, in the order of their twins on the CPU",
    "shaders/knn.wgsl: knn": "one loop, the state of which stays in registers",
    "src/cpu/pairs.rs: every_way_to_fill": "a test: a table of cases",
    "src/formula/mod.rs": "the handle of a formula with all that it is told",
    "src/formula/parse.rs": "one grammar, a function for each of its rules",
    "src/gpu/fof.rs: submit_links": "the stages of one search in their order",
    "src/gpu/knn.rs: prepare": "the stages of one search in their order",
    "src/gpu/reflection.rs": "tests: all that shaders and Rust must have alike",
    "src/gpu/strict.rs: kernel": "a shader as text",
    "src/grid/leaves.rs": "one construction in the order of its proof",
    "src/ranks/across/tests.rs: sequence": "a test: a table of calls",
    "src/ranks/across/tests/differ/rank.rs: call": "a test: a table of calls",
    "src/ranks/across/tests/differ/rank.rs: set": "a test: a table of settings",
    "src/ranks/across/tests/failures.rs: of_one_rank": "a test: a table of cases",
    "src/search/knn.rs: find": "the steps of one query in their order",
    "src/search/sum/device.rs: sum_with": "the steps of one query in their order",
    "src/threads/pool.rs": "one lock discipline, which is read as a whole",
}

HEAD = re.compile(r'^( *)(?:pub(?:\([a-z ]+\))? )?(?:const )?(?:unsafe )?(?:extern "C" )?fn (\w+)')


def functions(lines):
    """Names of functions and their numbers of lines."""
    for at, line in enumerate(lines):
        head = HEAD.match(line)
        if head and not line.rstrip().endswith(";"):
            end = next((k for k in range(at, len(lines)) if lines[k].rstrip() in (head[1] + "}", head[1] + "})")), at)
            yield head[2], end - at + 1


def main():
    root = pathlib.Path(__file__).parent.parent
    names = subprocess.run(["git", "ls-files", "src/*.rs", "shaders/*.wgsl", "benches/*.rs"], cwd=root, capture_output=True, text=True, check=True)
    wrong, used = [], set()
    for name in names.stdout.split():
        if not (root / name).exists():
            continue
        lines = (root / name).read_text().splitlines()
        found = [(name, len(lines), FILE)] + [(f"{name}: {function}", n, FUNCTION) for function, n in functions(lines)]
        for what, n, most in found:
            if n > most:
                used.add(what)
                if what not in LONG:
                    wrong.append(f"{what} has {n} lines, and {most} are allowed without a reason in scripts/check_lengths.py")
    wrong += [f"{what} is not long: take it out of scripts/check_lengths.py" for what in LONG if what not in used]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
