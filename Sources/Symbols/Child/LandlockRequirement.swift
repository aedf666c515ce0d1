internal import CChildProcess
internal import Glibc

/// The behaviour on kernels without Landlock, which cannot restrict the files that children may read.
///
/// Child processes always have limits of memory, time and files. They cannot write files, start processes or open
/// sockets (`CChildProcess`).
public enum LandlockRequirement: String, Sendable, CaseIterable {
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
