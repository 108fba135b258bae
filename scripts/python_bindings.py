"""Writes python/neargrid/_c.py: the functions and constants of include/neargrid.h, for ctypes. With --check, compares it."""

import pathlib
import re
import sys

import c_header

ROOT = pathlib.Path(__file__).parent.parent
TYPES = {"int32_t": "c_int32", "int64_t": "c_int64", "size_t": "c_size_t", "float": "c_float", "double": "c_double"}


def kind(header, name, stars):
    """How ctypes passes an argument. Arrays and places for results are addresses, whatever is there."""
    if stars:
        return "c_char_p" if name == "char" and stars == "text" else "c_void_p"
    if header.types.get(name) == ("type", "c_funptr"):
        return "c_void_p"
    return TYPES.get(name, "c_int32")


def main():
    header = c_header.Header(str(ROOT / "include/neargrid.h"))
    cargo = (ROOT / "Cargo.toml").read_text()
    version = re.search(r'^version = "(\d+)\.(\d+)', cargo, re.M)
    lines = ['"""Functions and constants of neargrid.h. `make python` writes this file."""', "",
             "from ctypes import c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p", "",
             f'SOVERSION = "{version[1]}.{version[2]}"', f"ABI_VERSION = {header.value('NEARGRID_ABI_VERSION')}", "", "CONSTANTS = {"]
    for name in header.numbers:
        value = header.value(name)
        if name != "NEARGRID_ABI_VERSION" and not value.startswith('"'):
            lines.append(f'    "{name.removeprefix("NEARGRID_")}": {value},')
    lines += ["}", "", "# result, arguments", "FUNCTIONS = {"]
    for name, function in header.functions.items():
        result = "c_char_p" if "char" in function.returns else "None" if function.returns == "void" else "c_int32"
        arguments = [kind(header, a.type, "text" if a.type == "char" and a.constant else a.stars) for a in function.arguments]
        lines.append(f'    "{name}": ({result}, [{", ".join(arguments)}]),')
    lines += ["}", ""]
    made, text = ROOT / "python/neargrid/_c.py", "\n".join(lines)
    if "--check" not in sys.argv:
        made.write_text(text)
    elif made.read_text() != text:
        sys.exit("python/neargrid/_c.py is not what include/neargrid.h says: make python")


if __name__ == "__main__":
    main()
