/// Texts that a name may start with, found by their first byte.
struct NamePrefixSet: Sendable {
  private let byFirst: [[[UInt8]]]

  /// Creates a table of texts. None may be empty.
  init(_ prefixes: [String]) {
    var byFirst = [[[UInt8]]](repeating: [], count: 256)
    for prefix in prefixes.map({ Array($0.utf8) }) { byFirst[Int(prefix[0])].append(prefix) }
    self.byFirst = byFirst
  }

  /// The length in bytes of the first text that `name` starts with; nil if there is none.
  func length(in name: some Collection<UInt8>) -> Int? {
    guard let first = name.first else { return nil }
    return byFirst[Int(first)].first { name.starts(with: $0) }?.count
  }

  /// Whether `name` starts with one of the texts.
  func matches(_ name: some Collection<UInt8>) -> Bool { length(in: name) != nil }
}
