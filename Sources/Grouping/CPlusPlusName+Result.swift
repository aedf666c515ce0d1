extension CPlusPlusName {
  /// Without closures, which a function is known by that holds them, and without Rust's hash of a build.
  var result: String? {
    var parts = parts + (part.isEmpty ? [] : [String(decoding: part, as: UTF8.self)])
    if let last = parts.last, parts.count > 1, Self.isHash(last) { parts.removeLast() }
    while let last = parts.last, parts.count > 1 {
      let isCall = last == "operator()" && Self.isClosure(parts[parts.count - 2])
      guard isCall || Self.isClosure(last) else { break }
      parts.removeLast()
    }
    guard !parts.isEmpty else { return nil }
    let name = parts.joined(separator: "::").filter { $0 != "\0" }
    return hasParameters ? name + "()" : name
  }

  private static func isClosure(_ part: String) -> Bool {
    part.utf8.first == 0 || (part.hasPrefix("$_") && part.utf8.dropFirst(2).allSatisfy { (48...57).contains($0) })
  }

  /// `h0123456789abcdef`
  private static func isHash(_ part: String) -> Bool {
    part.utf8.count == 17 && part.utf8.first == UInt8(ascii: "h")
      && part.utf8.dropFirst().allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
