import Core
import Foundation

/// One user's day with the app, as payloads of the native and the MetricKit format.
struct DemoUserDay {
  let person: DemoFleet.Person
  let release: DemoRelease
  let day: CalendarDay
  let plan: DemoPlan

  /// The day's sessions and measurements in native JSON, and a message for each crash, which the client reports at the
  /// next launch. Messages that would arrive later than `now` are left out.
  func native(_ random: inout DemoRandom, now: Timestamp) -> [DemoMessage] {
    var sessions: [String] = []
    var measurements: [String] = []
    var crashes: [DemoMessage] = []
    // A separate generator is used, so that stacks do not change the other random numbers.
    var chance = DemoRandom(seed: plan.seed &+ UInt64(person.number) << 32 ^ UInt64(day.number))
    var last = day.startUTC
    for index in 0..<random.geometric(mean: 3) {
      let minute = 420 + Int(random.unit() * 960)
      let start = Timestamp(milliseconds: day.startUTC.milliseconds + Int64(minute) * 60_000)
      last = max(last, start)
      let status = random.happens(release.crashes) ? "crashed" : random.happens(0.012) ? "errored" : "exited"
      func session(_ status: String, sequence: Int) -> String {
        """
        {"id":"\(person.number)-\(day.number)-\(index)","started":"\(start.iso)","status":"\(status)",\
        "seq":\(sequence),"duration":\(duration)}
        """
      }
      let duration = Int(60 * random.lognormal(0.8))
      sessions.append(session(status == "crashed" ? "ok" : status, sequence: index + 1))
      if status == "crashed" {
        let crash = stacks.native(
          stacks.crash(&chance), session: "\(person.number)-\(day.number)-\(index)",
          at: Timestamp(milliseconds: start.milliseconds + 40_000))
        let hours = -9 * log(max(1e-9, chance.unit()))
        crashes.append(
          DemoMessage(
            body: body([session(status, sequence: index + 2)], crashes: [crash], measurements: []),
            received: Timestamp(milliseconds: start.milliseconds + 60_000 + Int64(hours * 3_600_000))))
      }
      measurements += screens(at: start, &random)
    }
    let whole = DemoMessage(
      body: body(sessions, crashes: [], measurements: measurements),
      received: Timestamp(milliseconds: last.milliseconds + 60_000))
    return ([whole] + crashes).filter { $0.received <= now }
  }

  private func body(_ sessions: [String], crashes: [String], measurements: [String]) -> String {
    """
    {"app":{"bundle_id":"\(plan.bundleID)","version":"\(release.version)","build":"\(release.build)"},\
    "device":{"model":"\(person.device.model)","os":"\(person.system)"},"environment":"production",\
    "attributes":{"region":"\(person.region)"},\
    "installation":"person-\(person.number)","sessions":[\(sessions.joined(separator: ","))],\
    "crashes":[\(crashes.joined(separator: ","))],\
    "measurements":[\(measurements.joined(separator: ","))]}
    """
  }

  private var stacks: DemoStacks { DemoStacks(release: release, plan: plan, system: person.system) }

  /// A MetricKit diagnostic of this day (a hang, high CPU use or disk writes); nil on most days.
  func diagnostic(now: Timestamp) -> DemoMessage? {
    var chance = DemoRandom(seed: plan.seed &* 3 &+ UInt64(person.number) << 32 ^ UInt64(day.number))
    guard chance.happens(min(0.5, 0.025 * release.hangs)),
      let bug = chance.pick(DemoBug.hangs.map { ($0, $0.weight) })
    else { return nil }
    let (kind, facts) =
      chance.pick([
        (("hangDiagnostics", "\"hangDuration\":\"\(2 + Int(chance.unit() * 6)) sec\""), 85),
        (("cpuExceptionDiagnostics", "\"totalCPUTime\":\"81 sec\",\"totalSampledTime\":\"95 sec\""), 9),
        (("diskWriteExceptionDiagnostics", "\"writesCaused\":\"1073741824 byte\""), 6),
      ]) ?? ("hangDiagnostics", "")
    let hang = kind == "hangDiagnostics" ? "\"hangType\":\"Main Runloop Hang\"," : ""
    let moment = "\(day.iso) \(10 + Int(chance.unit() * 12)):\(10 + Int(chance.unit() * 49)):00"
    let calls = stacks.sampled(bug, samples: 20 + Int(chance.unit() * 180), &chance)
    let body = """
      {"timeStampBegin":"\(moment)","timeStampEnd":"\(moment)","\(kind)":[{"version":"1.0.0",\(hang)\
      "diagnosticMetaData":{"appVersion":"\(release.version)","appBuildVersion":"\(release.build)",\
      "osVersion":"\(person.system)","deviceType":"\(person.device.model)","regionFormat":"\(person.region)",\
      "platformArchitecture":"arm64e","bundleIdentifier":"\(plan.bundleID)","isTestFlightApp":false,\(facts)},\
      "callStackTree":\(calls)}]}
      """
    let evening = day.startUTC.milliseconds + 82_800_000
    return DemoMessage(body: body, received: Timestamp(milliseconds: min(evening, now.milliseconds)))
  }

