import Storage
import Telemetry

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

  /// The kinds of slices. Raw values are stored: never change one.
  enum Kind: Int, CaseIterable {
    case all = 0
    case release = 1
    case system = 2
    case device = 3
    case deviceClass = 4
    case releaseAndClass = 5
    case cell = 6
  }

  /// The key of a cell's rollup of this kind.
  func rollup(_ kind: Kind) -> SliceKey {
    var key = SliceKey(app: app, environment: environment, kind: kind)
    if kind == .release || kind == .releaseAndClass { key.release = release }
    if kind == .system { key.system = system }
    if kind == .device { key.device = device }
    if kind == .deviceClass || kind == .releaseAndClass { key.deviceClass = deviceClass }
    return key
  }

  /// The kinds of rollups into which a cell's rows are summed.
  static let rollups: [Kind] = [.all, .release, .system, .device, .deviceClass, .releaseAndClass]
}

/// The ids of metrics in rows: a catalogue number, or a higher number for a custom metric.
enum StoredMetric {
  static let firstCustom: Int64 = 100_000
}
