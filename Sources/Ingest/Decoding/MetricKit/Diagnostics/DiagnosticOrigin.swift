internal import Core

/// Release, device and environment of a diagnostic. Diagnostics with equal origins become one report.
struct DiagnosticOrigin: Hashable {
  var environment = "production"
  var bundleID: String?
  var release = Release(version: "")
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  /// The values of the app's attributes. They are not part of a diagnostic's identity, which must not depend on a
  /// setting.
  var attributes: [AppAttribute] = []

  /// Fills the origin's empty fields from the envelope's defaults.
  mutating func fill(from defaults: EnvelopeDefaults) {
    defaults.fill(&release)
    defaults.fill(&device)
    bundleID = bundleID ?? defaults.bundleID
    attributes = defaults.attributes.completed(by: attributes)
    if environment == "production", let stated = defaults.environment { environment = stated }
  }

  /// A report with this origin and no contents.
  var report: Report {
    Report(
      source: .metricKit, environment: environment, bundleID: bundleID, release: release, device: device,
      attributes: attributes)
  }

  func combine(into hash: inout SeededHash) {
    for text in [
      environment, bundleID ?? "", release.version, release.build, device.model, device.system.name,
      device.system.version, device.system.build,
    ] { hash.combine(text) }
  }

  /// Reads one member of `metaData`, `diagnosticMetaData` or iOS 27's `environment`; false for any other key.
  mutating func read(_ key: BorrowedJSONString, _ value: JSONValue) throws -> Bool {
    switch key {
    case "appVersion", "applicationVersion": release.version = try value.text().kept
    case "appBuildVersion", "applicationBuildVersion": release.build = try value.text().kept
    case "osVersion": device.system = try Self.system(value)
    case "deviceType": device.model = try value.text().kept
    case "bundleIdentifier": bundleID = try value.text().kept
    case "isTestFlightApp": if try Self.isTrue(value) { environment = "testflight" }
    default: return false
    }
    return true
  }

  /// Parses `iPhone OS 18.6.2 (22G100)`, or iOS 27's `{"platform": "iOS", "number": "27.0", "buildNumber": "24A1"}`.
  private static func system(_ value: JSONValue) throws -> OperatingSystem {
    guard value.kind == .object else { return try OperatingSystem(parsing: value.text().kept) }
    var system = OperatingSystem(name: "", version: "")
    for (key, value) in try value.object() where !value.isNull {
      switch key {
      case "platform": system.name = try value.text().kept
      case "number": system.version = try value.text().kept
      case "buildNumber": system.build = try value.text().kept
      default: break
      }
    }
    if system.name == "iPhone OS" { system.name = "iOS" }
    return system
  }

  /// Parses a boolean. Devices write true; clients that copy a payload also write 1 and "true".
  private static func isTrue(_ value: JSONValue) throws -> Bool {
    switch value.kind {
    case .boolean: return try value.boolean()
    case .integer, .double: return try value.number() != 0
    case .string:
      let text = try value.text()
      return text == "1" || text == "true"
    default: throw value.mismatch("true or false")
    }
  }
}
