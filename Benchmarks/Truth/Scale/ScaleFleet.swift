import Core
import Fleets
import Foundation
import TestSupport

/// Bodies of requests from known distributions: a MetricKit payload and a native document with ten sessions for each
/// user-day, over four weeks.
struct ScaleFleet {
  static let days = 28
  static let sessionsOfDay = 10
  static let today = CalendarDay(number: 20_777)

  var truth = ExactTruth()
  private var random = SeededRandom(seed: 2_000_000)
  private let users: Int

  /// Each user is active on five days.
  init(userDays: Int) { users = max(1, userDays / 5) }

  private func day(_ number: Int) -> CalendarDay { Self.today + (number % Self.days - Self.days) }

  /// The time of receipt, on the next morning.
  func received(_ number: Int) -> Timestamp {
    Timestamp(milliseconds: (day(number) + 1).startUTC.milliseconds + 3_600_000)
  }

  private mutating func logNormal(_ median: Double, _ deviation: Double) -> Double {
    median * exp(deviation * random.normal())
  }

  // MARK: MetricKit

  /// A phone's payload about a day: launches with two peaks, resumes, hangs, exits, memory.
  mutating func payload(_ number: Int) -> String {
    let slow = exp(0.2 * random.normal())
    let launches = (0..<1 + random.poisson(2)).map { _ in
      slow * (random.uniform() < 0.75 ? logNormal(520, 0.2) : logNormal(1_400, 0.15))
    }
    let resumes = (0..<random.poisson(6)).map { _ in slow * logNormal(190, 0.35) }
    let hangs = (0..<random.poisson(0.4)).map { _ in min(8_900, 250 + logNormal(260, 0.8)) }
    let memory = Int(logNormal(220_000, 0.25))
    let foreground = 60 + Int(logNormal(900, 0.7))
    let isKilled = random.uniform() < 0.002
    let pressed = random.poisson(0.7)
    truth.add("launch.first_draw", launches)
    truth.add("launch.resume", resumes)
    truth.add("hang.duration", hangs)
    truth.add("memory.peak", [Double(memory) * 1000])
    truth.hangs += hangs.count
    truth.hangTime += hangs.reduce(0, +)
    truth.foregroundSeconds += foreground
    truth.foregroundExits[.normal, default: 0] += launches.count
    truth.foregroundExits[.memoryLimit, default: 0] += isKilled ? 1 : 0
    truth.backgroundExits[.memoryPressure, default: 0] += pressed
    let day = day(number)
    return """
      {"timeStampBegin":"\(day.iso) 00:00:00","timeStampEnd":"\(day.iso) 23:59:00","appVersion":"4.2.0",\
      "metaData":{"appBuildVersion":"1240","osVersion":"iPhone OS 18.6.2 (22G100)","regionFormat":"DE",\
      "platformArchitecture":"arm64e","deviceType":"iPhone15,2","bundleIdentifier":"com.example.shop",\
      "isTestFlightApp":false,"lowPowerModeEnabled":false,"pid":\(number)},\
      "applicationTimeMetrics":{"cumulativeForegroundTime":"\(foreground) sec"},\
      "applicationLaunchMetrics":{"histogrammedTimeToFirstDrawKey":\(buckets(launches)),\
      "histogrammedResumeTime":\(buckets(resumes))},\
      "applicationResponsivenessMetrics":{"histogrammedAppHangTime":\(buckets(hangs))},\
      "applicationExitMetrics":{"foregroundExitData":{"cumulativeNormalAppExitCount":\(launches.count),\
      "cumulativeMemoryResourceLimitExitCount":\(isKilled ? 1 : 0)},\
      "backgroundExitData":{"cumulativeMemoryPressureExitCount":\(pressed)}},\
      "memoryMetrics":{"peakMemoryUsage":"\(memory) kB"}}
      """
  }

  /// Buckets of 10 ms with inclusive ends, as devices write them.
  private func buckets(_ values: [Double]) -> String {
    let counts = Dictionary(grouping: values) { Int($0 / 10) }.mapValues(\.count).sorted { $0.key < $1.key }
    let members = counts.enumerated().map { index, bucket in
      """
      "\(index)":{"bucketCount":\(bucket.value),"bucketStart":"\(bucket.key * 10) ms","bucketEnd":"\(bucket.key * 10 + 9) ms"}
      """
    }
    return "{\"histogramNumBuckets\":\(counts.count),\"histogramValue\":{\(members.joined(separator: ","))}}"
  }

  // MARK: Native

  private static let statuses: [(SessionOutcome, String, Double)] = [
    (.crashed, "crashed", 0.003), (.abnormal, "abnormal", 0.004), (.unhandled, "unhandled", 0.002),
    (.errored, "errored", 0.012), (.healthy, "exited", 1),
  ]

  /// A user's day: ten sessions and five screens.
  mutating func document(_ number: Int) -> String {
    let user = number % users
    let start = day(number).startUTC.milliseconds + 28_800_000
    var hasCrashed = false
    var sessions: [String] = []
    for index in 0..<Self.sessionsOfDay {
      var draw = random.uniform()
      let status = Self.statuses.first { status in
        draw -= status.2
        return draw < 0
      }
      guard let status else { continue }
      truth.outcomes[status.0, default: 0] += 1
      hasCrashed = hasCrashed || status.0 == .crashed
      let begin = Timestamp(milliseconds: start + Int64(index) * 600_000)
      sessions.append(#"{"id":"\#(number)-\#(index)","started":"\#(begin.iso)","status":"\#(status.1)"}"#)
    }
    truth.userDays += 1
    truth.users.insert(user)
    if hasCrashed {
      truth.crashedUserDays += 1
      truth.crashedUsers.insert(user)
    }
    let at = Timestamp(milliseconds: start).iso
    let loads = (0..<5).map { _ in logNormal(320, 0.5) }
    truth.add("screen.load", loads)
    let measurements = loads.map {
      #"{"metric":"screen.load","value":\#($0),"unit":"ms","label":"Home","at":"\#(at)"}"#
    }
    return """
      {"app":{"bundle_id":"com.example.shop","version":"4.2.0","build":"1240"},\
      "device":{"model":"iPhone15,2","os":"iPhone OS 18.6.2 (22G100)"},"environment":"production",\
      "installation":"user-\(user)","sessions":[\(sessions.joined(separator: ","))],\
      "measurements":[\(measurements.joined(separator: ","))]}
      """
  }
}
