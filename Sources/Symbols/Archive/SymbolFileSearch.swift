internal import Glibc

/// Finds files with debug symbols at a path: a dSYM, a folder with dSYMs, an `.xcarchive`, a DWARF file or a zip
/// archive.
public enum SymbolFileSearch {
  /// A file with debug symbols to upload.
  public struct Found: Sendable, Equatable {
    public var path: String
    /// The name of the binary.
    public var name: String
    /// The size of the file in bytes.
    public var size: Int
  }

  /// The most folder entries that are visited. An app's build folder has some thousands.
  private static let mostEntries = 500_000
  /// The deepest nesting of folders that is visited.
  private static let deepest = 40

  /// The files to upload. If `path` is a file, it is that file regardless of its content, so that the server can report
  /// a problem with it. In a folder these are the files with debug information, and every file at the place of symbols
  /// in a dSYM. Links in folders are not followed. Nil when there is nothing at `path`.
  public static func files(at path: String) -> [Found]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if status.st_mode & S_IFMT != S_IFDIR { return [Found(path: path, name: name, size: Int(status.st_size))] }
    var found: [Found] = []
    var open = [(path: path, depth: 0)]
    var seen = 0
    while let folder = open.popLast() {
      for name in SymbolFolderFiles.names(in: folder.path) {
        seen += 1
        guard seen <= mostEntries else { return found }
        let inner = folder.path + "/" + name
        guard lstat(inner, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR, folder.depth < deepest {
          open.append((inner, folder.depth + 1))
        } else if status.st_mode & S_IFMT == S_IFREG, DebugSymbolPath.isMeant(inner) || hasSymbols(inner) {
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

/// The location of symbols in a dSYM bundle.
enum DebugSymbolPath {
  /// Whether a path is one at which a dSYM has its symbols: `Shop.dSYM/Contents/Resources/DWARF/Shop`. Hidden files of
  /// macOS (`.DS_Store`, and `._Shop` in its zips) are not.
  static func isMeant(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.dropLast().suffix(3).elementsEqual(["Contents", "Resources", "DWARF"])
      && parts.last?.hasPrefix(".") == false
  }
}
