import Storage

/// The kinds of names that rows refer to by id. Raw values are table names.
enum NameKind: String, CaseIterable {
  case environment
  case release
  case system = "os"
  case device
  case attribute
  case metric
  case label
  case client

  /// The kinds of names in slices.
  static let ofSlices: [NameKind] = [.release, .system, .device, .attribute, .environment]
}

/// A set of names with a common limit.
struct NameScope: Hashable {
  let kind: NameKind
  let app: AppID
  /// The metric whose labels are limited; 0 for other kinds of names.
  var metric: Int64 = 0
  /// The name of the attribute whose values are limited; empty for other kinds of names.
  var attribute = ""
}

/// A name as clients send it, within its scope.
struct NameKey: Hashable {
  let scope: NameScope
  let text: String
  /// The build of a release; empty for other kinds.
  var build = ""
  /// The unit and kind of a metric, which distinguish metrics with one name; 0 for other kinds.
  var variant = 0

  /// The key of "(other)" in the same scope, which replaces names without separate rows.
  var other: NameKey { NameKey(scope: scope, text: NameRegistry.other, variant: variant) }
  var isOther: Bool { text == NameRegistry.other && build.isEmpty }
}

/// The id of a stored name.
struct NameID: Hashable {
  let kind: NameKind
  let id: Int64
}
