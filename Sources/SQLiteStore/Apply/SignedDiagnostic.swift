import Compression
import Grouping
import Record
import Storage
import Telemetry

/// What the stacks of a diagnostic tell, worked out before the store is locked.
struct SignedDiagnostic {
  let stem: NormalizedStack
  let hash: UInt64
  let fingerprint: Fingerprint
  /// Each is the app's or the system's, as far as the report tells.
  let binaries: Set<CallTree.Binary>

  /// Names of code may be as long as a client likes; rows and pages are not.
  private static let longestName = 300
  /// A call tree of this size has more frames than a decoder lets through.
  private static let largestTree = 64 << 20

  init(_ kind: DiagnosticKind, _ exception: ExceptionFacts, calls frame: [UInt8]) {
    // A tree that cannot be read counts like one that was not sent.
    let calls = (try? Self.tree(frame)) ?? CallTree()
    var stem = NormalizedStack(kind, exception, calls)
    stem.cause.title = Self.short(stem.cause.title)
    for index in stem.frames.indices { stem.frames[index].function = Self.short(stem.frames[index].function) }
    self.stem = stem
    hash = stem.hash
    fingerprint = Grouper().fingerprint(of: stem)
    let owners = BinaryOwners(calls)
    binaries = Set(
      calls.binaries.enumerated().map { place, binary in
        let isOwn = owners[place] == .app || owners[place] == .unnamed
        return CallTree.Binary(name: binary.name, uuid: binary.uuid, origin: isOwn ? .app : .system)
      })
  }

  static func tree(_ frame: [UInt8]) throws -> CallTree {
    let bytes = try frame.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: largestTree) }
    return try bytes.withUnsafeBytes { try CallTree(recorded: $0) }
  }

  private static func short(_ text: String) -> String {
    text.utf8.count <= longestName ? text : String(decoding: text.utf8.prefix(longestName), as: UTF8.self)
  }
}
