public import Core
public import Storage

/// The part of a diagnostic that grouping uses. It is computed before the store is locked.
public final class DiagnosticSignature: Sendable {
  private let content: Content
  /// The hash of the stack: `NormalizedStack.hash`.
  public let hash: UInt64

  /// The stack that identifies the cause.
  public var stack: NormalizedStack { content.stack }
  /// The binaries in the diagnostic, each marked as the app's or the system's.
  public var binaries: [CallTree.Binary] { content.binaries }
  /// The rule that classes a hang; nil for other kinds.
  public var hang: HangRule? { content.hang }

  /// Everything that is equal for diagnostics with the same signature.
  fileprivate struct Content: Equatable {
    let stack: NormalizedStack
    let binaries: [CallTree.Binary]
    let hang: HangRule?
  }

  private init(_ content: Content) {
    self.content = content
    hash = content.stack.hash
  }

  public convenience init(_ stack: NormalizedStack) { self.init(Content(stack: stack, binaries: [], hang: nil)) }

  /// Creates the signature of a recorded diagnostic.
  public convenience init(_ record: DiagnosticRecord) { self.init(Content(record, RecentSymbols())) }

  /// Creates a signature. `calls` is a recorded call tree.
  public convenience init(_ kind: DiagnosticKind, _ exception: ExceptionDetails, calls: CompressibleBytes) {
    self.init(Content(kind, exception, calls, nil, isInBackground: false, isOnMac: false, RecentSymbols()))
  }

  /// The signatures of recorded diagnostics, in their order. Diagnostics of the same cause and build, which most of a
  /// batch are, share one object.
  public static func signatures(of records: [DiagnosticRecord]) -> [DiagnosticSignature] {
    var known: [Mark: DiagnosticSignature] = [:]
    let symbols = RecentSymbols()
    return records.map { record in
      let content = Content(record, symbols)
      let mark = Mark(content.stack)
      if let signature = known[mark], signature.content == content { return signature }
      let signature = DiagnosticSignature(content)
      known[mark] = signature
      return signature
    }
  }

  /// A part of a stack by which an equal one is found.
  private struct Mark: Hashable {
    private let kind: DiagnosticKind
    private let frames: Int
    private let first: UInt64?
    private let last: UInt64?
    /// The innermost function. Stacks with names only have no offsets.
    private let function: String?

    init(_ stack: NormalizedStack) {
      (kind, frames) = (stack.kind, stack.frames.count)
      (first, last) = (stack.frames.first?.offset, stack.frames.last?.offset)
      function = stack.frames.first?.function
    }
  }

  /// The fingerprint without symbols and without the binaries that the team declared as the app's own. Computed on
  /// demand: nearly all diagnostics have a stored signature, which already has a group.
  var fingerprint: Fingerprint { Grouper().fingerprint(of: stack) }

  /// The largest call tree in bytes. Decoders accept no larger one.
  private static let largestTree = 64 << 20

  /// Decodes the call tree of a recorded or stored diagnostic.
  public static func callTree(_ recorded: CompressibleBytes) throws -> CallTree {
    try callTree(recorded, RecentSymbols())
  }

  fileprivate static func callTree(_ recorded: CompressibleBytes, _ symbols: RecentSymbols) throws -> CallTree {
    try recorded.withContent(limit: largestTree) { try CallTree(recorded: $0, symbols) }
  }
}

extension DiagnosticSignature.Content {
  init(_ record: DiagnosticRecord, _ symbols: RecentSymbols) {
    self.init(
      record.kind, record.exception, record.calls, record.quantity, isInBackground: record.isInBackground,
      isOnMac: Self.isMac(record.key.os), symbols)
  }

  /// `recorded`: a call tree; a damaged one counts as a tree without frames. `quantity`: the duration of a hang in
  /// milliseconds. `isOnMac`: whether the OS is macOS.
  init(
    _ kind: DiagnosticKind, _ exception: ExceptionDetails, _ recorded: CompressibleBytes, _ quantity: Double?,
    isInBackground: Bool, isOnMac: Bool, _ symbols: RecentSymbols
  ) {
    let calls = (try? DiagnosticSignature.callTree(recorded, symbols)) ?? CallTree()
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
    self.init(stack: stack, binaries: binaries, hang: hang)
  }

  /// Whether a name of an OS with its version, such as `macOS 15.1`, is that of macOS.
  private static func isMac(_ system: String) -> Bool { system.hasPrefix("macOS") || system.hasPrefix("Mac OS X") }

  /// The length to which names are cut, in bytes. Clients may send names of any length.
  private static let longestName = 300

  private static func short(_ text: String) -> String {
    text.utf8.count <= longestName ? text : String(decoding: text.utf8.prefix(longestName), as: UTF8.self)
  }
}
