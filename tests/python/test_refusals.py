"""The tables of tests/refusals: calls and texts that are refused, and a search that works afterwards."""

import pathlib
import re
import sys
import unittest

import numpy as np

import neargrid

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../refusals"))
import programs  # noqa: E402

LINE = np.arange(10.0)[:, None]
# Options that are texts in Python.
TEXTS = {"tie_rule", "backend", "ghost_pairs", "ghost_rows"}


def line():
    search = neargrid.Search(cutoff=1.5)
    search.set_points(LINE)
    return search


class Refusals(unittest.TestCase):
    def refused(self, call, status, words, where):
        known = {name: getattr(__import__("builtins"), name) for name in ("ValueError", "TypeError")}
        with self.subTest(where), self.assertRaises(known.get(status, neargrid.Error)) as caught:
            call()
        with self.subTest(where):
            if status not in known:
                self.assertEqual(caught.exception.status, status)
            for word in words.split("|"):
                self.assertIn(word.strip(), str(caught.exception))

    def test_settings(self):
        search = line()
        for number, name, value, status, words in programs.settings():
            if name not in TEXTS:
                given = float(value) if re.search(r"[.NI]", value) else int(value)
                self.refused(lambda: getattr(search, f"set_{name}")(given), status, words, f"calls.txt:{number}")
        self.assertEqual(search.count_pairs(), 9)

    def test_calls(self):
        for _, _, lines in programs.sections("python.txt"):
            search = line()
            for number, (call, status, words) in lines:
                names = {"search": search, "np": np, "neargrid": neargrid, "LINE": LINE}
                self.refused(lambda: eval(call, names), status, words, f"python.txt:{number}")
            self.assertEqual(search.count_pairs(), 9)

    def test_texts(self):
        """Places and statuses. Words name calls, which have other names in Python."""
        table = (programs.HERE / "texts.txt").read_text(encoding="utf-8")
        search = neargrid.Search(cutoff=0.3)
        points = np.random.default_rng(1).random((30, 2))
        search.set_points(points)
        for name, values in ("v", points), ("u", points), ("m", points[:, 0].copy()), ("p", points[:, 0].copy()):
            search.set(name, values)
        with self.assertRaisesRegex(ValueError, "text has a NUL as character 1"):
            neargrid.Formula("\0s += r")
        lines = re.findall(r"^`(?!\\u\{0\})(.*)` -> ([A-Z_]+) (?:(\d+):(\d+))?", table, re.M)
        self.assertGreater(len(lines), 200)
        for text, status, row, column in lines:
            text = re.sub(r"\\u\{(\w+)\}", lambda match: chr(int(match[1], 16)), text).replace("\\n", "\n").replace("\\t", "\t")
            with self.subTest(text), self.assertRaises(neargrid.Error) as caught:
                search.run(neargrid.Formula(text, **({"r0": 1.0} if "r0" in text else {})))
            with self.subTest(text):
                self.assertEqual(caught.exception.status, status)
                self.assertIn(f"line {row}, column {column}: " if row else "", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
