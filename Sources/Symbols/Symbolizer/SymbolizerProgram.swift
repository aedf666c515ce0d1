internal import Glibc

/// Finds LLVM's `llvm-symbolizer`.
public enum SymbolizerProgram {
  /// Looks at `setting`, then in `path` (as the variable PATH has it) for `llvm-symbolizer` and `llvm-symbolizer-19`, the
  /// highest number first, then beside `swift`, and in Debian's folders of LLVM. Nil when there is none; a setting that
  /// names no program finds no other instead.
  public static func find(setting: String?, path: String) -> String? {
    if let setting { return isProgram(setting) ? setting : nil }
    let folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    return folders.map { $0 + "/llvm-symbolizer" }.first(where: isProgram)
      ?? folders.compactMap(versioned).first
      ?? folders.compactMap { real($0 + "/swift").map(folder) }.map { $0 + "/llvm-symbolizer" }.first(where: isProgram)
      ?? ofDebian
  }

  /// `llvm-symbolizer-19` rather than `-14`.
  private static func versioned(_ folder: String) -> String? {
    let names = FolderFiles.names(in: folder).compactMap { name -> (Int, String)? in
      guard name.hasPrefix("llvm-symbolizer-"), let version = Int(name.dropFirst(16)) else { return nil }
      return (version, folder + "/" + name)
    }
    return names.sorted { $0.0 > $1.0 }.map(\.1).first(where: isProgram)
  }

  private static var ofDebian: String? {
    let versions = FolderFiles.names(in: "/usr/lib").compactMap { name in
      name.hasPrefix("llvm-") ? Int(name.dropFirst(5)) : nil
    }
    return versions.sorted(by: >).map { "/usr/lib/llvm-\($0)/bin/llvm-symbolizer" }.first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// The file behind all links; nil when there is none.
  static func real(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// The folder a path lies in.
  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// What the program may read beside the symbols: itself, its libraries and the list of where those are.
  static func readable(_ program: String) -> [String] {
    let own = folder(real(program) ?? program)
    let prefix = folder(own)
    return [prefix.isEmpty ? own : prefix, "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null"]
  }
}
