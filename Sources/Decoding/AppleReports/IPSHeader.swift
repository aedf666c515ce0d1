internal import JSON
internal import Telemetry

/// The first of the two JSON documents of an `.ips` file: one line that tells what follows.
struct IPSHeader {
  var type = ""
  var version = ""
  var build = ""
  var system = ""
  var bundleID: String?
  var incident = ""
  var time = ""

  static let bodyIsMissing =
    "an .ips file holds two JSON documents: the first is here, the second, with the call stacks, is missing"

  init(_ object: JSONObject) throws {
    for (key, value) in object where !value.isNull {
      switch key {
      case "bug_type": type = value.kind == .integer ? String(try value.integer()) : try value.text().kept
      case "app_version": version = try value.text().kept
      case "build_version": build = try value.text().kept
      case "os_version": system = try value.text().kept
      case "bundleID": bundleID = try value.text().kept
      case "incident_id": incident = try value.text().kept
      case "timestamp": time = try value.text().kept
      default: break
      }
    }
    if let refusal = AppleReportKind.refusal(ofType: type) {
      throw DecodingFailure(.unsupported, path: object["bug_type"]?.path ?? "", refusal)
    }
  }
}
