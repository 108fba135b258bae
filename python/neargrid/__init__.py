"""Exact and reproducible neighbor search for particle codes: numpy arrays in, numpy arrays out.

    search = neargrid.Search(cutoff=0.1)
    search.set_points(x)                     # n rows of 1 to 3 real32 or real64 coordinates
    i, j = search.pairs()

Point numbers start at 0, or at the index base of the search. Later calls do not change results: they are copies, or
for `take_neighbors` memory that the search gives away. A call that
fails raises Error and leaves the search as it was. Calls release the interpreter's lock while they run; a search that another
thread is using raises Error with the status BUSY.
"""

from ._library import Error, version
from .formula import Formula
from .search import Groups, List, Nearest, Search, restore, reorder

__all__ = ["Error", "Formula", "Groups", "List", "Nearest", "Search", "reorder", "restore", "version"]
__version__ = version()
