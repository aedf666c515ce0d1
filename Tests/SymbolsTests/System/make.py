"""Makes a library of a system as symx and symsorter lay it out: a symbol table, no debug information, packed with zstd.

make.py (needs the program zstd). What it makes is committed.
"""

import json
import os
import struct
import subprocess

BASE, CODE = 0x1A2B3C000, 0x400
UUID = "1c5a0f0e11223344a5a6b7b8c9cadbdc"
FUNCTIONS = {"-[TillKit open]": 0, "_till_close": 0x20, "_$s7TillKit4scanyySiF": 0x40}
LENGTH = 0x60

strings, symbols = b" \0", b""
for name, offset in FUNCTIONS.items():
    symbols += struct.pack("<IBBHQ", len(strings), 0x0F, 1, 0, BASE + CODE + offset)
    strings += name.encode() + b"\0"

end = CODE + LENGTH
section = struct.pack("<16s16sQQIIIIIIII", b"__text", b"__TEXT", BASE + CODE, LENGTH, CODE, 2, 0, 0, 0x80000400, 0, 0, 0)
text = struct.pack("<II16sQQQQiiII", 0x19, 152, b"__TEXT", BASE, 0x4000, 0, end, 5, 5, 1, 0) + section
linked = struct.pack(
    "<II16sQQQQiiII", 0x19, 72, b"__LINKEDIT", BASE + 0x4000, 0x4000, end, len(symbols) + len(strings), 1, 1, 0, 0)
table = struct.pack("<IIIIII", 0x2, 24, end, len(FUNCTIONS), end + len(symbols), len(strings))
uuid = struct.pack("<II16s", 0x1B, 24, bytes.fromhex(UUID))
path = b"/System/Library/PrivateFrameworks/TillKit.framework/TillKit".ljust(64, b"\0")
own = struct.pack("<IIIIII", 0xD, 24 + len(path), 24, 2, 0x10000, 0x10000) + path
commands = text + linked + own + table + uuid
header = struct.pack("<IIIIIIII", 0xFEEDFACF, 0x0100000C, 2, 6, 5, len(commands), 0x85, 0)
file = (header + commands).ljust(CODE, b"\0") + b"\x1f\x20\x03\xd5" * (LENGTH // 4) + symbols + strings

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ios", UUID[:2], UUID[2:])
os.makedirs(os.path.join(folder, "refs"), exist_ok=True)
open(os.path.join(folder, "refs", "18.0_22A3354"), "w").close()
with open(os.path.join(folder, "meta"), "w") as meta:
    json.dump({"name": "TillKit", "arch": "arm64e", "file_format": "macho"}, meta)
packed = subprocess.run(["zstd", "-10", "-c"], input=file, stdout=subprocess.PIPE, check=True).stdout
with open(os.path.join(folder, "executable"), "wb") as executable:
    executable.write(packed)
