import Foundation
import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Statistics

/// Exits and hangs of an app that sends MetricKit's payloads only.
struct ExitTests {
  @Test("every MetricKit exit reason is counted, in the foreground and in the background")
  func reasons() throws {
    let scene = try Scene()
    try scene.receive([ExitPayload.body(0), ExitPayload.body(1)])
    let object = try JSONSerialization.jsonObject(with: Data(try scene.report().json()))
    let exits = try #require((object as? [String: Any])?["exits"] as? [String: [String: Int]])
    for reason in ExitReason.allCases {
      #expect(
        exits["foreground"]?[reason.name] == (ExitPayload.foreground[reason.metricKit] ?? 0) * 2, "\(reason.name)")
      #expect(
        exits["background"]?[reason.name] == (ExitPayload.background[reason.metricKit] ?? 0) * 2, "\(reason.name)")
    }
    #expect(Set(ExitPayload.background.keys) == Set(ExitReason.allCases.map(\.metricKit)))
  }

  @Test("foreground terminations are abnormal exits per 1,000 launches and resumes, with an interval")
  func terminations() throws {
    let scene = try Scene()
    // Forty payloads of 100 launches and resumes; every fourth has one watchdog exit: 10 of 4,000.
    try scene.receive(
      (0..<40).map {
        ExitPayload.body(
          $0, foreground: ["cumulativeNormalAppExitCount": 5, "cumulativeAppWatchdogExitCount": $0 % 4 == 0 ? 1 : 0])
      })
    let metric = try #require(try scene.report().metrics.first { $0.name == "exits.foreground_abnormal" })
    #expect(metric.unit == .perThousand)
    #expect(metric.numerator == 10)
    #expect(metric.denominator == 4000.0)
    #expect(metric.value.value == 2.5)
    // Forty phones of which every fourth has one exit differ no more than by chance, so below the rate ten independent events
    // decide: 4.80 of 4,000 by the printed tables of the Poisson distribution. Above, phones with more of them may be
    // missing: at least 18.39, and what six phones with a coefficient of variation of √3 beside the forty add, c = 18/46.
    let low = try #require(metric.value.low)
    let high = try #require(metric.value.high)
    #expect(abs(low - 4.795 / 4) < 0.002)
    let variance = 10.0 + 18.0 / 46 * 100 / 40
    let events = 100 / variance
    #expect(
      high > 18.39 / 4 && high < 2.5 * exp(2.05 / events.squareRoot()) && high > 2.5 * exp(1.95 / events.squareRoot()))
  }

  @Test("hangs in the bucket beyond nine seconds count from there, and are shown as at least that long")
  func longHangs() throws {
    let scene = try Scene()
    // On each of forty days: three hangs of 300 ms, one beyond nine seconds.
    try scene.receive(
      (0..<40).map { ExitPayload.body($0, hangs: [("200 ms", "400 ms", 3), ("9000 ms", "10000 ms", 1)]) })
    let report = try scene.report()
    let hangs = try #require(report.metrics.first { $0.name == "hang.duration" })
    #expect(hangs.n == 160)
    let p99 = try #require(hangs.percentiles[99])
    #expect(p99.value == 9000)
    #expect(p99.isAtLeast)
    #expect(p99.high == nil)
    #expect(hangs.percentiles[50]?.isAtLeast == false)
    // 3·300 + 9,000 ms in 40 times about 3,019.5 s of use.
    let rate = try #require(report.metrics.first { $0.name == "hang.rate" })
    #expect(rate.numerator == 396_000.0)
    #expect(rate.value.isAtLeast)
    #expect(rate.value.high == nil)
  }
}
