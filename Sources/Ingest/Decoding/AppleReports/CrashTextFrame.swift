internal import Core

/// One frame line of a `.crash` report.
///
/// It is parsed byte by byte. A report may have a hundred thousand frame lines, and Swift's characters cost a hundred
/// times more.
struct CrashTextFrame {
  let binary: String
  let address: UInt64
  /// The distance from the start of the binary in bytes; nil if the line does not state it.
  var offset: UInt64?
  var symbol: CallTree.Symbol?

  /// Parses `0   Shop   0x0000000102a3c4d8 0x102a38000 + 17624`, or with a function instead of the second address: `4
  /// Shop   0x0000000102a3c4d8 CartViewController.checkout() + 24 (Cart.swift:88)`. Nil for any other line.
  init?(_ line: Substring) {
    let bytes = Array(line.utf8)[...]
    let number = bytes.drop { $0 == 0x20 }
    let digits = number.prefix { (48...57).contains($0) }
    let behind = number[digits.endIndex...]
    guard (1...6).contains(digits.count), behind.first.map(Self.isBlank) == true else { return nil }
    let rest = behind.drop(while: Self.isBlank)
    // A binary's name may contain spaces. It ends before the address.
    guard let (word, found) = Self.address(in: rest) else { return nil }
    binary = CrashTextLines.trimmed(rest[..<word.startIndex]).kept
    address = found
    readPlace(rest[word.endIndex...])
  }

  /// Reads the rest of a line after the frame's address: either the binary's address and the distance from it, or a
  /// function.
  private mutating func readPlace(_ text: ArraySlice<UInt8>) {
    var rest = text
    if let start = Self.word(&rest), CrashTextNumber.address(start) != nil,
      Self.word(&rest)?.elementsEqual([0x2B]) == true,
      let distance = Self.word(&rest)
    {
      offset = CrashTextNumber.decimal(distance)
    } else if text.contains(where: { $0 != 0x20 }) {
      symbol = Self.symbol(CrashTextLines.bare(text))
    }
  }

  /// The first address after the line's first word, as a word and as a number.
  private static func address(in line: ArraySlice<UInt8>) -> (word: ArraySlice<UInt8>, address: UInt64)? {
    var rest = line
    while let word = word(&rest) {
      if word.startIndex > line.startIndex, let address = CrashTextNumber.address(word) { return (word, address) }
    }
    return nil
  }

  /// Removes the next word from the line and returns it; nil at the end of the line.
  private static func word(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let start = rest.drop(while: isBlank)
    guard !start.isEmpty else { return nil }
    let word = start.prefix { !isBlank($0) }
    rest = start[word.endIndex...]
    return word
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Parses a function with an optional distance and source line: `CartViewController.checkout() + 24 (Cart.swift:88)`.
  private static func symbol(_ text: ArraySlice<UInt8>) -> CallTree.Symbol? {
    var name = text
    var (file, line) = ("", Int?.none)
    if name.last == UInt8(ascii: ")"), let open = name.lastIndex(of: UInt8(ascii: "(")) {
      let parts = name[(open + 1)...].dropLast().split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      if parts.count == 2, let number = CrashTextNumber.decimal(parts[1]).flatMap({ Int(exactly: $0) }) {
        file = parts[0].elementsEqual("<compiler-generated>".utf8) ? "" : CrashTextLines.trimmed(parts[0])
        line = number > 0 && !file.isEmpty ? number : nil
        name = name[..<open]
      }
    }
    if let plus = lastPlus(in: name), CrashTextNumber.decimal(CrashTextLines.bare(name[(plus + 3)...])) != nil {
      name = name[..<plus]
    }
    let function = CrashTextLines.trimmed(name)
    return function.isEmpty ? nil : CallTree.Symbol(function: function, file: file, line: line)
  }

  /// The index of the last ` + `, which precedes an offset.
  private static func lastPlus(in name: ArraySlice<UInt8>) -> Int? {
    guard name.count >= 3 else { return nil }
    return (name.startIndex...(name.endIndex - 3)).last { at in
      name[at] == 0x20 && name[at + 1] == UInt8(ascii: "+") && name[at + 2] == 0x20
    }
  }
}
