import Core
import Storage

/// The part of an app's data that rows count, in ids: a cell, which is the finest combination of names, or a rollup of
/// cells. Rows of cells are in the table `cell`, those of rollups in `marginal`.
struct SliceKey: Hashable {
  var app: AppID
  var environment: Int64
  var kind: Kind
  var release: Int64 = 0
  var system: Int64 = 0
  var device: Int64 = 0
  var deviceClass: String = ""
  /// The id of the attribute's value; 0 for data without one.
  var attribute: Int64 = 0

  /// The kinds of slices. Raw values are stored: never change one.
  enum Kind: Int, CaseIterable {
    case all = 0
    case release = 1
    case system = 2
    case device = 3
    case deviceClass = 4
    case releaseAndClass = 5
    case cell = 6
    case attribute = 7
    case releaseAndAttribute = 8
    case attributeAndClass = 9

    /// Whether slices of this kind are distinguished by this name.
    var hasRelease: Bool { [.release, .releaseAndClass, .releaseAndAttribute, .cell].contains(self) }
    var hasSystem: Bool { self == .system || self == .cell }
    var hasDevice: Bool { self == .device || self == .cell }
    var hasClass: Bool { [.deviceClass, .releaseAndClass, .attributeAndClass, .cell].contains(self) }
    var hasAttribute: Bool { [.attribute, .releaseAndAttribute, .attributeAndClass, .cell].contains(self) }

    /// The kind under its name for other stores.
    var scope: FactScope.Kind {
      switch self {
      case .all: .all
      case .release: .release
      case .system: .system
      case .device: .device
      case .deviceClass: .deviceClass
      case .releaseAndClass: .releaseAndClass
      case .cell: .cell
      case .attribute: .attribute
      case .releaseAndAttribute: .releaseAndAttribute
      case .attributeAndClass: .attributeAndClass
      }
    }

    init(_ scope: FactScope.Kind) { self = Self.allCases.first { $0.scope == scope } ?? .cell }
  }

  /// The key of a cell's rollup of this kind.
  func rollup(_ kind: Kind) -> SliceKey {
    var key = SliceKey(app: app, environment: environment, kind: kind)
    if kind.hasRelease { key.release = release }
    if kind.hasSystem { key.system = system }
    if kind.hasDevice { key.device = device }
    if kind.hasClass { key.deviceClass = deviceClass }
    if kind.hasAttribute { key.attribute = attribute }
    return key
  }

  /// The kinds of rollups into which the rows of every cell are summed.
  static let rollups: [Kind] = [.all, .release, .system, .device, .deviceClass, .releaseAndClass]
  /// The kinds of rollups that only cells with a value of the app's attribute have.
  static let attributeRollups: [Kind] = [.attribute, .releaseAndAttribute, .attributeAndClass]

  /// The kinds of rollups into which this cell's rows are summed.
  var rollups: [Kind] { attribute == 0 ? Self.rollups : Self.rollups + Self.attributeRollups }
}

/// The ids of metrics in rows: a catalogue number, or a higher number for a custom metric.
enum StoredMetric {
  static let firstCustom: Int64 = 100_000
}
