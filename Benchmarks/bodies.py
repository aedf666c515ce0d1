"""Writes COUNT MetricKit payloads of about 9 KB that differ in release, device, system, day and values:
python3 bodies.py FOLDER COUNT"""
import json
import pathlib
import random
import sys

MODELS = [f"iPhone{family},{variant}" for family in range(12, 18) for variant in range(1, 5)]
SYSTEMS = ["16.7.8 (20H343)", "17.4.1 (21E236)", "17.6 (21G80)", "18.1 (22B83)", "18.6.2 (22G100)"]
EXITS = ["NormalApp", "MemoryResourceLimit", "CPUResourceLimit", "BadAccess", "Abnormal", "IllegalInstruction", "AppWatchdog"]


def histogram(dice, start, width, buckets):
    cells = {}
    for index in range(buckets):
        low = start + index * width
        cells[str(index)] = {
            "bucketCount": dice.randint(1, 12), "bucketStart": f"{low:,} ms", "bucketEnd": f"{low + width - 1:,} ms"}
    return {"histogramNumBuckets": buckets, "histogramValue": cells}


def payload(seed):
    dice = random.Random(seed)
    minor = 1 + seed % 10
    return {
        "appVersion": f"4.{minor}.0", "timeStampBegin": "2026-11-19 00:00:00", "timeStampEnd": "2026-11-19 23:59:00",
        "metaData": {
            "appBuildVersion": str(1200 + minor), "deviceType": dice.choice(MODELS), "regionFormat": "US", "pid": -1,
            "osVersion": f"iPhone OS {dice.choice(SYSTEMS)}", "platformArchitecture": "arm64e",
            "bundleIdentifier": "com.example.shop", "isTestFlightApp": False, "lowPowerModeEnabled": False},
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
        "displayMetrics": {"averagePixelLuminance": {"averageValue": "50 apl", "standardDeviation": 1, "sampleCount": 9}},
        "signpostMetrics": [
            {"signpostCategory": "Flow", "signpostName": f"Step{index}", "totalSignpostCount": 30,
             "signpostIntervalData": {
                 "histogrammedSignpostDurations": histogram(dice, 0, 100, 6), "signpostCumulativeCPUTime": "30,000 ms",
                 "signpostAverageMemory": "100,000 kB", "signpostCumulativeLogicalWrites": "600 kB"}}
            for index in range(5)],
    }


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for number in range(int(sys.argv[2])):
    (folder / f"{number:04}.json").write_text(json.dumps(payload(number), indent=1))
