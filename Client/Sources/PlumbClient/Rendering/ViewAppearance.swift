import Foundation

/// One appearance of a SwiftUI view: the time of its body, its evaluations until a second after it appeared, and the
/// time from the first evaluation until it was visible.
final class ViewAppearance: @unchecked Sendable {
  /// The seconds after a view appeared in which evaluations still count.
  static let settling: TimeInterval = 1

  // Invariant: used only on the main thread, on which SwiftUI calls it.
  private let name: String
  private let buffer: MeasurementBuffer?
  private let clock: ClientClock
  private var evaluations = 0
  private var began: TimeInterval?
  private var appeared: TimeInterval?
  private var isCounted = false

  /// `buffer`: nil if the client is not started, so that the view costs nothing.
  init(_ name: String, buffer: MeasurementBuffer?, clock: ClientClock) {
    self.name = name
    self.buffer = buffer
    self.clock = clock
  }

  /// Evaluates and measures a body.
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

  /// Notes that the view is visible.
  func appear() {
    guard appeared == nil, let began else { return }
    appeared = clock.uptime()
    buffer?.add((clock.uptime() - began) * 1000, .viewCreation, label: name)
  }

  /// Counts the evaluations, because the view disappeared or a second has passed.
  func settle() {
    guard appeared != nil, !isCounted else { return }
    isCounted = true
    buffer?.add(Double(evaluations), .bodyEvaluations, label: name)
  }

  /// Notes that the view disappears. It may appear again.
  func disappear() {
    settle()
    evaluations = 0
    began = nil
    appeared = nil
    isCounted = false
  }
}

/// Counts the rows that a list creates when it appears. Rows that scrolling creates later do not count.
final class RowCounter: @unchecked Sendable {
  // Invariant: used only on the main thread, on which SwiftUI calls it.
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

  /// Notes that a row was created.
  func created() {
    let now = clock.uptime()
    if began == nil { began = now }
    if let began, now - began > ViewAppearance.settling { settle() }
    if !isCounted { rows += 1 }
  }

  /// Counts the rows, because a second has passed or the list disappeared.
  func settle() {
    guard !isCounted, rows > 0 else { return }
    isCounted = true
    buffer?.add(Double(rows), .rowsCreated, label: name)
  }

  /// Notes that the list disappears. It may appear again.
  func disappear() {
    settle()
    rows = 0
    began = nil
    isCounted = false
  }
}
