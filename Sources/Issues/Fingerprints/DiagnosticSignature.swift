import Compression
import Record
public import Telemetry

/// What the stacks of a diagnostic are compared by. It is worked out before the store is locked.
public struct DiagnosticSignature: Sendable {
  public let stack: NormalizedStack
  /// `NormalizedStack.hash`
  public let hash: UInt64
  /// Without knowledge of symbols and of binaries that the team declared its own.
  public let fingerprint: Fingerprint
  /// The binaries its frames lie in, each marked as the app's or the system's.
  public let binaries: Set<CallTree.Binary>

  /// Bytes of a name that are kept: clients may send names of any length.
  private static let longestName = 300
  /// Decoders let no call tree through that has more bytes.
  private static let largestTree = 64 << 20

  /// `calls`: a recorded call tree as a zstd frame. One that cannot be read counts like one without frames.
  public init(_ kind: DiagnosticKind, _ exception: ExceptionDetails, calls frame: [UInt8]) {
    let calls = (try? Self.callTree(frame)) ?? CallTree()
    var stack = NormalizedStack(kind, exception, calls)
    stack.cause.title = Self.short(stack.cause.title)
    for index in stack.frames.indices { stack.frames[index].function = Self.short(stack.frames[index].function) }
    let owners = BinaryOwners(calls)
    let binaries = calls.binaries.enumerated().map { index, binary in
      let isOwn = owners[index] == .app || owners[index] == .unnamed
      return CallTree.Binary(name: binary.name, uuid: binary.uuid, origin: isOwn ? .app : .system)
    }
    self.init(stack, binaries: Set(binaries))
  }

  public init(_ stack: NormalizedStack, binaries: Set<CallTree.Binary> = []) {
    self.stack = stack
    self.binaries = binaries
    hash = stack.hash
    fingerprint = Grouper().fingerprint(of: stack)
  }

  /// Decompresses and reads the call tree of a stored diagnostic.
  public static func callTree(_ frame: [UInt8]) throws -> CallTree {
    let bytes = try frame.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: largestTree) }
    return try bytes.withUnsafeBytes { try CallTree(recorded: $0) }
  }

  private static func short(_ text: String) -> String {
    text.utf8.count <= longestName ? text : String(decoding: text.utf8.prefix(longestName), as: UTF8.self)
  }
}
