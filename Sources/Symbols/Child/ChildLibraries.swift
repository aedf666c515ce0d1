internal import CChildProcess
internal import Glibc

/// The shared libraries that a child process must be able to read.
enum ChildLibraries {
  /// The system's library folders, and the paths of libraries that this process loaded from elsewhere.
  static let paths: [String] = {
    let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"]
    let real = folders.map { (SymbolizerProgram.real($0) ?? $0) + "/" }
    let own = mappedLibraries().filter { path in !real.contains { path.hasPrefix($0) } }
    return folders + ["/etc/ld.so.cache"] + own
  }()

  /// The shared libraries mapped into this process.
  private static func mappedLibraries() -> [String] {
    guard let file = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(file) }
    var found: Set<String> = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let line {
      // A line looks like `7f34-7f35 r-xp 00000000 fe:01 1234        /usr/lib/libz.so.1`.
      let entry = String(cString: line)
      guard entry.split(separator: " ").dropFirst().first?.contains("x") == true else { continue }
      let path = String(entry.drop { $0 != "/" }.prefix { $0 != "\n" })
      if path.contains(".so") { found.insert(path) }
    }
    return found.sorted()
  }
}
