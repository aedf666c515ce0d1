import Core

/// Release, environment and device of a Sentry item. Items with equal origins share a report.
struct SentryOrigin: Hashable {
  var bundleID: String?
  var release: Release
  var environment: String
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  var attributes: [AppAttribute] = []

  /// A report with this origin and no contents.
  var emptyReport: Report {
    Report(
      source: .sentry, environment: environment, bundleID: bundleID, release: release, device: device,
      attributes: attributes)
  }
}

/// The parts of a Sentry release name such as `com.example.shop@4.2.0+1234`.
struct SentryRelease {
  /// The package, such as `com.example.shop`; nil if the name has none.
  let package: String?
  let release: Release

  /// Parses `PACKAGE@VERSION+BUILD`, where package and build are optional. `dist` is the build if the name has none.
  init(_ name: String, dist: String = "") {
    let bytes = name.utf8
    var rest = name[...]
    var package: String?
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")), bytes.index(after: at) != name.endIndex {
      package = at == name.startIndex ? nil : String(name[..<at])
      rest = name[bytes.index(after: at)...]
    }
    self.package = package
    if let plus = rest.utf8.firstIndex(of: UInt8(ascii: "+")), plus != rest.startIndex {
      let build = String(rest[rest.utf8.index(after: plus)...])
      release = Release(version: String(rest[..<plus]), build: build.isEmpty ? dist : build)
    } else {
      release = Release(version: String(rest), build: dist)
    }
  }
}
