import Telemetry

extension Release {
  /// `4.2.0 (1234)`, as tables name it.
  var title: String {
    if version.isEmpty { return build.isEmpty ? "(unknown)" : "(\(build))" }
    return build.isEmpty ? version : "\(version) (\(build))"
  }
}
