"""Prints what `symbolic` (PyPI) finds at every fourth offset of a dSYM: offset, function, file, line; outermost first.

usage: symbolicate.py DWARF-FILE SIZE-OF-TEXT
"""

import sys

import symbolic

archive = symbolic.Archive.open(sys.argv[1])
for object in archive.iter_objects():
    cache = object.make_symcache()
    for offset in range(0, int(sys.argv[2]), 4):
        for frame in reversed(cache.lookup(offset)):
            print(offset, frame.symbol, frame.full_path, frame.line, sep="\t")
