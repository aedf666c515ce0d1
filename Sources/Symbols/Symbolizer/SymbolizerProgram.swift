internal import Glibc

/// The search for LLVM's `llvm-symbolizer`.
public enum SymbolizerProgram {
  /// The path of the program; nil if it is not found. A `setting` is used without alternatives. Otherwise the folders
  /// of `path` (the variable PATH) are searched for `llvm-symbolizer`, then for the highest version number as in
  /// `llvm-symbolizer-19`; then the folder of `swift` and Debian's LLVM folders.
  public static func find(setting: String?, path: String) -> String? {
    if let setting { return isProgram(setting) ? setting : nil }
    let folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    return folders.map { $0 + "/llvm-symbolizer" }.first(where: isProgram)
      ?? folders.compactMap(versioned).first
      ?? folders.compactMap { real($0 + "/swift").map(folder) }.map { $0 + "/llvm-symbolizer" }.first(where: isProgram)
      ?? ofDebian
  }

  /// The program with the highest version number in a folder: `llvm-symbolizer-19` rather than `-14`.
  private static func versioned(_ folder: String) -> String? {
    let names = SymbolFolderFiles.names(in: folder).compactMap { name -> (Int, String)? in
      guard name.hasPrefix("llvm-symbolizer-"), let version = Int(name.dropFirst(16)) else { return nil }
      return (version, folder + "/" + name)
    }
    return names.sorted { $0.0 > $1.0 }.map(\.1).first(where: isProgram)
  }

  private static var ofDebian: String? {
    let versions = SymbolFolderFiles.names(in: "/usr/lib").compactMap { name in
      name.hasPrefix("llvm-") ? Int(name.dropFirst(5)) : nil
    }
    return versions.sorted(by: >).map { "/usr/lib/llvm-\($0)/bin/llvm-symbolizer" }.first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// The path with all links resolved; nil if there is no file.
  static func real(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// The folder part of a path.
  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// The paths that the program must be able to read in addition to the symbols: itself, its libraries and the linker's
  /// cache. The program's folder is not included, because it may be a home folder or contain the data folder.
  static func readable(_ program: String) -> [String] {
    let own = real(program) ?? program
    let prefix = folder(folder(own))
    let beside = prefix.isEmpty ? [] : [prefix + "/lib", prefix + "/lib64"]
    return [own, "/dev/null"] + beside + interpreter(of: own) + ChildLibraries.paths
  }

  /// The interpreter's path if the program is a wrapper script; otherwise empty.
  private static func interpreter(of path: String) -> [String] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var head = [UInt8](repeating: 0, count: 256)
    let count = fread(&head, 1, head.count, file)
    guard head.prefix(count).starts(with: "#!".utf8) else { return [] }
    let line = head.prefix(count).dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    return line.split(separator: UInt8(ascii: " ")).first.map { [String(decoding: $0, as: UTF8.self)] } ?? []
  }
}
