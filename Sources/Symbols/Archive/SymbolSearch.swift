internal import Glibc

/// Finds files with symbols below a path: a dSYM, a folder of them, an `.xcarchive`, one DWARF file or a zip archive.
public enum SymbolSearch {
  /// A file to upload.
  public struct Found: Sendable, Equatable {
    public var path: String
    /// What its binary is called.
    public var name: String
    /// In bytes.
    public var size: Int
  }

  /// A folder of an app's build has some thousands of entries.
  private static let mostEntries = 500_000
  private static let deepest = 40

  /// A file that was named is taken whatever it is, so that whoever takes it can say what is wrong with it; in folders,
  /// only files with debug information are, and whatever lies where a dSYM has its symbols. Links in folders are not
  /// followed. Nil when there is nothing at `path`.
  public static func files(at path: String) -> [Found]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if status.st_mode & S_IFMT != S_IFDIR { return [Found(path: path, name: name, size: Int(status.st_size))] }
    var found: [Found] = []
    var open = [(path: path, depth: 0)]
    var seen = 0
    while let folder = open.popLast() {
      for name in FolderFiles.names(in: folder.path) {
        seen += 1
        guard seen <= mostEntries else { return found }
        let inner = folder.path + "/" + name
        guard lstat(inner, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR, folder.depth < deepest {
          open.append((inner, folder.depth + 1))
        } else if status.st_mode & S_IFMT == S_IFREG, SymbolPlace.isMeant(inner) || hasSymbols(inner) {
          found.append(Found(path: inner, name: name, size: Int(status.st_size)))
        }
      }
    }
    return found.sorted { $0.path < $1.path }
  }

  private static func hasSymbols(_ path: String) -> Bool {
    guard let file = OpenFile(path: path, followsLinks: false), let images = try? MachOReader.images(in: file) else {
      return false
    }
    return images.contains(where: \.isUseful)
  }
}

/// Where in a bundle the symbols are.
enum SymbolPlace {
  /// Whether a file with this path is meant to hold symbols: `Shop.dSYM/Contents/Resources/DWARF/Shop`. Files that macOS
  /// hides there (`.DS_Store`, `._Shop` of its zips) are not.
  static func isMeant(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.dropLast().suffix(3).elementsEqual(["Contents", "Resources", "DWARF"])
      && parts.last?.hasPrefix(".") == false
  }
}
