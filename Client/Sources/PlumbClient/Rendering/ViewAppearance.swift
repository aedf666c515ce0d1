import Foundation

/// One appearance of a SwiftUI view: how long its body takes, how often it is evaluated until a second after it
/// appeared, and how long it took from the first evaluation until it was seen.
final class ViewAppearance: @unchecked Sendable {
  /// Seconds after a view appeared during which evaluations still belong to that.
  static let settling: TimeInterval = 1

  // Invariant: used on the main thread alone, as SwiftUI calls it.
  private let name: String
  private let buffer: MeasurementBuffer?
  private let clock: ClientClock
  private var evaluations = 0
  private var began: TimeInterval?
  private var appeared: TimeInterval?
  private var isCounted = false

  /// `buffer`: nil while the client is not started, so that the view costs nothing.
  init(_ name: String, buffer: MeasurementBuffer?, clock: ClientClock) {
    self.name = name
    self.buffer = buffer
    self.clock = clock
  }

  /// Evaluates a body, and measures that.
  func evaluate<Content>(_ body: () throws -> Content) rethrows -> Content {
    guard let buffer else { return try body() }
    let start = clock.uptime()
    defer {
      let end = clock.uptime()
      buffer.add((end - start) * 1e6, .body, label: name)
      if began == nil { began = start }
      if let appeared, start - appeared > Self.settling { settle() }
      if !isCounted { evaluations += 1 }
    }
    return try body()
  }

  /// The view is seen.
  func appear() {
    guard appeared == nil, let began else { return }
    appeared = clock.uptime()
    buffer?.add((clock.uptime() - began) * 1000, .viewCreation, label: name)
  }

  /// The view is no longer seen, or a second has passed.
  func settle() {
    guard appeared != nil, !isCounted else { return }
    isCounted = true
    buffer?.add(Double(evaluations), .bodyEvaluations, label: name)
  }

  /// It goes, and may come again.
  func disappear() {
    settle()
    evaluations = 0
    began = nil
    appeared = nil
    isCounted = false
  }
}

/// How many rows a list creates when it appears. Rows that are created later, by scrolling, do not count.
final class RowCounter: @unchecked Sendable {
  // Invariant: used on the main thread alone, as SwiftUI calls it.
  private let name: String
  private let buffer: MeasurementBuffer?
  private let clock: ClientClock
  private var rows = 0
  private var began: TimeInterval?
  private var isCounted = false

  init(_ name: String, buffer: MeasurementBuffer?, clock: ClientClock) {
    self.name = name
    self.buffer = buffer
    self.clock = clock
  }

  /// A row was created.
  func created() {
    let now = clock.uptime()
    if began == nil { began = now }
    if let began, now - began > ViewAppearance.settling { settle() }
    if !isCounted { rows += 1 }
  }

  /// A second has passed, or the list is no longer seen.
  func settle() {
    guard !isCounted, rows > 0 else { return }
    isCounted = true
    buffer?.add(Double(rows), .rowsCreated, label: name)
  }

  /// It goes, and may come again.
  func disappear() {
    settle()
    rows = 0
    began = nil
    isCounted = false
  }
}
