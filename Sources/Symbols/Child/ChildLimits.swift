/// What the child process may take.
public struct ChildLimits: Sendable {
  /// Address space in bytes: a dSYM takes three times its size.
  public var memory: UInt64 = 4 << 30
  /// Processor time of its whole life in seconds; it is started again afterwards.
  public var processorSeconds: UInt64 = 600
  /// How long one answer may take, in milliseconds. The first one of a large dSYM takes seconds.
  public var answerMilliseconds: Int64 = 30_000
  /// Files it may have opened, in bytes, before a fresh one takes its place: it forgets none by itself.
  public var openBytes = 256 << 20
  /// It ends after so many seconds without a question.
  public var idleSeconds = 60
  /// What to do where the kernel cannot confine it.
  public var sandbox = ChildSandbox.prefer
  /// The version of Landlock that confines it; 0 for none.
  var landlockVersion = ChildSandbox.landlockVersion
  /// Bytes of names that are remembered.
  public var cacheBytes = 16 << 20

  /// The defaults, for the smallest machine.
  public init() {}
}
