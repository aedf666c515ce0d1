"""Invented bodies of the other formats: Sentry's envelopes, OTLP in both encodings, native JSON, Apple's crash reports."""
import json
import random
import struct

from bodies import BINARIES, ID, uuid

FUNCTIONS = [
    f"{kind}{noun}.{verb}(_:completion:)"
    for kind in ("Cart", "Order", "Search", "Profile", "Catalogue") for noun in ("ViewController", "Store", "Loader")
    for verb in ("load", "update", "select", "render", "fetch", "cancel", "decode", "persist")]
SCREENS = ["Home", "Search", "Product", "Cart", "Checkout", "Profile"]
BOUNDS = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 800.0, 1000.0, 1500.0, 2000.0]


# Sentry

def compact(document):
    return json.dumps(document, separators=(",", ":")).encode()


def envelope(kind, item, head):
    body = compact(item)
    lines = [compact(head), compact({"type": kind, "length": len(body)}), body]
    return b"\n".join(lines) + b"\n"


def sentry_crash(seed, origin):
    """A crash event of a Cocoa client with 40 frames, 8.3 KB, with one of forty causes."""
    dice = random.Random(11 + seed % 40)
    frames = []
    for depth in range(40):
        binary = dice.randrange(len(BINARIES))
        base = 0x100000000 + 0x1000000 * binary
        symbol = base + 64 * dice.randrange(1, 20_000)
        frames.append({
            "function": dice.choice(FUNCTIONS), "in_app": binary < 3, "package": BINARIES[binary],
            "instruction_addr": f"0x{symbol + 16:x}", "image_addr": f"0x{base:x}"})
    images = [
        {"type": "macho", "debug_id": uuid(index + 1), "image_addr": f"0x{0x100000000 + 0x1000000 * index:x}",
         "image_size": 0x400000, "code_file": f"/private/var/containers/Bundle/{name}"}
        for index, name in enumerate(BINARIES)]
    event = {
        "event_id": ID, "timestamp": f"{origin.day}T12:00:00Z", "platform": "cocoa", "level": "fatal",
        "release": f"com.example.shop@{origin.version}+{origin.build}", "environment": "production",
        "user": {"id": f"user-{seed}"}, "transaction": "CheckoutViewController", "dist": origin.build,
        "tags": {"locale": "de_DE", "storefront": "DEU", "channel": "App Store", "network": "wifi", "theme": "dark"},
        "contexts": {
            "device": {"model": origin.model, "family": "iOS", "arch": "arm64e", "memory_size": 5_900_000_000},
            "os": {"name": "iOS", "version": origin.system.split(" ")[0]},
            "app": {"app_identifier": "com.example.shop", "app_version": origin.version}},
        "exception": {"values": [{
            "type": "EXC_BAD_ACCESS", "value": f"KERN_INVALID_ADDRESS in {dice.choice(FUNCTIONS)}",
            "mechanism": {"type": "mach", "handled": False}, "stacktrace": {"frames": frames}}]},
        "debug_meta": {"images": images}}
    return envelope("event", event, {"event_id": ID, "sdk": {"name": "sentry.cocoa", "version": "8.30.0"}})


def sentry_session(seed, origin):
    """The update with which a session begins or ends."""
    dice = random.Random(seed)
    update = {
        "sid": ID, "did": f"user-{dice.randrange(50_000)}", "init": True,
        "started": f"{origin.day}T12:{seed % 60:02}:00Z", "timestamp": f"{origin.day}T13:00:00Z",
        "status": "crashed" if dice.random() < 0.004 else "exited", "seq": 1,
        "duration": 312.5, "errors": 0,
        "attrs": {"release": f"com.example.shop@{origin.version}+{origin.build}", "environment": "production"}}
    return envelope("session", update, {"sdk": {"name": "sentry.cocoa", "version": "8.30.0"}})


# Native

def app_and_device(origin):
    return {
        "app": {"bundle_id": "com.example.shop", "version": origin.version, "build": origin.build},
        "device": {"model": origin.model, "os": f"iOS {origin.system}"}, "environment": "production"}


def native(seed, origin):
    """A session and a measurement."""
    dice = random.Random(seed)
    at = f"{origin.day}T12:{seed % 60:02}:00Z"
    return json.dumps({
        **app_and_device(origin), "installation": f"user-{dice.randrange(50_000)}",
        "sessions": [{"id": ID, "started": at, "status": "crashed" if dice.random() < 0.004 else "exited"}],
        "measurements": [{
            "metric": "screen.load", "value": round(dice.lognormvariate(5.8, 0.5), 1), "unit": "ms",
            "label": dice.choice(SCREENS), "at": at}]}).encode()


def session_burst(seed, origin):
    """A thousand sessions of a hundred people, like the backlog of a proxy that was offline."""
    documents = [
        {**app_and_device(origin), "installation": f"{ID}-{person}",
         "sessions": [
             {"id": f"{ID}-{person}-{turn}", "started": f"{origin.day}T{turn:02}:{person % 60:02}:00Z",
              "status": "crashed" if (seed + person + turn) % 251 == 0 else "exited"} for turn in range(10)]}
        for person in range(100)]
    return "\n".join(json.dumps(document) for document in documents).encode()


