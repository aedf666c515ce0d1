internal import CChildProcess
internal import Glibc

/// The limits of the child processes that read symbols and demangle names.
public struct ChildLimits: Sendable {
  /// The address space, in bytes. A dSYM needs about three times its size.
  var memory: UInt64 = 4 << 30
  /// The processor time in seconds after which the child is ended and a new one started.
  var processorSeconds: UInt64 = 600
  /// The time limit of one response, in milliseconds. The first response for a large dSYM takes seconds.
  var answerMilliseconds: Int64 = 30_000
  /// The total size of opened files, in bytes, at which the child is replaced, because it never closes a file.
  var openBytes = 256 << 20
  /// The number of seconds without a request after which the child is ended.
  var idleSeconds = 60
  /// The behaviour if the kernel cannot sandbox the child.
  public var sandbox = LandlockRequirement.prefer
  /// The kernel's Landlock version; 0 without Landlock.
  var landlockVersion = LandlockRequirement.landlockVersion
  /// The size of the name cache, in bytes.
  var cacheBytes = 16 << 20

  /// Creates limits that suit a small machine.
  public init() {}
}
