#!/usr/bin/env python3
"""Writes the tables of unit words, from a table of what MetricKit's formatter says in each locale.

    make_unit_words.py LOCALES.tsv

LOCALES.tsv has one row per locale and columns named `second 20`, `kilobyte 1234567`: the number in words of that
locale (short unit names of the Unicode CLDR). It writes, from the root of the repository,

- Sources/Ingest/Decoding/MetricKit/Measurements/UnitWords+Durations.swift and UnitWords+Sizes.swift,
- Tests/DecodingTests/LocaleStyles+Table.swift, where `_` is U+00A0, `~` U+202F, `>` U+200F and `#` the number.

Run `swift format -i` on what it wrote.
"""
import csv
import os
import re
import sys
import unicodedata

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
MARKS = "\u200e\u200f\u061c"
SCALES = {"second": "1e6", "millisecond": "1e3", "byte": "1", "kilobyte": "1e3", "megabyte": "1e6", "gigabyte": "1e9"}

# Words of other releases, of the plural, and of units that no key is written in but somebody might.
DURATIONS = {
    "1e6": "sec secs secs. sec. s second seconds сек. сек с sek sek. seg. δευτ. sn sn. mp 秒 秒钟 초 ث วิ giây dtk",
    "1e3": "ms millisec millisecs millisecond milliseconds мс мсек 毫秒 ミリ秒 밀리초 msn msan md",
    "1": "µs μs us microseconds",
    "1e-3": "ns nanoseconds",
    "6e7": "min mins minute minutes",
    "3.6e9": "h hr hrs hour hours",
}
SIZES = {
    "1": "byte bytes B o octet octets Б байт 字节 位元組 バイト 바이트 bayt byter",
    "1e3": "kB KB ko Ko kt кБ КБ 千字节",
    "1e6": "MB Mo Mt МБ 兆字节",
    "1e9": "GB Go Gt ГБ 吉字节",
    "1024": "KiB",
    "1_048_576": "MiB",
    "1_073_741_824": "GiB",
}


def pattern(cell):
    """The cell with `#` in place of its number."""
    places = [i for i, c in enumerate(cell) if unicodedata.category(c) == "Nd"]
    return cell[: places[0]] + "#" + cell[places[-1] + 1 :]


def word(cell):
    text = "".join(c for c in pattern(cell) if c not in MARKS).replace("#", " ")
    return " ".join(text.split())


def merged(rows, family, extra):
    """The words of each scale in a steady order; a word with two meanings stops the script."""
    words = {scale: list(text.split()) for scale, text in extra.items()}
    for row in rows:
        for column, cell in row.items():
            unit = column.split()[0]
            if unit in family and word(cell) not in words[SCALES[unit]]:
                words[SCALES[unit]].append(word(cell))
    meanings = {}
    for scale, list_ in words.items():
        for spelling in list_:
            folded = re.sub("[\u200c\u200d]", "", spelling).lower().removesuffix(".")
            if meanings.setdefault(folded, scale) != scale:
                sys.exit(f"{spelling} means {scale} and {meanings[folded]}")
    return words


def literal(text):
    return '"' + re.sub("[\u200c\u200d]", lambda m: "\\u{%X}" % ord(m[0]), text) + '"'


def write_words(path, name, comment, words):
    groups = "".join(f"    ({s}, [{', '.join(map(literal, w))}]),\n" for s, w in words.items())
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(
            "// Written by Tests/DecodingTests/Reference/make_unit_words.py. A word that is missing belongs there.\n\n"
            f"extension UnitWords {{\n  /// {comment}\n"
            f"  static let {name}: [(scale: Double, words: [String])] = [\n{groups}  ]\n}}\n")


def visible(text):
    text = text.replace("\u00a0", "_").replace("\u202f", "~").replace("\u200f", ">")
    return re.sub("[\u200c\u200d]", lambda m: "\\u{%X}" % ord(m[0]), text)


def style(row):
    cells = [row["locale"], visible(row["number 1234567.89"])]
    for unit in SCALES:
        forms = [visible(pattern(row[f"{unit} {n}"])) for n in (1, 20, 1234567)]
        assert forms[1] == forms[2], forms
        cells.append(forms[1] if forms[0] == forms[1] else "/".join(forms[:2]))
    return "|".join(cells)


def write_styles(rows):
    lines = "".join(f"    {style(row)}\n" for row in rows)
    with open(os.path.join(ROOT, "Tests/DecodingTests/LocaleStyles+Table.swift"), "w", encoding="utf-8") as file:
        file.write(
            "// Written by Reference/make_unit_words.py.\n\nextension LocaleStyle {\n"
            "  /// locale|number|second|millisecond|byte|kilobyte|megabyte|gigabyte, where `_` is U+00A0, `~` U+202F,\n"
            "  /// `>` U+200F and `#` the number; `one/other` where one is written differently.\n"
            f'  static let table = """\n{lines}    """\n}}\n')


with open(sys.argv[1], encoding="utf-8", newline="") as source:
    locales = list(csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE))
folder = "Sources/Ingest/Decoding/MetricKit/Measurements/UnitWords+"
durations = merged(locales, {"second", "millisecond"}, DURATIONS)
sizes = merged(locales, {"byte", "kilobyte", "megabyte", "gigabyte"}, SIZES)
write_words(folder + "Durations.swift", "durations", "Times, in microseconds.", durations)
write_words(folder + "Sizes.swift", "sizes", "Amounts of data, in bytes. MetricKit's prefixes are decimal.", sizes)
write_styles(locales)
