import Core
import Storage

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
      arguments = [UnknownName.stored(filter)]
    }
  }
}
