internal import JSON
internal import Telemetry

/// The day, release, device and environment of an `MXMetricPayload`.
struct MetricPayloadHeader {
  let day: CalendarDay
  private(set) var environment = "production"
  private(set) var bundleID: String?
  private(set) var release = Release(version: "")
  private(set) var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  private(set) var isMixedRelease = false
  private(set) var assumedTimes = 0

  init(_ payload: JSONObject, _ context: DecodingContext) throws {
    var begin: JSONValue?
    var end: JSONValue?
    var metaData: JSONValue?
    var signposts: JSONValue?
    for (key, value) in payload where !value.isNull {
      switch key {
      case "appVersion": release.version = try value.text().kept
      case "metaData": metaData = value
      case "timeStampBegin": begin = value
      case "timeStampEnd": end = value
      case "multipleAppVersions", "includesMultipleApplicationVersions": isMixedRelease = try Self.isTrue(value)
      case "signpostMetrics": signposts = value
      default: break
      }
    }
    if let stated = try PayloadDay.day(begin: begin, end: end) {
      day = context.clamp(stated)
      if day != stated { assumedTimes += 1 }
    } else {
      day = context.today
      assumedTimes += 1
    }
    if let metaData { try readMetaData(metaData.object()) }
    if isMixedRelease { release = .mixed }
    if let signposts, try SimulatedPayload.isSimulated(signposts: signposts.array()) { environment = "simulated" }
  }

  private mutating func readMetaData(_ metaData: JSONObject) throws {
    for (key, value) in metaData where !value.isNull {
      switch key {
      case "appBuildVersion": release.build = try value.text().kept
      case "appVersion" where release.version.isEmpty: release.version = try value.text().kept
      case "osVersion": device.system = try OperatingSystem(parsing: value.text().kept)
      case "deviceType": device.model = try value.text().kept
      case "bundleIdentifier": bundleID = try value.text().kept
      case "isTestFlightApp" where try Self.isTrue(value): environment = "testflight"
      default: break
      }
    }
  }

  /// Parses a boolean: iOS writes the string "1", other clients true or 1.
  private static func isTrue(_ value: JSONValue) throws -> Bool {
    switch value.kind {
    case .boolean: return try value.boolean()
    case .integer, .double: return try value.number() != 0
    case .string:
      switch try value.text() {
      case "1", "true", "True", "TRUE", "yes", "Yes", "YES": return true
      default: return false
      }
    default: throw value.mismatch("true or false")
    }
  }
}
