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
    environment = attributes.text("deployment.environment.name", "deployment.environment") ?? "production"
    bundleID = attributes.text("app.bundle_id", "app.bundle.id", "service.name", "service.namespace")
    release = Self.release(attributes)
    device = Device(
      model: attributes.text("device.model.identifier", "device.model.name") ?? "", system: Self.system(attributes))
    installation = attributes.text("app.installation.id", "device.id", "service.instance.id")
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
    let stated = Self.release(record)
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
        name: Self.systemName(record) ?? device.system.name, version: version,
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
  private static func release(_ attributes: [OTLPKeyValue]) -> Release {
    let version = attributes.text("service.version", "app.version", "app.bundle.shortVersionString") ?? ""
    let build = attributes.text("app.build_id", "service.build", "app.bundle.version")
    guard version.utf8.last == UInt8(ascii: ")"), let open = version.utf8.lastIndex(of: UInt8(ascii: "(")),
      open != version.startIndex, version.utf8[version.utf8.index(before: open)] == UInt8(ascii: " ")
    else { return Release(version: version, build: build ?? "") }
    return Release(
      version: String(version[..<version.utf8.index(before: open)]),
      build: build ?? String(version[version.utf8.index(after: open)...].dropLast()))
  }

  private static func system(_ attributes: [OTLPKeyValue]) -> OperatingSystem {
    guard let name = systemName(attributes) else {
      if let description = attributes.text("os.description") { return OperatingSystem(parsing: description) }
      return OperatingSystem(
        name: attributes.text("os.type") ?? "", version: attributes.text("os.version") ?? "",
        build: attributes.text("os.build_id") ?? "")
    }
    return OperatingSystem(
      name: name, version: attributes.text("os.version") ?? "", build: attributes.text("os.build_id") ?? "")
  }

  private static func systemName(_ attributes: [OTLPKeyValue]) -> String? {
    attributes.text("os.name").map { $0 == "iPhone OS" ? "iOS" : $0 }
  }
}
