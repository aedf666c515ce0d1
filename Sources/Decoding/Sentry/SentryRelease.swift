internal import Telemetry

/// What a Sentry release name says: `com.example.shop@4.2.0+1234`.
struct SentryRelease {
  /// `com.example.shop`; nil when the name has no such part.
  let package: String?
  let release: Release

  /// Reads `PACKAGE@VERSION+BUILD`, where package and build may be missing. `dist` is the build where the name has none.
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
