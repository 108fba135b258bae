"""Reads the C headers and writes what they declare in Fortran, for the texts of fypp (scripts/fortran).

    core = c_header.Header("include/*.h")
    core.constants()                     a parameter for each number, with its comment
    core.interfaces()                    an interface for each function, with the first paragraph of its comment
    core.interface(function, ...)        one of them, under another name
    core.value(constant), core.names()   a number, and the names of all parameters
    core.kinds()                         the names of iso_c_binding that these need

C does not say all that Fortran must know. An address without a number beside it is an array, unless it is one of SCALARS. It
is optional where its comment says that it may be NULL. Numbers with a stride, or of any type, come as a c_ptr, as handles do.
"""

import glob
import re
import textwrap

# Results that are one number. A call that fails leaves them as they were: intent(inout).
SCALARS = set("""components dim entries first_row length longest n n_after n_new need needed ngroups nlost npairs nrows nunsolved rebuilt rows seconds share skin_used
    total value""".split())
# Arrays of handles. All other addresses of addresses are those of one.
ARRAYS_OF_HANDLES = {"lists"}
# Arrays that have no stride, in functions where others have one.
CONTIGUOUS = {"name", "mask"}
# Constants that would have the name of a function.
RENAMED = {"NEARGRID_ABI_VERSION": "neargrid_abi"}
# C types of one size, before the header's own.
TYPES = {
    "int32_t": ("integer", "c_int32_t"),
    "int64_t": ("integer", "c_int64_t"),
    "size_t": ("integer", "c_size_t"),
    "float": ("real", "c_float"),
    "double": ("real", "c_double"),
    "char": ("character", "c_char"),
    "neargrid_status": ("integer", "c_int"),
}
# Macros of neargrid.h that other headers use.
ATTRIBUTES = {"NEARGRID_EXPORT", "NEARGRID_NODISCARD"}
WIDTH = 100
COMMENT = re.compile(r"(?:[ \t]*//[^\n]*(?:\n|$))+|[ \t]*/\*.*?\*/[^\n]*\n?", re.S)
NOTE = r"\x01\d+\x02"


class Argument:
    def __init__(self, text):
        match = re.fullmatch(r"(const )?(?:struct |enum )?(\w+) ?((?:\* ?(?:const )?)*)(\w+)", text)
        if not match:
            raise ValueError(f"not understood: {text}")
        self.constant, self.type, stars, name = match.groups()
        self.stars, self.name = stars.count("*"), name.strip("_")


class Function:
    def __init__(self, doc, returns, name, arguments):
        self.doc, self.returns, self.name = doc, " ".join(returns.split()), name
        texts = [" ".join(text.split()) for text in arguments.split(",")]
        self.arguments = [] if texts == ["void"] else [Argument(text) for text in texts]

    def described(self, argument):
        """The words of the comment on an argument."""
        bullets = re.findall(r"^- (`.*?):(.*?)(?=^- |^$|\Z)", self.doc, re.S | re.M)
        return " ".join(text for names, text in bullets if f"`{argument}`" in names)


