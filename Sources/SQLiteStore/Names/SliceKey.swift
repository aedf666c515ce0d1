import Storage
import Telemetry

/// The part of an app that rows count, in ids: one cell, the finest combination of names, or a rollup of cells. Rows of
/// cells are in the table `cell`, those of rollups in `marginal`.
struct SliceKey: Hashable {
  var app: AppID
  var environment: Int64
  var kind: Kind
  var release: Int64 = 0
  var system: Int64 = 0
  var device: Int64 = 0
  var deviceClass: String = ""

  /// Raw values are stored: never change one.
  enum Kind: Int, CaseIterable {
    case all = 0
    case release = 1
    case system = 2
    case device = 3
    case deviceClass = 4
    case releaseAndClass = 5
    case cell = 6
  }

  /// The part of a cell's key that a rollup of `kind` keeps.
  func rollup(_ kind: Kind) -> SliceKey {
    var key = SliceKey(app: app, environment: environment, kind: kind)
    if kind == .release || kind == .releaseAndClass { key.release = release }
    if kind == .system { key.system = system }
    if kind == .device { key.device = device }
    if kind == .deviceClass || kind == .releaseAndClass { key.deviceClass = deviceClass }
    return key
  }

  /// The kinds of rollups that rows of a cell are summed into.
  static let rollups: [Kind] = [.all, .release, .system, .device, .deviceClass, .releaseAndClass]
}

/// Metric ids in rows: a catalogue number, or a custom metric's id above all of them.
enum StoredMetric {
  static let firstCustom: Int64 = 100_000
}