  private func screens(at start: Timestamp, _ random: inout DemoRandom) -> [String] {
    let screens = [("Home", 280.0), ("Search", 390.0), ("Product", 350.0), ("Cart", 460.0)]
    return screens.compactMap { name, median in
      guard random.happens(0.15) else { return nil }
      let load = median * speed * random.lognormal(0.3)
      return """
        {"metric":"screen.load","value":\(Int(load)),"unit":"ms","label":"\(name)","at":"\(start.iso)"},\
        {"metric":"interaction.response","value":\(Int(27 * speed * random.lognormal(0.4))),"unit":"ms",\
        "label":"\(name)","at":"\(start.iso)"},\
        {"metric":"network.request","value":\(Int(310 * random.lognormal(0.6))),"unit":"ms","label":"api.example.com",\
        "at":"\(start.iso)"}
        """
    }
  }

  private var speed: Double { person.device.slowness * person.slowness * (1 + (release.launch - 1) / 2) }

  /// The day's MetricKit payload in the format of iOS 15.2 and later.
  func metricKit(_ random: inout DemoRandom, now: Timestamp) -> DemoMessage {
    let launches = random.geometric(mean: 3)
    let resumes = random.geometric(mean: 7)
    let foreground = Int(900 * random.lognormal(0.7))
    let slow = person.device.slowness * person.slowness * release.launch
    let first = (0..<launches).map { _ in 620 * slow * random.lognormal(0.22) }
    let again = (0..<resumes).map { _ in 190 * slow * random.lognormal(0.3) }
    let expected = release.hangs * person.device.slowness * Double(foreground) / 3600 * 0.9
    let hangs = (0..<poisson(expected, &random)).map { _ in 270 + 260 * random.lognormal(0.9) }
    let memory = person.device.memory * release.memory * random.lognormal(0.16) * 1000
    let killed = random.happens(0.0004 * release.memory * release.memory)
    let body = """
      {"timeStampBegin":"\(day.iso) 00:00:00","timeStampEnd":"\(day.iso) 23:59:00","appVersion":"\(release.version)",\
      "metaData":{"appBuildVersion":"\(release.build)","osVersion":"\(person.system)","regionFormat":"\(person.region)",\
      "platformArchitecture":"arm64e","deviceType":"\(person.device.model)","bundleIdentifier":"\(plan.bundleID)",\
      "isTestFlightApp":false,"lowPowerModeEnabled":false,"pid":-1},\
      "applicationTimeMetrics":{"cumulativeForegroundTime":"\(foreground) sec","cumulativeBackgroundTime":"\(foreground / 4) sec",\
      "cumulativeBackgroundAudioTime":"0 sec","cumulativeBackgroundLocationTime":"0 sec"},\
      "applicationLaunchMetrics":{"histogrammedTimeToFirstDrawKey":\(histogram(first)),"histogrammedResumeTime":\(histogram(again))},\
      "applicationResponsivenessMetrics":{"histogrammedAppHangTime":\(histogram(hangs))},\
      "applicationExitMetrics":{"foregroundExitData":{"cumulativeNormalAppExitCount":\(launches)\
      \(killed ? ",\"cumulativeMemoryResourceLimitExitCount\":1" : "")},\
      "backgroundExitData":{"cumulativeMemoryPressureExitCount":\(random.geometric(mean: 2) - 1),"cumulativeNormalAppExitCount":1}},\
      "memoryMetrics":{"peakMemoryUsage":"\(Int(memory)) kB","averageSuspendedMemory":{"averageValue":"\(Int(memory * 0.3)) kB",\
      "standardDeviation":0,"sampleCount":\(resumes)}},\
      "cpuMetrics":{"cumulativeCPUTime":"\(foreground / 6) sec","cumulativeCPUInstructions":"\(foreground * 400_000) kiloinstructions"},\
      "diskIOMetrics":{"cumulativeLogicalWrites":"\(Int(24_000 * random.lognormal(0.8))) kB"},\
      "networkTransferMetrics":{"cumulativeWifiUpload":"\(foreground * 2) kB","cumulativeWifiDownload":"\(foreground * 30) kB",\
      "cumulativeCellularUpload":"\(foreground) kB","cumulativeCellularDownload":"\(foreground * 9) kB"},\
      "animationMetrics":{"scrollHitchTimeRatio":"\(max(0, Int(2 * slow * random.lognormal(0.4)))) ms per s"},\
      "signpostMetrics":[{"signpostName":"Checkout","signpostCategory":"Flow","totalSignpostCount":\(launches),\
      "signpostIntervalData":{"histogrammedSignpostDurations":\(histogram(first.map { $0 * 0.8 }))}}]}
      """
    let morning = (day + 1).startUTC.milliseconds + Int64(random.unit() * 36_000_000)
    return DemoMessage(body: body, received: Timestamp(milliseconds: min(morning, now.milliseconds)))
  }

  /// A histogram in the format of devices: buckets of 10 ms with inclusive ends. The last bucket has hangs of 9 s and
  /// more.
  private func histogram(_ values: [Double]) -> String {
    let buckets = Dictionary(grouping: values) { min(900, Int($0 / 10)) }.mapValues(\.count).sorted { $0.key < $1.key }
    let members = buckets.enumerated().map { index, bucket in
      """
      "\(index)":{"bucketCount":\(bucket.value),"bucketStart":"\(bucket.key * 10) ms","bucketEnd":"\(bucket.key * 10 + 9) ms"}
      """
    }
    return "{\"histogramNumBuckets\":\(buckets.count),\"histogramValue\":{\(members.joined(separator: ","))}}"
  }

  private func poisson(_ mean: Double, _ random: inout DemoRandom) -> Int {
    var count = -1
    var product = 1.0
    repeat {
      product *= random.unit()
      count += 1
    } while product > exp(-mean)
    return count
  }
}