class Header:
    def __init__(self, pattern):
        self.numbers, self.functions, self.types, self.handles = {}, {}, dict(TYPES), set()
        self.notes = []
        for path in sorted(glob.glob(pattern)):
            with open(path, encoding="utf-8") as file:
                self.read(file.read(), path)

    # --- reading ---

    def read(self, text, path):
        code, attributes = self.preprocess(COMMENT.sub(self.note, text))
        for name in attributes | ATTRIBUTES:
            code = re.sub(rf"\b{name}\b(\(.*?\))?", "", code)
        code = re.sub(r"\[\[.*?\]\]|__attribute__\(\(.*?\)\)", "", code)
        forms = [
            (rf"static inline .*?\n\}}", lambda match: None),
            (rf"(?:typedef )?enum \w*\s*(?::\s*\w+\s*)?\{{(.*?)\}}\s*(\w*);", self.enumeration),
            (rf"typedef struct (\w+) \1;", lambda match: self.handles.add(match[1])),
            (rf"typedef (?:enum )?(\w+) (\w+);", self.alias),
            (rf"typedef \w+ \(\*(\w+)\)\([^()]*\);", self.function_type),
            (rf"((?:const )?\w+ (?:\*)?)(\w+)\(([^()]*)\);", self.function),
            (rf"\s+|{NOTE}|;", lambda match: None),
        ]
        forms = [(re.compile(rf"(?P<doc>{NOTE})?\s*" + form if action in (self.function,) else form, re.S), action)
                 for form, action in forms]
        at = 0
        while at < len(code):
            for form, action in forms:
                match = form.match(code, at)
                if match:
                    action(match)
                    at = match.end()
                    break
            else:
                raise ValueError(f"{path}: not understood: {code[at:at + 80]!r}")

    def note(self, match):
        """Puts a comment aside and leaves its number."""
        text = match[0].strip()
        if text.startswith("/*"):
            text = text.strip("/").strip("*")
            lines = [re.sub(r"^\s*\* ?", "", line) for line in text.split("\n")]
        else:
            lines = [re.sub(r"^\s*//+!? ?<?", "", line) for line in text.split("\n")]
        self.notes.append("\n".join(line.rstrip() for line in lines).strip())
        return f"\x01{len(self.notes) - 1}\x02\n"

    def noted(self, text):
        match = re.search(r"\x01(\d+)\x02\s*$", text or "")
        return self.notes[int(match[1])] if match else ""

    def preprocess(self, text):
        """What C, not C++, compiles of a header, and its macros that are no numbers. Numbers become constants."""
        kept, attributes, doc, active = [], set(), "", []
        for line in re.sub(r"\\\n", " ", text).split("\n"):
            bare = re.sub(NOTE, "", line).strip()
            word = bare.split(" ")[0]
            if word in ("#if", "#ifdef", "#ifndef"):
                active.append("__cplusplus" not in bare or word == "#ifndef" or "!defined" in bare)
            elif word in ("#else", "#elif"):
                active[-1] = "__cplusplus" not in bare
            elif word == "#endif":
                active.pop()
            elif word == "#define" and all(active):
                self.define(bare, doc, attributes)
            elif not bare.startswith("#") and all(active):
                kept.append(line)
            if bare or re.search(NOTE, line):
                doc = line
        return "\n".join(kept), attributes

    def define(self, line, doc, attributes):
        name, value = re.fullmatch(r"#define (\w+(?:\([^)]*\))?)\s*(.*)", line).groups()
        number = re.fullmatch(r"\(*(?:\(int32_t\) ?)?(-?\d+|\".*\")\)*", value)
        if number:
            self.constant(name, number[1], self.noted(doc))
        else:
            attributes.add(name.split("(")[0])

    def constant(self, name, value, doc):
        if name in self.numbers:
            raise ValueError(f"{name} is defined twice")
        self.numbers[name] = (value, doc)

    def enumeration(self, match):
        for doc, name, value in re.findall(rf"({NOTE}\s*)?(\w+) = (-?\d+)", match[1]):
            self.constant(name, value, self.noted(doc.strip()))
        if match[2]:
            self.types[match[2]] = ("integer", "c_int32_t")

    def alias(self, match):
        self.types.setdefault(match[2], self.types[match[1]])

    def function_type(self, match):
        self.types[match[1]] = ("type", "c_funptr")

    def function(self, match):
        _, returns, name, arguments = match.groups()
        if name in self.functions:
            raise ValueError(f"{name} is declared twice")
        self.functions[name] = Function(self.noted(match["doc"]), returns, name, arguments)

    # --- what Fortran says ---

    def may_be_null(self, function, argument, seen=()):
        """Whether a comment, or the one that it refers to, says that an array may be missing."""
        text = function.described(argument)
        if any(re.search(r"\b([Mm]ay|can) be NULL|\bor NULL", " ".join(words.split()))
               for words in (text, function.doc.split("\n- ")[-1].partition("\n\n")[2])):
            return True
        for name in re.findall(r"\b[Aa]s (?:for )?(neargrid_\w+)", text or function.doc):
            if name in self.functions and name not in seen:
                return self.may_be_null(self.functions[name], argument, (*seen, name))
        return False

    def declaration(self, function, argument, untyped=()):
        """The type of an argument with its attributes, and its shape."""
        strided = any(other.name.endswith("stride") for other in function.arguments) and argument.name not in CONTIGUOUS
        if argument.stars == 2:
            return "type(c_ptr), intent(inout)", "(*)" if argument.name in ARRAYS_OF_HANDLES else ""
        if argument.stars == 0:
            return f"{self.kind(argument.type)}, intent(in), value", ""
        scalar = argument.name in SCALARS and not argument.constant
        intent = "intent(in)" if argument.constant else "intent(inout)"
        if argument.name in untyped:
            return f"type(*), {intent}", "(*)"
        if argument.type == "void" or argument.type in self.handles or strided and not scalar:
            return "type(c_ptr), intent(in), value", ""
        optional = ", optional" if self.may_be_null(function, argument.name) else ""
        return f"{self.kind(argument.type)}, {intent}{optional}", "" if scalar else "(*)"

    def kind(self, name):
        base, kind = self.types[name]
        return f"character(kind={kind})" if base == "character" else f"{base}({kind})"

    def result(self, function):
        """The name and the type of what a function returns; neither for a subroutine."""
        if function.returns == "void":
            return None, None
        if "*" in function.returns:
            return "text" if "char" in function.returns else "address", "type(c_ptr)"
        return "status" if function.returns == "neargrid_status" else "answer", self.kind(function.returns)

    def interface(self, name, alias=None, untyped=()):
        """The interface of one function; `untyped` arguments are arrays of any type."""
        function, alias = self.functions[name], alias or name
        result, kind = self.result(function)
        word = "function" if result else "subroutine"
        heads = [f"{word} {alias}({', '.join(argument.name for argument in function.arguments)})",
                 f'bind(c, name="{name}")' + (f" result({result})" if result else "")]
        lines = self.prose(function.doc.split("\n\n")[0], 8) if not untyped else []
        if len(" ".join(heads)) + 8 <= WIDTH:
            lines.append(" " * 8 + " ".join(heads))
        else:
            head = folded(heads[0], 8)
            lines += [*head[:-1], head[-1] + " &", " " * 12 + heads[1]]
        body = self.grouped(function, untyped)
        if result:
            body.append(f"{kind} :: {result}")
        kinds = sorted(set(re.findall(r"\bc_\w+\b", "\n".join(line.split("::")[0] for line in body))))
        if kinds:
            body.insert(0, f"import :: {', '.join(kinds)}")
        lines += [line for text in body for line in folded(text, 12)]
        return "\n".join([*lines, f"{' ' * 8}end {word} {alias}"])

    def grouped(self, function, untyped):
        """Declarations of arguments; those side by side of one type share theirs."""
        groups = []
        for argument in function.arguments:
            kind, shape = self.declaration(function, argument, untyped)
            if groups and groups[-1][0] == kind:
                groups[-1][1].append(argument.name + shape)
            else:
                groups.append((kind, [argument.name + shape]))
        return [f"{kind} :: {', '.join(names)}" for kind, names in groups]

    def interfaces(self):
        return "\n\n".join(self.interface(name) for name in self.functions)

    def constants(self):
        lines, before = [], None
        for name, (value, doc) in self.numbers.items():
            group = name.replace("_MPI", "").split("_")[1]
            lines += [""] if before not in (None, group) else []
            before = group
            kind = "character(len=*)" if value.startswith('"') else "integer(c_int)"
            lines += self.prose(doc, 4) + [f"    {kind}, parameter :: {self.fortran_name(name)} = {value}"]
        return "\n".join(lines)

    def names(self, *without):
        """The names of all parameters, as a list to make public."""
        names = [self.fortran_name(name) for name in self.numbers]
        return "\n".join(folded("public :: " + ", ".join(name for name in names if name not in without), 4))

    def value(self, name):
        return self.numbers[name][0]

    def kinds(self):
        text = self.interfaces() + self.constants()
        return ", ".join(sorted(set(re.findall(r"\bc_(?:char|double|float|funptr|int|int32_t|int64_t|ptr|size_t)\b", text))))

    def fortran_name(self, name):
        return RENAMED.get(name, name.lower())

    def prose(self, text, indent):
        """A comment, with constants under their names in Fortran."""
        words = re.sub(r"\bNEARGRID_\w+", lambda match: self.fortran_name(match[0]) if match[0] in self.numbers
                       or match[0].endswith("_") else match[0], " ".join(text.split()))
        start = " " * indent + "!> "
        return textwrap.wrap(words, WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False)


def folded(text, indent):
    """A statement in lines of at most WIDTH."""
    lines = textwrap.wrap(text, WIDTH - 2, initial_indent=" " * indent, subsequent_indent=" " * (indent + 4),
                          break_long_words=False, break_on_hyphens=False)
    return [line + " &" for line in lines[:-1]] + lines[-1:]
