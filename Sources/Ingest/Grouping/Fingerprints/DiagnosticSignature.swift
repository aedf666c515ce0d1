public import Core
public import Storage

/// The part of a diagnostic that grouping uses. It is computed before the store is locked.
public struct DiagnosticSignature: Sendable {
  public let stack: NormalizedStack
  /// The hash of the stack: `NormalizedStack.hash`.
  public let hash: UInt64
  /// The binaries in the diagnostic, each marked as the app's or the system's.
  public let binaries: Set<CallTree.Binary>
  /// The rule that classes a hang; nil for other kinds.
  public let hang: HangRule?

  /// The length to which names are cut, in bytes. Clients may send names of any length.
  private static let longestName = 300
  /// The largest call tree in bytes. Decoders accept no larger one.
  private static let largestTree = 64 << 20

  /// Creates the signature of a recorded diagnostic.
  public init(_ record: DiagnosticRecord) {
    self.init(
      record.kind, record.exception, calls: record.calls, quantity: record.quantity,
      isInBackground: record.isInBackground, isOnMac: Self.isMac(record.key.os))
  }

  /// Creates a signature. `calls` is a recorded call tree. A damaged one counts as a tree without frames. `quantity`: the duration of a hang in milliseconds. `isOnMac`: whether the OS is macOS.
  public init(
    _ kind: DiagnosticKind, _ exception: ExceptionDetails, calls recorded: CompressibleBytes, quantity: Double? = nil,
    isInBackground: Bool = false, isOnMac: Bool = false
  ) {
    let calls = (try? Self.callTree(recorded)) ?? CallTree()
    let owners = BinaryOwners(calls)
    var stack = NormalizedStack(kind, exception, calls, owners)
    stack.cause.title = Self.short(stack.cause.title)
    for index in stack.frames.indices { stack.frames[index].function = Self.short(stack.frames[index].function) }
    let binaries = calls.binaries.enumerated().map { index, binary in
      let isOwn = owners[index] == .app || owners[index] == .unnamed
      return CallTree.Binary(name: binary.name, uuid: binary.uuid, origin: isOwn ? .app : .system)
    }
    let hang =
      kind == .hang
      ? HangClassifier().rule(
        for: calls, owners, milliseconds: quantity, isInBackground: isInBackground, isOnMac: isOnMac) : nil
    self.init(stack, binaries: Set(binaries), hang: hang)
  }

  public init(_ stack: NormalizedStack, binaries: Set<CallTree.Binary> = [], hang: HangRule? = nil) {
    self.hang = hang
    self.stack = stack
    self.binaries = binaries
    hash = stack.hash
  }

  /// The fingerprint without symbols and without the binaries that the team declared as the app's own. Computed on
  /// demand: nearly all diagnostics have a stored signature, which already has a group.
  var fingerprint: Fingerprint { Grouper().fingerprint(of: stack) }

  /// Decodes the call tree of a recorded or stored diagnostic.
  public static func callTree(_ recorded: CompressibleBytes) throws -> CallTree {
    try recorded.withContent(limit: largestTree) { try CallTree(recorded: $0) }
  }

  /// Whether a name of an OS with its version, such as `macOS 15.1`, is that of macOS.
  private static func isMac(_ system: String) -> Bool { system.hasPrefix("macOS") || system.hasPrefix("Mac OS X") }

  private static func short(_ text: String) -> String {
    text.utf8.count <= longestName ? text : String(decoding: text.utf8.prefix(longestName), as: UTF8.self)
  }
}