def labels(seed, origin):
    """A hundred measurements, each with a unique label of 190 bytes."""
    at = f"{origin.day}T12:00:00Z"
    return json.dumps({
        **app_and_device(origin),
        "measurements": [
            {"metric": "screen.load", "value": 300 + number, "unit": "ms", "at": at,
             "label": f"{ID}-{number}-".ljust(190, "x")} for number in range(100)]}).encode()


# OTLP

def points(seed):
    """Eight histograms, two of launches and six of screens, as name, label, counts and sum."""
    dice = random.Random(seed)
    for index in range(8):
        counts = [dice.randint(0, 9) for _ in range(len(BOUNDS) + 1)]
        name = ("launch.first_draw", "launch.resume")[index] if index < 2 else "screen.load"
        yield name, None if index < 2 else SCREENS[index - 2], counts, float(sum(counts) * 420)


def resource(origin):
    return {
        "service.name": "com.example.shop", "service.version": origin.version, "app.build_id": origin.build,
        "device.model.identifier": origin.model, "os.name": "iOS", "os.version": origin.system.split(" ")[0],
        "deployment.environment.name": "production"}


def otlp_json(seed, origin, nanoseconds):
    def attributes(values):
        return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]

    metrics = [
        {"name": name, "unit": "ms", "histogram": {"aggregationTemporality": 1, "dataPoints": [{
            "startTimeUnixNano": str(nanoseconds - 60_000_000_000), "timeUnixNano": str(nanoseconds),
            "count": str(sum(counts)), "sum": total, "bucketCounts": [str(count) for count in counts],
            "explicitBounds": BOUNDS, "attributes": attributes({"screen.name": screen} if screen else {})}]}}
        for name, screen, counts, total in points(seed)]
    return compact({"resourceMetrics": [{
        "resource": {"attributes": attributes(resource(origin))},
        "scopeMetrics": [{"scope": {"name": "metrics", "version": "1.0"}, "metrics": metrics}]}]})


def otlp_protobuf(seed, origin, nanoseconds):
    """The same request with the field numbers of otlp.proto."""
    def varint(number):
        out = bytearray()
        while number > 0x7F:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes(out + bytes([number]))

    def part(field, content):
        content = content.encode() if isinstance(content, str) else content
        return varint(field << 3 | 2) + varint(len(content)) + content

    def fixed(field, layout, value):
        return varint(field << 3 | 1) + struct.pack(layout, value)

    def attributes(field, values):
        return b"".join(part(field, part(1, key) + part(2, part(1, value))) for key, value in values.items())

    metrics = b""
    for name, screen, counts, total in points(seed):
        point = (
            fixed(2, "<Q", nanoseconds - 60_000_000_000) + fixed(3, "<Q", nanoseconds) + fixed(4, "<Q", sum(counts))
            + fixed(5, "<d", total) + part(6, struct.pack(f"<{len(counts)}Q", *counts))
            + part(7, struct.pack(f"<{len(BOUNDS)}d", *BOUNDS))
            + attributes(9, {"screen.name": screen} if screen else {}))
        histogram = part(1, point) + varint(2 << 3) + varint(1)
        metrics += part(2, part(1, name) + part(3, "ms") + part(9, histogram))
    scope = part(1, part(1, "metrics") + part(2, "1.0")) + metrics
    return part(1, part(1, attributes(1, resource(origin))) + part(2, scope))


# Apple's crash reports

def crash_report(seed, origin):
    """A crash report as text with six threads of 25 frames and 80 images, 23 KB."""
    dice = random.Random(29 + seed % 40)
    images = [name if name.endswith(".dylib") else f"{name}{index or ''}" for index in range(10) for name in BINARIES]
    lines = [
        f"Incident Identifier: {ID}", f"Hardware Model:      {origin.model}", "Process:             Shop [4711]",
        "Identifier:          com.example.shop", f"Version:             {origin.version} ({origin.build})",
        f"Date/Time:           {origin.day} 12:00:00.1234 +0000", f"OS Version:          iPhone OS {origin.system}", "",
        "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)", "Exception Codes: 0x0000000000000001, 0x0000000000000010",
        "Triggered by Thread:  0", ""]
    for thread in range(6):
        lines.append(f"Thread {thread}{'' if thread else ' Crashed'}:")
        for depth in range(25):
            image = dice.randrange(len(images))
            base, offset = 0x100000000 + 0x1000000 * image, 16 * dice.randrange(1, 20_000)
            place = f"{dice.choice(FUNCTIONS)} + {offset % 400}" if image % 8 > 2 else f"0x{base:x} + {offset}"
            lines.append(f"{depth:<4}{images[image]:<30}\t0x{base + offset:016x} {place}")
        lines.append("")
    lines.append("Binary Images:")
    for index, name in enumerate(images):
        base = 0x100000000 + 0x1000000 * index
        folder = "/private/var/containers/Bundle/Application/Shop.app" if index % 8 < 3 else "/usr/lib/system"
        lines.append(
            f"0x{base:x} - 0x{base + 0x3fffff:x} {name} arm64  <{uuid(index + 1).replace('-', '').lower()}> {folder}/{name}")
    return ("\n".join(lines) + "\n").encode()
