"""Flame graphs of the four main loads as SVG: where the server's processor time goes while requests are answered and
digested. Needs perf (apt-get install linux-perf), and swift to read the names of functions."""
import collections
import os
import re
import shutil
import subprocess
import sys
from html import escape

import ingest
import traffic
import wrk
from servers import ROOT, DataFolder, Plumb

LOADS = ("metrickit", "fleet", "sentry-crash", "metrickit-crash")
IMAGES = ROOT / "docs/images"
# Frames that only pass a call on. Their callees take their place.
PASSING = re.compile(
    r"closure #|thunk for|partial apply|protocol witness|outlined |specialized |_dispatch|start_thread|clone3|DispatchQueue"
    r"|_syncHelper|@objc|withUnsafe|destroy for|initializeWithCopy|assignWithTake|<deduplicated>|RefCounts|swift_arrayDestroy"
    r"|__deallocating_deinit|_swift_release_dealloc|Database\.inTransaction|DatabaseWriter\.|SerializedDatabase\.")
KINDS = {
    "own": "Plumb", "swift": "Swift's library", "libc": "C library", "library": "zstd, SQLite, simdjson, libmicrohttpd",
    "kernel": "kernel"}
WIDTH, ROW, LEAST, DEEPEST = 1_200, 17, 0.004, 32
STYLE = """
text { font: 11px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 15px; font-weight: 600 }
.paper { fill: #ffffff } rect { stroke: #ffffff; stroke-width: 0.5 }
.own { fill: #9ecbff } .swift { fill: #d9c2ff } .libc { fill: #ffd8a8 } .library { fill: #aceebb } .kernel { fill: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .paper { fill: #0d1117 } rect { stroke: #0d1117 }
  .own { fill: #1f5a99 } .swift { fill: #5f3da8 } .libc { fill: #8a5a13 } .library { fill: #1f6f3a } .kernel { fill: #4b535d }
}
"""


def measure(options, suffix):
    """Writes docs/images/flame-LOAD.svg for each load, with `suffix` before the ending."""
    missing = [tool for tool in ("perf", "swift") if not shutil.which(tool)]
    if missing:
        sys.exit(f"ONLY=flames needs {' and '.join(missing)}.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in LOADS:
        load = ingest.LOADS[name]
        file = traffic.file(name + options.suffix, lambda: load.make(options))
        with DataFolder() as data, Plumb(data) as server:
            wrk.post(server.url, file, data.keys[0], 2)
            server.catch_up()
            samples = data.parent / "samples"
            recorder = subprocess.Popen(
                ["perf", "record", "-q", "-F", "1500", "-g", "-p", str(server.pid), "-o", samples],
                stderr=subprocess.DEVNULL)
            before = server.cpu()
            sent = wrk.post(server.url, file, data.keys[0], options.seconds)
            server.catch_up()
            spent = (server.cpu() - before) / sent.count * 1e6
            recorder.send_signal(2)
            recorder.wait()
            path = IMAGES / f"flame-{name}{suffix}.svg"
            path.write_text(graph(f"{load.title}: {spent:.0f} µs of processor time a request", tree(stacks(samples))))
        print(f"{path.relative_to(ROOT)}: {spent:.0f} µs")


def stacks(samples):
    """The number of samples of each stack: a list of (function, kind), outermost first."""
    script = subprocess.run(
        ["perf", "script", "-i", samples, "-F", "comm,tid,ip,sym,dso"], capture_output=True, text=True,
        check=True).stdout
    found = []
    for block in script.split("\n\n"):
        head, *frames = block.strip("\n").split("\n")
        if not frames:
            continue
        # Threads of dispatch queues are named after their quality of service. All others serve connections.
        answers = "qos" not in head.split()[0]
        stack = [("answering" if answers else "journal and digest", "own")]
        parsed = [re.match(r"\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$", frame) for frame in frames]
        stack += [(named(match[1], match[2]), kind(match[2])) for match in reversed(parsed) if match]
        found.append(stack)
    names = sorted({name for stack in found for name, _ in stack})
    readable = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), capture_output=True, text=True,
        check=True).stdout.split("\n")
    short = {name: shortened(text) for name, text in zip(names, readable)}
    counts = collections.Counter()
    for stack in found:
        kept = []
        for name, of in stack:
            if of == "kernel":
                kept.append(("kernel", of))
                break
            name = short[name]
            if name and (not kept or kept[-1][0] != name):
                kept.append((name, "swift" if name.startswith(("swift_", "_swift", "swift::")) else of))
        counts[tuple(kept)] += 1
    return counts


def named(function, library):
    """A function without a name is called like its library."""
    return function if function != "[unknown]" else os.path.basename(library).split(".so")[0]


def kind(library):
    name = os.path.basename(library)
    if "kernel" in name or name == "[vdso]":
        return "kernel"
    if name.startswith("plumb"):
        return "own"
    if name.startswith(("libswift", "libFoundation", "lib_Foundation", "libdispatch")):
        return "swift"
    return "libc" if name.startswith(("libc.", "ld-", "libc-", "libm.")) else "library"


def shortened(text):
    """A function's name without arguments; empty if its callees take its place."""
    if PASSING.search(text) or text.startswith("[unknown"):
        return ""
    return re.sub(r"<.*?>", "", text.split("(")[0]).strip()[-60:]


def tree(counts):
    root = {"count": 0, "below": {}}
    for stack, count in counts.items():
        node = root
        node["count"] += count
        for name, of in stack:
            node = node["below"].setdefault(name, {"count": 0, "kind": of, "below": {}})
            node["count"] += count
    return root


def graph(title, root):
    boxes, total = [], root["count"]

    def place(node, x, depth):
        for name, below in sorted(node["below"].items(), key=lambda item: -item[1]["count"]):
            width = below["count"] / total * WIDTH
            if below["count"] / total >= LEAST and depth < DEEPEST:
                boxes.append((x, depth, width, name, below["kind"], below["count"] / total * 100))
                place(below, x, depth + 1)
            x += width

    place(root, 0, 0)
    height = (max(depth for _, depth, *_ in boxes) + 1) * ROW + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">', f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>', f'<text class="title" x="8" y="20">{escape(title)}</text>']
    at = 8
    for name, words in KINDS.items():
        out.append(f'<rect class="{name}" x="{at}" y="30" width="12" height="12"/><text x="{at + 17}" y="40">{words}</text>')
        at += 40 + 6 * len(words)
    for x, depth, width, name, of, share in boxes:
        y = 50 + depth * ROW
        room = int((width - 6) / 6.2)
        label = name if len(name) <= room else name[:room - 1] + "…" if room > 4 else ""
        out.append(
            f'<g><title>{escape(name)}: {share:.1f} %</title><rect class="{of}" x="{x:.1f}" y="{y}" width="{width:.1f}" '
            f'height="{ROW - 1}"/>' + (f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(label)}</text>' if label else "") + "</g>")
    return "\n".join(out + ["</svg>", ""])
