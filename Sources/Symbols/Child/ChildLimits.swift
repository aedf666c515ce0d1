internal import CChildProcess
internal import Glibc

/// Limits of a child process that reads symbols or names.
public struct ChildLimits: Sendable {
  /// Address space in bytes; a dSYM needs about three times its size.
  public var memory: UInt64 = 4 << 30
  /// Processor time in seconds, after which the child ends and is started again.
  public var processorSeconds: UInt64 = 600
  /// The limit of one answer, in milliseconds. The first one of a large dSYM takes seconds.
  public var answerMilliseconds: Int64 = 30_000
  /// Total size of the files it has opened, in bytes, after which a new child replaces it, because it never closes any.
  public var openBytes = 256 << 20
  /// Seconds without a question after which it is ended.
  public var idleSeconds = 60
  /// What to do where the kernel cannot confine it.
  public var sandbox = ChildSandbox.prefer
  /// The version of Landlock that confines it; 0 for none.
  var landlockVersion = ChildSandbox.landlockVersion
  /// The size of the cache of names, in bytes.
  public var cacheBytes = 16 << 20

  /// The defaults, which suit a small machine.
  public init() {}
}

/// What to do where the kernel cannot restrict (with Landlock) which files the children may read.
///
/// In any case a child has limits of memory, time and files, and cannot write, start processes or open sockets
/// (`CChildProcess`).
public enum ChildSandbox: String, Sendable, CaseIterable {
  /// Start them without Landlock: names are shown, but a hostile dSYM that takes over the child can read every file
  /// that the server can read.
  case prefer
  /// Do not start them: frames show binary and offset.
  case require

  /// The version of Landlock that this kernel has; 0 for none.
  static let landlockVersion = plumb_landlock_version()

  /// A warning for the server's log; nil where the kernel has Landlock.
  public var warning: String? { warning(landlockVersion: Self.landlockVersion) }

  func warning(landlockVersion: Int32) -> String? {
    guard landlockVersion == 0 else { return nil }
    let cause = "This kernel has no Landlock (Linux 5.13, and landlock among the kernel's lsm=)"
    switch self {
    case .prefer:
      return "\(cause): the programs that read symbols could read whatever Plumb can read. "
        + "symbols-sandbox: require goes without names instead."
    case .require:
      return "\(cause), and symbols-sandbox is require: frames stay without names."
    }
  }

  /// The libraries that a program is linked with: the system's folders of them, and what this process itself was linked
  /// with elsewhere.
  static let libraries: [String] = {
    let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"]
    let real = folders.map { (SymbolizerProgram.real($0) ?? $0) + "/" }
    let own = mappedLibraries().filter { path in !real.contains { path.hasPrefix($0) } }
    return folders + ["/etc/ld.so.cache"] + own
  }()

  /// Files with code in this process's memory, without the program itself.
  private static func mappedLibraries() -> [String] {
    guard let file = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(file) }
    var found: Set<String> = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let line {
      // 7f34-7f35 r-xp 00000000 fe:01 1234        /usr/lib/libz.so.1
      let entry = String(cString: line)
      guard entry.split(separator: " ").dropFirst().first?.contains("x") == true else { continue }
      let path = String(entry.drop { $0 != "/" }.prefix { $0 != "\n" })
      if path.contains(".so") { found.insert(path) }
    }
    return found.sorted()
  }
}
