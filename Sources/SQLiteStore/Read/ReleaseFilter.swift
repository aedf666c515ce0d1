import Core

/// A filter by release, equivalent to `Release.isCalled`, as a condition on the table `release`. It compares composed
/// titles, because versions and builds may contain any text.
struct ReleaseFilter {
  static let condition = """
    (release.version = ? OR release.build <> ''
      AND iif(release.version = '', '\(Unnamed.title)', release.version) || ' (' || release.build || ')' = ?)
    """

  /// The arguments for the parameters of `condition`.
  let arguments: [String]

  init(_ name: String) { arguments = [Unnamed.stored(name), name] }
}

/// A filter by an app's attribute as a condition on the table `attribute`, whose parameters are name and value.
enum AttributeCondition {
  static func text(_ filter: AttributeFilter) -> String {
    "attribute.name = ? AND attribute.value \(filter.isExcluding ? "<>" : "=") ?"
  }
}
