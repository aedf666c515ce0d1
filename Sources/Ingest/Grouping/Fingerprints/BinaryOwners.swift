public import Core

/// The owners of a call tree's binaries: the app or the system. They come from the report or, without it, from a list
/// of the system's names.
public struct BinaryOwners: Sendable {
  /// The owner of a binary. Raw values are stored: never change one.
  public enum Owner: UInt8, Hashable, Sendable {
    case app = 0
    /// Undecided: the report does not state the owner, and an Apple binary has the same name. Symbols for the binary's
    /// UUID would show that it is the app's.
    case listed = 1
    /// The report has no name for the binary.
    case unnamed = 2
    case system = 3
  }

  private var owners: [Owner]

  /// Determines the owners of all binaries of a tree together, because its stacks show which one is the executable.
  public init(_ tree: CallTree) {
    owners = tree.binaries.map(Self.owner)
    nameByUUID(tree)
    for thread in tree.threads { findExecutable(in: thread.range, of: tree) }
  }

  /// The owner of the binary at this index; the system if the index is out of range.
  public subscript(index: Int) -> Owner { owners.indices.contains(index) ? owners[index] : .system }

  /// The owner of a binary as its report states it, or else by its name.
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

  /// Gives binaries without a name the owner of a binary with the same UUID.
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

  /// Recognises the executable. The binary that the loader calls contains `main`, even if its name is also that of a
  /// system framework. It is not used if the stack already contains code of the app, as in extensions, which start in
  /// system code.
  private mutating func findExecutable(in range: Range<Int>, of tree: CallTree) {
    guard range.upperBound <= tree.frames.count else { return }
    guard owners.contains(.listed) else { return }
    var holders: Set<Int> = []
    for index in range {
      let binary = tree.frames[index].binary
      let caller = tree.frames[index].caller
      guard self[binary] == .listed, range.contains(caller) else { continue }
      let outer = tree.frames[caller].binary
      if tree.binaries.indices.contains(outer), SystemBinaries.starts(tree.binaries[outer].name) {
        holders.insert(binary)
      }
    }
    guard !holders.isEmpty, !range.contains(where: { self[tree.frames[$0].binary] == .app }) else { return }
    for holder in holders { owners[holder] = .app }
  }
}
