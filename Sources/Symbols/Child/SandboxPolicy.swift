internal import CChildProcess
internal import Glibc

/// The behaviour on kernels without Landlock, which cannot restrict the files that children may read.
///
/// Child processes always have limits of memory, time and files. They cannot write files, start processes or open
/// sockets (`CChildProcess`).
public enum SandboxPolicy: String, Sendable, CaseIterable {
  /// Start children without Landlock. Frames are symbolicated, but a hostile dSYM that takes over the child could read
  /// every file that the server can read.
  case prefer
  /// Do not start children. Frames show their binary and offset.
  case require

  /// The kernel's Landlock version; 0 without Landlock.
  static let landlockVersion = plumb_landlock_version()

  /// A warning for the server's log; nil on kernels with Landlock.
  public var warning: String? { warning(landlockVersion: Self.landlockVersion) }

  func warning(landlockVersion: Int32) -> String? {
    guard landlockVersion == 0 else { return nil }
    let cause = "This kernel has no Landlock (it needs Linux 5.13 and landlock in the boot parameter lsm=)"
    switch self {
    case .prefer:
      return "\(cause): the programs that read symbols can read all files that Plumb can read. "
        + "Set symbols-sandbox: require to disable symbolication instead."
    case .require:
      return "\(cause), and symbols-sandbox is require: frames are not symbolicated."
    }
  }
}

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
