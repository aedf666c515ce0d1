extension CPlusPlusName {
  /// Names with `::`, operators, and those of templates, which alone are written with what they return. Swift writes none
  /// of these: its types stand behind ` -> `.
  static func isPossible(_ name: Substring) -> Bool {
    let bytes = Array(name.utf8)
    if bytes.firstRange(of: Array("::".utf8)) != nil || bytes.starts(with: "decltype(".utf8) { return true }
    if bytes.starts(with: "operator".utf8), bytes.count > 8, !isIdentifier(bytes[8]) { return true }
    guard let end = template(bytes) else { return false }
    let head = bytes[..<end]
    guard let space = head.lastIndex(of: space) else { return false }
    return !head[space...].contains(UInt8(ascii: ".")) && bytes.firstRange(of: Array(" -> ".utf8)) == nil
  }

  /// Where the template's arguments begin that stand directly before parameters: `int largest<int>(int)`.
  private static func template(_ bytes: [UInt8]) -> Int? {
    guard let open = bytes.firstIndex(of: UInt8(ascii: "<")), open > 0, isIdentifier(bytes[open - 1]) else {
      return nil
    }
    var walk = CPlusPlusName(text: bytes)
    walk.at = open
    guard let end = walk.closing(open), end + 1 < bytes.count, bytes[end + 1] == Self.open else { return nil }
    return open
  }
}
