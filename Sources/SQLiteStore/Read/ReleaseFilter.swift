import Core
import Storage

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

/// A filter by the OS as a condition on the table `os`: one version, or all that begin alike.
struct SystemCondition {
  let text: String
  let arguments: [String]

  init(_ filter: String) {
    if let prefix = SystemFilter(filter).prefix {
      text = "(os.name = ? OR substr(os.name, 1, length(?)) = ?)"
      arguments = [prefix, prefix + ".", prefix + "."]
    } else {
      text = "os.name = ?"
      arguments = [Unnamed.stored(filter)]
    }
  }
}
