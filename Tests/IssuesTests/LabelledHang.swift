import Core

/// A stack of a hang report with the class that fits its meaning. `Hangs/stacks.txt` has them and describes its format.
struct LabelledHang {
  let number: String
  let label: HangClass
  /// Whether rules were fitted to the stack.
  let isForTuning: Bool
  let milliseconds: Double?
  let isInBackground: Bool
  let isOnMac: Bool
  let calls: CallTree
  /// The number of frames of the longest path.
  let depth: Int

  static func read(_ text: String) -> [LabelledHang] {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let starts = lines.indices.filter { lines[$0].hasPrefix("@ ") } + [lines.count]
    return zip(starts, starts.dropFirst()).compactMap { LabelledHang(lines[$0..<$1]) }
  }

  private init?(_ lines: ArraySlice<Substring>) {
    guard let head = lines.first?.split(separator: " "), head.count >= 7 else { return nil }
    number = String(head[1])
    label = head[2] == "own" ? .ownCode : head[2] == "system" ? .system : .asleep
    isForTuning = head[3] == "tune"
    milliseconds = Double(head[6])
    isInBackground = head.dropFirst(7).contains("background")
    isOnMac = head.dropFirst(7).contains("macos")
    var builder = CallTreeBuilder(statesOwners: !head.dropFirst(7).contains("unstated"))
    var samples = 1
    var path: [Substring] = []
    for line in lines.dropFirst() {
      if line.hasPrefix("~ ") {
        builder.add(path, samples)
        path = []
        samples = Int(line.dropFirst(2)) ?? 1
      } else {
        path.append(line)
      }
    }
    builder.add(path, samples)
    calls = builder.tree
    depth = builder.depth
  }
}

/// Merges paths of frames, which are written innermost first, into one tree with callers before callees.
private struct CallTreeBuilder {
  let statesOwners: Bool
  private(set) var tree = CallTree()
  private(set) var depth = 0
  private var callees: [Int: [Substring: Int]] = [:]

  init(statesOwners: Bool) { self.statesOwners = statesOwners }

  mutating func add(_ path: [Substring], _ samples: Int) {
    var caller = -1
    depth = max(depth, path.count)
    for line in path.reversed() {
      let found = callees[caller]?[line]
      let index = found ?? append(line, caller)
      tree.frames[index].samples += found == nil ? samples - 1 : samples
      caller = index
    }
    tree.threads = [.init(range: 0..<tree.frames.count, isAttributed: true)]
  }

  private mutating func append(_ line: Substring, _ caller: Int) -> Int {
    let isOwn = line.hasPrefix("*")
    let parts = line.drop { $0 == "*" }.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    let function = parts.count > 1 ? String(parts[1]) : ""
    let offset = function.hasPrefix("+0x") ? UInt64(function.dropFirst(3), radix: 16) : nil
    let binary = CallTree.Binary(
      name: String(parts[0]), uuid: "", origin: !statesOwners ? .unknown : isOwn ? .app : .system)
    let known = tree.binaries.firstIndex(of: binary)
    if known == nil { tree.binaries.append(binary) }
    tree.frames.append(
      CallTree.Frame(
        caller: caller, binary: known ?? tree.binaries.count - 1, offset: offset,
        symbol: offset == nil ? CallTree.Symbol(function: function) : nil))
    callees[caller, default: [:]][line] = tree.frames.count - 1
    return tree.frames.count - 1
  }
}
