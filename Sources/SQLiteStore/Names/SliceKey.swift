import Core
import Storage

/// The part of an app's data that rows count, in ids: a cell, which is the finest combination of names, or a rollup of
/// cells.
struct SliceKey: Hashable {
  var app: AppID
  var environment: Int64
  var kind: SliceKind
  var release: Int64 = 0
  var system: Int64 = 0
  var device: Int64 = 0
  var deviceClass: String = ""
  /// The id of the attribute's value; 0 for data without one.
  var attribute: Int64 = 0

  /// The key of a cell's rollup of this kind.
  func rollup(_ kind: SliceKind) -> SliceKey {
    var key = SliceKey(app: app, environment: environment, kind: kind)
    if kind.has(.release) { key.release = release }
    if kind.has(.os) { key.system = system }
    if kind.has(.device) { key.device = device }
    if kind.has(.deviceClass) { key.deviceClass = deviceClass }
    if kind.has(.attribute) { key.attribute = attribute }
    return key
  }

  /// The kinds of rollups into which the rows of every cell are summed.
  static let rollups: [SliceKind] = [.all, .release, .system, .device, .deviceClass, .releaseAndClass]
  /// The kinds of rollups that only cells with a value of the app's attribute have.
  static let attributeRollups: [SliceKind] = [.attribute, .releaseAndAttribute, .attributeAndClass]

  /// The kinds of rollups into which this cell's rows are summed.
  var rollups: [SliceKind] { attribute == 0 ? Self.rollups : Self.rollups + Self.attributeRollups }
}

extension SliceKind {
  /// The kinds in the order of their numbers in the table `slice`: never change one.
  private static let numbered: [SliceKind] = [
    .all, .release, .system, .device, .deviceClass, .releaseAndClass, .cell, .attribute, .releaseAndAttribute,
    .attributeAndClass,
  ]

  /// The number in the table `slice`.
  var number: Int { Self.numbered.firstIndex(of: self) ?? 0 }

  init?(number: Int) {
    guard Self.numbered.indices.contains(number) else { return nil }
    self = Self.numbered[number]
  }
}

/// The ids of metrics in rows: a catalogue number, or a higher number for a custom metric.
enum StoredMetric {
  static let firstCustom: Int64 = 100_000
}
