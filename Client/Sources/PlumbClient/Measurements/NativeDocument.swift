import Foundation

/// A document in the server's native JSON. docs/formats.md describes every member.
struct NativeDocument: Codable, Equatable {
  var app: App
  var device: Device
  var environment: String
  var attributes: [String: String]?
  var installation: String?
  var sessions: [Session]?
  var measurements: [Measurement]?
  var histograms: [Histogram]?
  var counters: [Measurement]?

  struct App: Codable, Equatable {
    var bundle_id: String
    var version: String
    var build: String
    /// Milliseconds since 1970; nil if it is unknown.
    var first_run: Int64?
    /// Whether the measurements are from the first run; nil for no.
    var in_first_run: Bool?
  }

  struct Device: Codable, Equatable {
    var model: String
    var os: String
  }

  struct Session: Codable, Equatable {
    var id: String
    /// Milliseconds since 1970, like `at` of the other types; nil if the clock was not set.
    var started: Int64?
    var status: String
    var seq: Int
    /// Seconds.
    var duration: Double?
  }

  struct Measurement: Codable, Equatable {
    var metric: String
    var value: Double
    var unit: String
    var label: String?
    var at: Int64?
  }

  struct Histogram: Codable, Equatable {
    var metric: String
    var bounds: [Double]
    var counts: [Int]
    var unit: String
    var label: String?
    var at: Int64?
  }

  init(_ origin: Origin, installation: String?, firstRun: FirstRun? = nil) {
    app = App(
      bundle_id: origin.bundleID, version: origin.version, build: origin.build,
      first_run: firstRun.map { $0.hour * 3_600_000 }, in_first_run: firstRun?.isCurrent == true ? true : nil)
    device = Device(model: origin.model, os: origin.system)
    environment = origin.environment
    attributes = origin.attributes
    self.installation = installation
  }

  /// The document's bytes. Equal documents have equal bytes.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(self)
  }
}
