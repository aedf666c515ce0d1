/// Payloads of MetricKit with launches, exits and hangs.
package enum ExitPayload {
  /// Every counter of MetricKit, each with a number of its own.
  package static let foreground = [
    "cumulativeNormalAppExitCount": 40, "cumulativeMemoryResourceLimitExitCount": 1,
    "cumulativeCPUResourceLimitExitCount": 2, "cumulativeBadAccessExitCount": 3, "cumulativeAbnormalExitCount": 4,
    "cumulativeIllegalInstructionExitCount": 5, "cumulativeAppWatchdogExitCount": 6,
  ]
  package static let background = [
    "cumulativeNormalAppExitCount": 50, "cumulativeMemoryResourceLimitExitCount": 11,
    "cumulativeCPUResourceLimitExitCount": 12, "cumulativeBadAccessExitCount": 13, "cumulativeAbnormalExitCount": 14,
    "cumulativeIllegalInstructionExitCount": 15, "cumulativeAppWatchdogExitCount": 16,
    "cumulativeMemoryPressureExitCount": 17, "cumulativeSuspendedWithLockedFileExitCount": 18,
    "cumulativeBackgroundTaskAssertionTimeoutExitCount": 19,
    "cumulativeBackgroundURLSessionCompletionTimeoutExitCount": 20,
    "cumulativeBackgroundFetchCompletionTimeoutExitCount": 21,
  ]

  private static func json(_ counters: [String: Int]) -> String {
    "{" + counters.map { "\"\($0)\": \($1)" }.joined(separator: ",") + "}"
  }

  private static func histogram(_ buckets: [(String, String, Int)]) -> String {
    let values = buckets.enumerated().map { number, bucket in
      """
      "\(number)": {"bucketStart": "\(bucket.0)", "bucketEnd": "\(bucket.1)", "bucketCount": \(bucket.2)}
      """
    }
    return "{\"histogramNumBuckets\": \(buckets.count), \"histogramValue\": {\(values.joined(separator: ","))}}"
  }

  package static func body(
    _ number: Int, launches: Int = 10, resumes: Int = 90, foreground: [String: Int] = foreground,
    background: [String: Int] = background, hangs: [(String, String, Int)] = []
  ) -> String {
    let hangSection =
      hangs.isEmpty
      ? "" : ", \"applicationResponsivenessMetrics\": {\"histogrammedAppHangTime\": \(histogram(hangs))}"
    return """
      {"appVersion": "4.2.0", "timeStampBegin": "2026-11-19 00:00:00", "timeStampEnd": "2026-11-19 23:59:00",
       "metaData": {"appBuildVersion": "1", "deviceType": "iPhone15,2", "osVersion": "iPhone OS 17.4.1 (21E236)",
         "regionFormat": "DE"},
       "applicationTimeMetrics": {"cumulativeForegroundTime": "\(3000 + number) sec"},
       "applicationExitMetrics": {"foregroundExitData": \(json(foreground)), "backgroundExitData": \(json(background))},
       "applicationLaunchMetrics": {
         "histogrammedTimeToFirstDrawKey": \(histogram([("400 ms", "410 ms", launches)])),
         "histogrammedResumeTime": \(histogram([("100 ms", "110 ms", resumes)]))}\(hangSection)}
      """
  }
}
