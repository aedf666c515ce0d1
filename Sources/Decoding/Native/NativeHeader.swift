internal import JSON
internal import Telemetry

/// What a native document says about the app and the device it comes from.
struct NativeHeader {
  private(set) var environment = "production"
  private(set) var installation: String?
  private(set) var bundleID: String?
  private(set) var release = Release(version: "")
  private(set) var device = Device(model: "", system: OperatingSystem(name: "", version: ""))

  init(_ document: JSONObject) throws {
    for (key, value) in document where !value.isNull {
      switch key {
      case "app": try readApp(value.object())
      case "device": try readDevice(value.object())
      case "environment": try readEnvironment(value.text())
      case "installation": installation = try value.text().id
      default: break
      }
    }
  }

  private mutating func readApp(_ app: JSONObject) throws {
    for (key, value) in app where !value.isNull {
      switch key {
      case "bundle_id": bundleID = try value.text().kept
      case "version": release.version = try value.text().kept
      case "build": release.build = try value.text().kept
      default: break
      }
    }
  }

  private mutating func readDevice(_ device: JSONObject) throws {
    for (key, value) in device where !value.isNull {
      switch key {
      case "model": self.device.model = try value.text().kept
      case "os": self.device.system = try OperatingSystem(parsing: value.text().kept)
      default: break
      }
    }
  }

  private mutating func readEnvironment(_ text: JSONText) throws {
    if text.count > 0 { environment = text.kept }
  }
}
