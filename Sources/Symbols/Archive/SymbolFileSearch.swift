internal import Core
internal import Glibc

/// The search for files with debug symbols at a path: a dSYM, a folder with dSYMs, an `.xcarchive`, a DWARF file or a
/// zip archive.
public enum SymbolFileSearch {
  /// A file with debug symbols to upload.
  public struct Found: Sendable, Equatable {
    public var path: String
    /// The name of the binary.
    public var name: String
    /// The size of the file in bytes.
    public var size: Int
    /// Whether it is a system library, recognised by the folder layout of `symx`.
    public var isSystem = false
    /// Whether it is compressed with zstd.
    public var isCompressed = false
  }

  /// The maximum number of visited folder entries. An app's build folder has some thousands.
  private static let mostEntries = 500_000
  /// The maximum nesting of visited folders.
  private static let deepest = 40

  /// The files to upload. If `path` is a file, the result is that file regardless of its content, so that the server
  /// can report a problem with it. In a folder, the result has all files with debug information, and every file at the
  /// location of symbols in a dSYM. Links in folders are not followed. Nil if there is nothing at `path`.
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
        } else if status.st_mode & S_IFMT == S_IFREG, SystemSymbolPath.isMeant(inner) {
          found.append(SystemSymbolPath.found(inner, size: Int(status.st_size)))
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

/// The location of symbols that a team extracted from Apple's systems with `symx` or `symsorter` in the "unified"
/// layout: `4c/4c443a55553144a170e8fd87173ff7/executable`, or `debuginfo`, by the UUID. The binary's name is in `meta`
/// in the same folder. The files may be compressed with zstd.
///
/// Source: https://getsentry.github.io/symbolicator/advanced/symbol-server-compatibility/
enum SystemSymbolPath {
  static func isMeant(_ path: String) -> Bool {
    let parts = path.split(separator: "/").suffix(3)
    guard parts.count == 3, let start = parts.first, start.utf8.count == 2, let kind = parts.last else { return false }
    return (kind == "executable" || kind == "debuginfo")
      && UUIDText.canonical(parts.prefix(2).joined()) != nil
  }

  static func found(_ path: String, size: Int) -> SymbolFileSearch.Found {
    let file = OpenFile(path: path, followsLinks: false)
    let start = file?.bytes(0..<min(4, size)) ?? []
    return SymbolFileSearch.Found(
      path: path, name: name(beside: path), size: size, isSystem: true, isCompressed: start == [0x28, 0xB5, 0x2F, 0xFD])
  }

  /// The name in `meta`; if there is none, the kind of file.
  private static func name(beside path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let kind = parts.last.map(String.init) ?? path
    guard let meta = OpenFile(path: parts.dropLast().joined(separator: "/") + "/meta", followsLinks: false),
      meta.count <= 1 << 16, let bytes = meta.bytes(0..<meta.count)
    else { return kind }
    return bytes.withUnsafeBytes { bytes in
      (try? JSONParser().withDocument(bytes) { try $0.object()["name"]?.text().string }) ?? kind
    }
  }
}

/// The location of symbols in a dSYM bundle.
enum DebugSymbolPath {
  /// Whether a path is a location of symbols in a dSYM: `Shop.dSYM/Contents/Resources/DWARF/Shop`. Hidden files of
  /// macOS (`.DS_Store`, and `._Shop` in its zips) are excluded.
  static func isMeant(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.dropLast().suffix(3).elementsEqual(["Contents", "Resources", "DWARF"])
      && parts.last?.hasPrefix(".") == false
  }
}
