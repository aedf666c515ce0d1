internal import Core
internal import Storage

/// A thread of a call tree as text, innermost frame first.
public struct ThreadText: Sendable, Equatable {
  /// One function of the thread.
  public struct Line: Sendable, Equatable {
    public var name: String
    public var binary: String
    public var isOwn: Bool
    /// The source line, `Cart.swift:42`; empty if unknown.
    public var source: String = ""
  }

  public var number: Int
  /// Whether the thread crashed or hung.
  public var isAttributed: Bool
  public var lines: [Line]
  /// The number of lines that were left out.
  public var omitted: Int = 0

  private static let mostThreads = 60
  private static let mostLines = 150

  /// The threads of a tree, the crashed or hung ones first.
  static func threads(of tree: CallTree, _ symbols: any SymbolSource, own: Set<String>) -> [ThreadText] {
    let names = CallNames(tree, symbols, own: own)
    let order = tree.threads.indices.sorted {
      (tree.threads[$0].isAttributed ? 0 : 1, $0) < (tree.threads[$1].isAttributed ? 0 : 1, $1)
    }
    return order.filter { !tree.threads[$0].range.isEmpty }.prefix(mostThreads).map { number in
      let thread = tree.threads[number]
      let lines = thread.range.reversed().flatMap { names.calls(at: $0).reversed() }
      return ThreadText(
        number: number, isAttributed: thread.isAttributed,
        lines: lines.prefix(mostLines).map {
          Line(name: $0.name, binary: $0.binary, isOwn: $0.isOwn, source: $0.source)
        }, omitted: max(0, lines.count - mostLines))
    }
  }
}
