"""Invented bodies of MetricKit. The same seed gives the same bodies.

In a body with `ID`, the load generator replaces it with 32 hexadecimal digits that no other request has."""
import json
import random
from dataclasses import dataclass

ID = "f00dfeedf00dfeedf00dfeedf00dfeed"

EXITS = [
    "NormalApp", "MemoryResourceLimit", "CPUResourceLimit", "BadAccess", "Abnormal", "IllegalInstruction",
    "AppWatchdog"]
BINARIES = ["Shop", "ShopKit", "Checkout", "UIKitCore", "CoreFoundation", "libdispatch.dylib", "SwiftUI", "Foundation"]


@dataclass
class Origin:
    """The information about a phone in a report. It determines the report's cell in the store."""
    model: str
    system: str
    minor: int
    day: str

    @property
    def version(self):
        return f"4.{self.minor}.0"

    @property
    def build(self):
        return str(1200 + self.minor)


MODELS = [f"iPhone{family},{variant}" for family in range(10, 20) for variant in range(1, 7)]
SYSTEMS = [
    f"{major}.{minor} ({major + 4}{letter}{100 + 10 * minor})"
    for major, letter in zip(range(16, 21), "ABCDE") for minor in range(5)]


def plain(seed, day):
    """One of 24 models, five OS versions and ten releases, all of one day."""
    dice = random.Random(seed)
    return Origin(dice.choice(MODELS[12:36]), dice.choice(SYSTEMS[::5]), 1 + seed % 10, day)


def fleet(seed, days):
    """One of 60 models, 25 OS versions, 20 releases and the given days, like the phones of a large app."""
    dice = random.Random(1_000_003 * (seed + 1))
    return Origin(dice.choice(MODELS), dice.choice(SYSTEMS), dice.randint(1, 20), dice.choice(days))


def histogram(dice, start, width, buckets):
    cells = {}
    for index in range(buckets):
        low = start + index * width
        cells[str(index)] = {
            "bucketCount": dice.randint(1, 12), "bucketStart": f"{low:,} ms", "bucketEnd": f"{low + width - 1:,} ms"}
    return {"histogramNumBuckets": buckets, "histogramValue": cells}


def meta(origin):
    return {
        "appBuildVersion": origin.build, "deviceType": origin.model, "regionFormat": "US", "pid": -1,
        "osVersion": f"iPhone OS {origin.system}", "platformArchitecture": "arm64e",
        "bundleIdentifier": "com.example.shop", "isTestFlightApp": False, "lowPowerModeEnabled": False}


def metrics(seed, origin):
    """A phone's day, 9 KB."""
    dice = random.Random(seed)
    document = {
        "appVersion": origin.version, "timeStampBegin": f"{origin.day} 00:00:00",
        "timeStampEnd": f"{origin.day} 23:59:00", "metaData": meta(origin),
        "applicationLaunchMetrics": {
            "histogrammedTimeToFirstDrawKey": histogram(dice, 600, 10, 12),
            "histogrammedOptimizedTimeToFirstDrawKey": histogram(dice, 300, 10, 6),
            "histogrammedResumeTime": histogram(dice, 100, 10, 8),
            "histogrammedExtendedLaunch": histogram(dice, 900, 10, 5)},
        "applicationResponsivenessMetrics": {"histogrammedAppHangTime": histogram(dice, 250, 100, 9)},
        "applicationTimeMetrics": {
            "cumulativeForegroundTime": f"{dice.randint(60, 9000):,} sec", "cumulativeBackgroundTime": "400 sec",
            "cumulativeBackgroundAudioTime": "0 sec", "cumulativeBackgroundLocationTime": "0 sec"},
        "applicationExitMetrics": {
            place: {f"cumulative{kind}ExitCount": dice.randint(0, 2) for kind in EXITS}
            for place in ("foregroundExitData", "backgroundExitData")},
        "memoryMetrics": {
            "peakMemoryUsage": f"{dice.randrange(90_000, 420_000):,} kB",
            "averageSuspendedMemory": {"averageValue": "70,000 kB", "standardDeviation": 0, "sampleCount": 40}},
        "cpuMetrics": {"cumulativeCPUTime": "100 sec", "cumulativeCPUInstructions": "3,990,413 kiloinstructions"},
        "gpuMetrics": {"cumulativeGPUTime": "20 sec"}, "diskIOMetrics": {"cumulativeLogicalWrites": "1,300 kB"},
        "networkTransferMetrics": {
            f"cumulative{kind}": f"{dice.randint(1, 90_000):,} kB"
            for kind in ("WifiUpload", "WifiDownload", "CellularUpload", "CellularDownload")},
        "animationMetrics": {"scrollHitchTimeRatio": f"{dice.randint(0, 9)} ms per s"},
        "displayMetrics": {
            "averagePixelLuminance": {"averageValue": "50 apl", "standardDeviation": 1, "sampleCount": 9}},
        "signpostMetrics": [
            {"signpostCategory": "Flow", "signpostName": f"Step{index}", "totalSignpostCount": 30,
             "signpostIntervalData": {
                 "histogrammedSignpostDurations": histogram(dice, 0, 100, 6), "signpostCumulativeCPUTime": "30,000 ms",
                 "signpostAverageMemory": "100,000 kB", "signpostCumulativeLogicalWrites": "600 kB"}}
            for index in range(5)],
    }
    return json.dumps(document).encode()


def uuid(number):
    return f"{number:08X}-1111-2222-3333-{number:012X}"


def stack(dice, frames):
    """A thread in MetricKit's form: each frame is inside the frame that it called."""
    inner = None
    for _ in range(frames):
        binary = dice.randrange(len(BINARIES))
        offset = 64 * dice.randrange(1, 20_000)
        frame = {
            "binaryUUID": uuid(binary + 1), "offsetIntoBinaryTextSegment": offset, "sampleCount": 1,
            "binaryName": BINARIES[binary], "address": 4_300_000_000 + 50_000_000 * binary + offset}
        if inner:
            frame["subFrames"] = [inner]
        inner = frame
    return inner


def crash(seed, origin):
    """A crash of four threads with 41 frames each, 29 KB, with one of forty causes."""
    dice = random.Random(7 + seed % 40)
    threads = [{"threadAttributed": index == 0, "callStackRootFrames": [stack(dice, 41)]} for index in range(4)]
    document = {
        "timeStampBegin": f"{origin.day} 00:00:00", "timeStampEnd": f"{origin.day} 23:59:00",
        "crashDiagnostics": [{
            "version": "1.0.0", "callStackTree": {"callStackPerThread": True, "callStacks": threads},
            "diagnosticMetaData": {
                **meta(origin), "appVersion": origin.version, "exceptionType": 1, "exceptionCode": 0, "signal": 11,
                "terminationReason": "Namespace SIGNAL, Code 0xb",
                "virtualMemoryRegionInfo": f"0 is not in any region. Bytes before following region: {ID}"}}]}
    return json.dumps(document).encode()
