internal import Core

/// The app, release and device that a resource's attributes describe.
///
/// Source: opentelemetry.io/docs/specs/semconv/resource (service, deployment, device, os, app)
struct OTLPOrigin: Hashable {
  private(set) var environment: String
  private(set) var bundleID: String?
  private(set) var release: Release
  private(set) var device: Device
  /// The id of the installation, used as the user of sessions; nil if no attribute has one.
  private(set) var installation: String?
  /// The values of the app's attributes.
  private(set) var attributes: [AppAttribute]

  init(_ attributes: [OTLPKeyValue], _ context: DecodingContext) {
    let resource = OTLPResourceTexts(attributes)
    environment = resource[.environment] ?? "production"
    bundleID = resource[.bundleID]
    release = Self.release(version: resource[.version] ?? "", build: resource[.build])
    let name = resource[.systemName].map(Self.systemName)
    if name == nil, let description = resource[.systemDescription] {
      device = Device(model: resource[.model] ?? "", system: OperatingSystem(parsing: description))
    } else {
      device = Device(
        model: resource[.model] ?? "",
        system: OperatingSystem(
          name: name ?? resource[.systemType] ?? "", version: resource[.systemVersion] ?? "",
          build: resource[.systemBuild] ?? ""))
    }
    installation = resource[.installation]
    self.attributes = context.attributes(in: attributes)
  }

  /// The origin of a point. The point may state attributes of the app.
  func of(point attributes: [OTLPKeyValue], _ context: DecodingContext) -> OTLPOrigin {
    let stated = context.attributes(in: attributes)
    if stated.isEmpty { return self }
    var origin = self
    origin.attributes = stated.completed(by: origin.attributes)
    return origin
  }

  /// The origin with the attributes, release, device and OS version that a record or span states. They may differ from
  /// those of the process that sends it: `app.crash` and MetricKit's payloads are sent by a later one.
  func overridden(by record: [OTLPKeyValue], _ context: DecodingContext) -> OTLPOrigin {
    var origin = of(point: record, context)
    let stated = Self.release(
      version: record.text("service.version", "app.version", "app.bundle.shortVersionString") ?? "",
      build: record.text("app.build_id", "service.build", "app.bundle.version"))
    if !stated.version.isEmpty {
      // Another version has another build, even if the record does not state it.
      let isSame = stated.version == release.version
      origin.release = isSame && stated.build.isEmpty ? release : stated
    } else if !stated.build.isEmpty {
      origin.release.build = stated.build
    }
    if let model = record.text("device.model.identifier") { origin.device.model = model }
    if let version = record.text("os.version") {
      origin.device.system = OperatingSystem(
        name: record.text("os.name").map(Self.systemName) ?? device.system.name, version: version,
        build: record.text("os.build_id") ?? (version == device.system.version ? device.system.build : ""))
    }
    if let id = record.text("app.installation.id") { origin.installation = id }
    if let version = record.text("metrickit.latest_application_version") { origin.release.version = version }
    if let build = record.text("metrickit.metadata.app_build_version") { origin.release.build = build }
    if let model = record.text("metrickit.metadata.device_type") { origin.device.model = model }
    if let system = record.text("metrickit.metadata.os_version") {
      origin.device.system = OperatingSystem(parsing: system)
    }
    if environment == "production", record.text("metrickit.metadata.is_test_flight_app") == "true" {
      origin.environment = "testflight"
    }
    if record.text("metrickit.includes_multiple_application_versions") == "true" { origin.release = .mixed }
    return origin
  }

  /// The release. OpenTelemetry's Swift SDK writes `4.2.0 (1234)` as the version.
  private static func release(version: String, build: String?) -> Release {
    guard version.utf8.last == UInt8(ascii: ")"), let open = version.utf8.lastIndex(of: UInt8(ascii: "(")),
      open != version.startIndex, version.utf8[version.utf8.index(before: open)] == UInt8(ascii: " ")
    else { return Release(version: version, build: build ?? "") }
    return Release(
      version: String(version[..<version.utf8.index(before: open)]),
      build: build ?? String(version[version.utf8.index(after: open)...].dropLast()))
  }

  private static func systemName(_ name: String) -> String { name == "iPhone OS" ? "iOS" : name }
}

/// What a resource's attributes say about the origin, found in one pass.
private struct OTLPResourceTexts {
  enum Part: Int, CaseIterable {
    case environment, bundleID, version, build, model, installation
    case systemName, systemDescription, systemType, systemVersion, systemBuild

    /// The attributes that may state it, in order of preference.
    var names: [String] {
      switch self {
      case .environment: ["deployment.environment.name", "deployment.environment"]
      case .bundleID: ["app.bundle_id", "app.bundle.id", "service.name", "service.namespace"]
      case .version: ["service.version", "app.version", "app.bundle.shortVersionString"]
      case .build: ["app.build_id", "service.build", "app.bundle.version"]
      case .model: ["device.model.identifier", "device.model.name"]
      case .installation: ["app.installation.id", "device.id", "service.instance.id"]
      case .systemName: ["os.name"]
      case .systemDescription: ["os.description"]
      case .systemType: ["os.type"]
      case .systemVersion: ["os.version"]
      case .systemBuild: ["os.build_id"]
      }
    }
  }

  /// What an attribute states, and its rank among the attributes that state the same.
  private static let meanings: [String: (part: Part, rank: Int)] = Part.allCases.reduce(into: [:]) { meanings, part in
    for (rank, name) in part.names.enumerated() { meanings[name] = (part, rank) }
  }
  private static let longest = meanings.keys.reduce(0) { max($0, $1.utf8.count) }

  private var found: [(text: String, rank: Int)?] = Array(repeating: nil, count: Part.allCases.count)

  init(_ attributes: [OTLPKeyValue]) {
    for attribute in attributes {
      // A key may have megabytes, all of which would be hashed.
      guard attribute.key.utf8.count <= Self.longest, let (part, rank) = Self.meanings[attribute.key],
        rank < found[part.rawValue]?.rank ?? .max, let text = attribute.value.plainText, !text.isEmpty
      else { continue }
      found[part.rawValue] = (text.kept, rank)
    }
  }

  /// The first attribute in order of preference that is a non-empty text, a number or a boolean, as a cleaned name.
  subscript(part: Part) -> String? { found[part.rawValue]?.text }
}
