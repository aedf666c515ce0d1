public import Telemetry

/// The owners of the binaries of a call tree: by the report, or where it has no information, by the list of the system's
/// names.
public struct BinaryOwners: Sendable {
  /// Who made a binary.
  public enum Owner: UInt8, Hashable, Sendable {
    case app = 0
    /// Only its name is Apple's: symbols for its UUID would prove that it is the app's.
    case listed = 1
    /// The report has no name for it.
    case unnamed = 2
    case system = 3
  }

  private var owners: [Owner]

  /// Finds the owners of all binaries of a tree together: its threads show which one is the executable.
  public init(_ tree: CallTree) {
    owners = tree.binaries.map(Self.owner)
    nameByUUID(tree)
    for thread in tree.threads { findExecutable(in: thread.range, of: tree) }
  }

  /// The owner of a binary by its index; the system for an index out of range.
  public subscript(index: Int) -> Owner { owners.indices.contains(index) ? owners[index] : .system }

  /// Of a binary by itself.
  static func owner(_ binary: CallTree.Binary) -> Owner {
    switch binary.origin {
    case .app: .app
    case .system: .system
    case .unknown:
      binary.name.isEmpty
        ? .unnamed
        : !SystemBinaries.contains(binary.name)
          ? .app : SystemBinaries.isCertain(binary.name) ? .system : .listed
    }
  }

  /// A UUID that has a name elsewhere in the report is that binary.
  private mutating func nameByUUID(_ tree: CallTree) {
    guard owners.contains(.unnamed) else { return }
    var named: [String: Owner] = [:]
    for (binary, owner) in zip(tree.binaries, owners) where owner != .unnamed && !binary.uuid.isEmpty {
      named[binary.uuid] = owner
    }
    for index in owners.indices where owners[index] == .unnamed {
      if let known = named[tree.binaries[index].uuid] { owners[index] = known }
    }
  }

  /// The binary that the loader calls holds `main`. An app may be called like a framework of the system; an extension of
  /// it begins in code of the system, and then has more of its own in the stack.
  private mutating func findExecutable(in range: Range<Int>, of tree: CallTree) {
    guard range.upperBound <= tree.frames.count else { return }
    var holders: Set<Int> = []
    for index in range {
      let frame = tree.frames[index]
      guard self[frame.binary] == .listed, range.contains(frame.caller) else { continue }
      let caller = tree.frames[frame.caller].binary
      if tree.binaries.indices.contains(caller), SystemBinaries.starts(tree.binaries[caller].name) {
        holders.insert(frame.binary)
      }
    }
    guard !holders.isEmpty, !range.contains(where: { self[tree.frames[$0].binary] == .app }) else { return }
    for holder in holders { owners[holder] = .app }
  }
}
