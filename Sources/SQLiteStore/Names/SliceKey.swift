import Storage

/// The part of an app's data that a row counts, in ids: a cell, which is the finest combination of names, or a rollup
/// of cells.
struct SliceKey: Hashable {
  var app: AppID
  var environment: Int64
  var kind: SliceKind
  var release: Int64 = 0
  var system: Int64 = 0
  var device: Int64 = 0
  var deviceClass: String = ""
  /// The id of an attribute's value or, in a cell with values of several attributes, of a set; 0 without a value.
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
  /// The kinds of rollups of each value of an attribute in a cell.
  static let attributeRollups: [SliceKind] = [.attribute, .releaseAndAttribute, .attributeAndClass]

  /// The keys of the rollups into which this cell's rows are summed. `values`: its values of attributes.
  func rollups(of values: [Int64]) -> [SliceKey] {
    Self.rollups.map(rollup)
      + Self.attributeRollups.flatMap { kind in
        values.map { value in
          var key = rollup(kind)
          key.attribute = value
          return key
        }
      }
  }
}

extension SliceKind {
  /// The kinds in the order of their numbers in the table `slice`: never change this order.
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
