import TestSupport

/// A payload as iOS 18 writes it (no zone, no grouping), with every section. Buckets are 10 ms wide with inclusive ends
/// where a device writes them so, and stand in random order.
let completePayload = #"""
  {
    "appVersion" : "4.2.0",
    "timeStampBegin" : "2026-11-18 00:00:00",
    "timeStampEnd" : "2026-11-18 23:59:00",
    "metaData" : {
      "appBuildVersion" : "1234", "osVersion" : "iPhone OS 18.6.2 (22G100)", "regionFormat" : "DE",
      "deviceType" : "iPhone15,2", "platformArchitecture" : "arm64e", "bundleIdentifier" : "com.example.shop",
      "lowPowerModeEnabled" : false, "isTestFlightApp" : false, "pid" : -1
    },
    "applicationTimeMetrics" : {
      "cumulativeForegroundTime" : "6879 sec", "cumulativeBackgroundTime" : "412 sec",
      "cumulativeBackgroundAudioTime" : "31 sec", "cumulativeBackgroundLocationTime" : "32 sec"
    },
    "applicationLaunchMetrics" : {
      "histogrammedTimeToFirstDrawKey" : { "histogramNumBuckets" : 3, "histogramValue" : {
        "10" : { "bucketCount" : 1, "bucketStart" : "1530 ms", "bucketEnd" : "1539 ms" },
        "2" : { "bucketCount" : 4, "bucketStart" : "830 ms", "bucketEnd" : "839 ms" },
        "1" : { "bucketCount" : 3, "bucketStart" : "820 ms", "bucketEnd" : "829 ms" } } },
      "histogrammedOptimizedTimeToFirstDrawKey" : { "histogramNumBuckets" : 1, "histogramValue" : {
        "0" : { "bucketCount" : 5, "bucketStart" : "410 ms", "bucketEnd" : "419 ms" } } },
      "histogrammedResumeTime" : { "histogramNumBuckets" : 1, "histogramValue" : {
        "0" : { "bucketCount" : 1, "bucketStart" : "1190070 ms", "bucketEnd" : "1190079 ms" } } },
      "histogrammedExtendedLaunch" : { "histogramNumBuckets" : 1, "histogramValue" : {
        "0" : { "bucketCount" : 2, "bucketStart" : "2000 ms", "bucketEnd" : "2010 ms" } } }
    },
    "applicationResponsivenessMetrics" : {
      "histogrammedAppHangTime" : { "histogramNumBuckets" : 2, "histogramValue" : {
        "1" : { "bucketCount" : 1, "bucketStart" : "9000 ms", "bucketEnd" : "9010 ms" },
        "0" : { "bucketCount" : 6, "bucketStart" : "300 ms", "bucketEnd" : "399 ms" } } }
    },
    "applicationExitMetrics" : {
      "foregroundExitData" : {
        "cumulativeNormalAppExitCount" : 11, "cumulativeMemoryResourceLimitExitCount" : 12,
        "cumulativeCPUResourceLimitExitCount" : 13, "cumulativeBadAccessExitCount" : 14,
        "cumulativeAbnormalExitCount" : 15, "cumulativeIllegalInstructionExitCount" : 16,
        "cumulativeAppWatchdogExitCount" : 17 },
      "backgroundExitData" : {
        "cumulativeNormalAppExitCount" : 21, "cumulativeMemoryResourceLimitExitCount" : 22,
        "cumulativeCPUResourceLimitExitCount" : 23, "cumulativeBadAccessExitCount" : 24,
        "cumulativeAbnormalExitCount" : 25, "cumulativeIllegalInstructionExitCount" : 26,
        "cumulativeAppWatchdogExitCount" : 27, "cumulativeMemoryPressureExitCount" : 28,
        "cumulativeSuspendedWithLockedFileExitCount" : 29, "cumulativeBackgroundTaskAssertionTimeoutExitCount" : 30,
        "cumulativeBackgroundURLSessionCompletionTimeoutExitCount" : 31,
        "cumulativeBackgroundFetchCompletionTimeoutExitCount" : 32 }
    },
    "memoryMetrics" : {
      "peakMemoryUsage" : "1106818 kB",
      "averageSuspendedMemory" : { "averageValue" : "64000 kB", "standardDeviation" : 12, "sampleCount" : 3 }
    },
    "cpuMetrics" : { "cumulativeCPUTime" : "271 sec", "cumulativeCPUInstructions" : "3990413161 kiloinstructions" },
    "gpuMetrics" : { "cumulativeGPUTime" : "20 sec" },
    "diskIOMetrics" : { "cumulativeLogicalWrites" : "1300 kB" },
    "networkTransferMetrics" : {
      "cumulativeWifiUpload" : "1 kB", "cumulativeWifiDownload" : "2 kB", "cumulativeCellularUpload" : "3 kB",
      "cumulativeCellularDownload" : "4 kB" },
    "displayMetrics" : {
      "averagePixelLuminance" : { "averageValue" : "50 apl", "standardDeviation" : 0, "sampleCount" : 500 } },
    "cellularConditionMetrics" : { "cellConditionTime" : { "histogramNumBuckets" : 2, "histogramValue" : {
        "0" : { "bucketCount" : 20, "bucketStart" : "1 bars", "bucketEnd" : "1 bars" },
        "1" : { "bucketCount" : 80, "bucketStart" : "2 bars", "bucketEnd" : "2 bars" } } } },
    "locationActivityMetrics" : {
      "cumulativeBestAccuracyForNavigationTime" : "41 sec", "cumulativeBestAccuracyTime" : "42 sec",
      "cumulativeNearestTenMetersAccuracyTime" : "43 sec", "cumulativeHundredMetersAccuracyTime" : "44 sec",
      "cumulativeKilometerAccuracyTime" : "45 sec", "cumulativeThreeKilometersAccuracyTime" : "46 sec" },
    "animationMetrics" : { "scrollHitchTimeRatio" : "7 ms per s", "hitchTimeRatio" : "1.5 ms per s" },
    "diskSpaceUsageMetrics" : {
      "totalBinaryFileSize" : "100 kB", "totalDataFileSize" : "200 kB", "totalCacheFolderSize" : "300 kB",
      "totalCloneSize" : "0 kB", "totalDiskSpaceUsedSize" : "600 kB", "totalDiskSpaceCapacity" : "128000000 kB",
      "totalBinaryFileCount" : 3, "totalDataFileCount" : 512 },
    "signpostMetrics" : [
      { "signpostCategory" : "Checkout", "signpostName" : "Load Cart→", "totalSignpostCount" : 30,
        "signpostIntervalData" : {
          "histogrammedSignpostDurations" : { "histogramNumBuckets" : 1, "histogramValue" : {
            "0" : { "bucketCount" : 30, "bucketStart" : "100 ms", "bucketEnd" : "200 ms" } } },
          "signpostCumulativeCPUTime" : "30530 ms", "signpostAverageMemory" : "100000 kB",
          "signpostCumulativeLogicalWrites" : "600 kB", "signpostCumulativeHitchTimeRatio" : "50 ms per s" } },
      { "signpostCategory" : "Checkout", "signpostName" : "Tapped", "totalSignpostCount" : 9 }
    ]
  }
  """#

/// The few sections of a quiet day on an iPhone with an LCD and a Chinese iOS 14.
let sparsePayload = #"""
  {
    "appVersion" : "1.2", "timeStampBegin" : "2020-10-23 16:00:00 +0000", "timeStampEnd" : "2020-10-24 15:59:00 +0000",
    "metaData" : { "appBuildVersion" : "7", "osVersion" : "iPhone OS 14.0.1 (18A393)", "regionFormat" : "CN",
      "deviceType" : "iPhone11,8", "platformArchitecture" : "arm64e" },
    "applicationExitMetrics" : { "backgroundExitData" : { "cumulativeMemoryPressureExitCount" : 13 },
      "foregroundExitData" : { } },
    "applicationLaunchMetrics" : { "histogrammedResumeTime" : { "histogramNumBuckets" : 1, "histogramValue" : {
      "0" : { "bucketCount" : 2, "bucketStart" : "1,530毫秒", "bucketEnd" : "1,539毫秒" } } } },
    "memoryMetrics" : { "peakMemoryUsage" : "1,106,818千字节" },
    "displayMetrics" : { "averagePixelLuminance" : {
      "averageValue" : "0 apl", "standardDeviation" : -1, "sampleCount" : 0 } },
    "signpostMetrics" : [ ]
  }
  """#

/// One native document with every array.
let nativeDocument = #"""
  {"app": {"bundle_id": "com.example.shop", "version": "4.2.0", "build": "1234"},
   "device": {"model": "iPhone15,2", "os": "iOS 17.4.1 (21E236)"},
   "environment": "staging", "installation": "install-1",
   "sessions": [
     {"id": "s1", "started": "2026-11-20T10:00:00Z", "status": "exited", "seq": 3, "duration": 312.5},
     {"id": "s2", "started": 1795168800, "status": "errored"},
     {"id": "s3", "started": 1795168800123, "status": "abnormal"}],
   "measurements": [
     {"metric": "screen.load", "value": 0.42, "unit": "s", "label": "CartView", "at": "2026-11-20T11:01:00+01:00"},
     {"metric": "swiftui.body", "value": 0.5, "unit": "ms"},
     {"metric": "memory.screen", "value": 3, "unit": "MiB"},
     {"metric": "search.results", "value": 17}],
   "histograms": [
     {"metric": "hang.duration", "unit": "s", "bounds": [0.25, 0.5, 1], "counts": [3, 0, 1, 2],
      "at": "2026-11-20T10:00:00Z"}],
   "counters": [{"metric": "time.foreground", "value": 2, "unit": "min", "at": "2026-11-20T10:00:00Z"}],
   "crashes": [{"at": "2026-11-20T10:05:00Z", "session": "s1", "exception": "EXC_BAD_ACCESS"}]}
  """#
