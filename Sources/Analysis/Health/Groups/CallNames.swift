import Core
import Ingest

/// The function names of a call tree's frames, from uploaded symbols or from the report itself.
struct CallNames {
  /// One function at a frame. A frame has several if functions were inlined.
  struct Call: Hashable {
    var name: String
    var binary: String
    var isOwn: Bool
    var isNamed = true
    /// The source line, `Cart.swift:42`; empty if unknown.
    var source: String
  }

  private let tree: CallTree
  private let callers: Set<Int>
  private let owners: BinaryOwners
  private let withSymbols: Set<String>
  private let known: [String: [UInt64: [CallTree.Symbol]]]

  private let own: Set<String>

  /// Looks up the names of all frames of a tree. `own`: names of binaries that the team has declared as its own code.
  init(_ tree: CallTree, _ symbols: any SymbolSource, own: Set<String>) {
    self.tree = tree
    self.own = own
    let callers = Set(tree.frames.map(\.caller))
    self.callers = callers
    var wanted: [String: Set<UInt64>] = [:]
    for (index, frame) in tree.frames.enumerated() where tree.binaries.indices.contains(frame.binary) {
      let uuid = tree.binaries[frame.binary].uuid
      guard !uuid.isEmpty, let offset = Self.offset(frame, callers.contains(index)) else { continue }
      wanted[uuid, default: []].insert(offset)
    }
    owners = BinaryOwners(tree)
    let withSymbols = Set(wanted.keys.filter { symbols.hasSymbols(uuid: $0) })
    self.withSymbols = withSymbols
    // Includes system binaries, which do not become the app's own by having symbols.
    known = wanted.reduce(into: [:]) {
      $0[$1.key] = symbols.symbols(uuid: $1.key, offsets: $1.value.sorted())
    }
  }

  /// The functions of the frame at an index, outermost first.
  func calls(at index: Int) -> [Call] {
    let frame = tree.frames[index]
    let binary = tree.binaries.indices.contains(frame.binary) ? tree.binaries[frame.binary] : nil
    let name = binary?.name ?? ""
    let isOwn = binary.map { owns(frame.binary, $0) } ?? (frame.symbol != nil)
    let found = Self.offset(frame, callers.contains(index)).flatMap { known[binary?.uuid ?? ""]?[$0] } ?? []
    let symbols = found.isEmpty ? frame.symbol.map { [$0] } ?? [] : found
    guard symbols.isEmpty else {
      return symbols.map { Call(name: $0.function, binary: name, isOwn: isOwn, source: Self.source($0)) }
    }
    let position = frame.offset ?? frame.address
    let title = name.isEmpty ? "unnamed binary" : name
    return [
      Call(
        name: position.map { "\(title) + 0x\(String($0, radix: 16))" } ?? title, binary: name, isOwn: isOwn,
        isNamed: false,
        source: "")
    ]
  }

  private func owns(_ binaryIndex: Int, _ binary: CallTree.Binary) -> Bool {
    owners[binaryIndex] == .app || owners[binaryIndex] == .unnamed || withSymbols.contains(binary.uuid)
      || own.contains(binary.name)
  }

  /// The offset to look up. Caller frames contain the return address, so 1 is subtracted to get an address inside the
  /// call.
  private static func offset(_ frame: CallTree.Frame, _ isCaller: Bool) -> UInt64? {
    frame.offset.map { isCaller && $0 > 0 ? $0 - 1 : $0 }
  }

  private static func source(_ symbol: CallTree.Symbol) -> String {
    guard !symbol.file.isEmpty else { return "" }
    let file = symbol.file.split(separator: "/").last.map(String.init) ?? symbol.file
    return symbol.line.map { "\(file):\($0)" } ?? file
  }
}
