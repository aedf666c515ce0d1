internal import Core

/// Results for the texts of a document, found by comparing bytes. A stack repeats a few names many times, and comparing
/// them costs less than copying and hashing each. The texts are valid as long as the document.
struct RecentTextCache<Value> {
  private var entries: [(first: BorrowedJSONString?, second: BorrowedJSONString?, value: Value)] = []

  /// The most texts that are remembered. It bounds the comparisons that a hostile document causes.
  private static var most: Int { 32 }

  /// The result for two texts, either of which may be missing.
  func value(of first: BorrowedJSONString?, _ second: BorrowedJSONString? = nil) -> Value? {
    for entry in entries where Self.areEqual(entry.first, first) && Self.areEqual(entry.second, second) {
      return entry.value
    }
    return nil
  }

  mutating func remember(_ value: Value, for first: BorrowedJSONString?, _ second: BorrowedJSONString? = nil) {
    if entries.count < Self.most { entries.append((first, second, value)) }
  }

  private static func areEqual(_ left: BorrowedJSONString?, _ right: BorrowedJSONString?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left == right.bytes
  }
}
