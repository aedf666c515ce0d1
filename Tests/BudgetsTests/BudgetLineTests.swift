import Testing

@testable import Analysis
@testable import Core

@Suite("Budgets written from their parts")
struct BudgetLineTests {
  private func isSame(_ left: Budget, _ right: Budget) -> Bool {
    var right = right
    right.text = left.text
    right.isDefault = left.isDefault
    return left == right
  }

  @Test("a budget written from its parts is a line as people write it")
  func text() throws {
    let cases = [
      "p90 launch.first_draw <= 2000 ms": "p90 launch.first_draw <= 2 s",
      "sessions.crash_free>=0.995": "sessions.crash_free >= 99.5 %",
      "p90 memory.peak <= 300000 KB, on iPhone12,*": "p90 memory.peak <= 300 MB, on iPhone12,*",
      "require_data.count <= 5, require data": "require_data.count <= 5, require data",
      "p95 ui.frame_time <= 16.67 ms, for last 1 release":
        "p95 ui.frame_time <= 16.67 ms, for last release",
      "p50 \"launch.first_drawn\" <= 1 s": "p50 \"launch.first_drawn\" <= 1 s",
    ]
    for (written, expected) in cases { #expect(try budget(written).line == expected) }
  }

  @Test("a budget line that is parsed again is the same budget, whatever its clauses")
  func roundTrip() throws {
    let limits = [
      "p90 launch.first_draw <= 2 s", "p99 swiftui.body <= 1234.5 µs", "p90 memory.peak <= 1 KiB",
      "p1 screen.load <= 1 h",
      "sessions.crash_free >= 99.5%", "exits.foreground_limits <= 0.1 %", "hang.rate <= 5 s/h",
      "hang.frequency <= 0.3 /h",
      "exits.foreground_abnormal <= 2 per 1,000", "p90 ui.hitch_ratio <= 10 ms/s", "mean cellular.bars >= 2.5 bars",
      "p90 checkout.time <= 90 s", "p90 checkout.time <= 2000 ms", "carts.lost <= 12345678901234567890",
      "cache.hits >= 90%", "p50 \"signpost.Net.Load cart\" <= 0.00001 ms", "\"p90\" <= 3", "\"mean\" <= 3",
      "pages <= 3",
      "p90 launch.resume <= 0.1 s", "p90 launch.resume <= 1.1 s",
    ]
    let clauses: [[String]] = [
      ["", "on iPhone12,*", "on iPhone 12 and older", "on \"iPad Pro (12.9-inch, 3rd generation)\"", "on iPhone XR"],
      ["", "on iOS <17", "on iOS >= 16.1, on iOS <= 17", "on macOS 14.2.1"],
      ["", "in testflight", "in \"QA team\""], ["", "over 7 d"],
      ["", "for last 3 releases", "for last release", "with adoption > 2.5 %", "with adoption > 0 %"],
      ["", "require data"],
    ]
    var read = 0
    for (index, limit) in limits.enumerated() {
      for pick in 0..<12 {
        let chosen = clauses.enumerated().map { $1[(pick * ($0 + 3) + index * 7 + pick / 5) % $1.count] }
        let line = ([limit] + chosen.filter { !$0.isEmpty }).joined(separator: ", ")
        let first = try budget("'" + line + "'")
        let second = try budget("'" + first.line + "'")
        #expect(isSame(first, second), "\(line) became \(first.line)")
        read += 1
      }
    }
    #expect(read == limits.count * 12)
  }

  @Test("a budget written from its parts keeps the characters of its label")
  func labels() throws {
    for label in ["CartView", "Cart View", "Cart, step 2", "api.example.com:443", "a  b", "überall", "#1", "over 7 d"] {
      let first = try budget("'p90 screen.load <= 1 s, label \"\(label)\", over 2 d'")
      #expect(first.label == label)
      #expect(isSame(first, try budget("'" + first.line + "'")), "\(first.line)")
    }
  }

  @Test("default budgets are equal when written from their parts")
  func defaults() throws {
    for known in DefaultBudgets.all { #expect(isSame(known, try budget(known.line))) }
  }
}
