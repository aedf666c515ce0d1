internal import Core

/// One frame line of a `.crash` report. Its texts are valid as long as the report.
struct CrashTextFrame {
  /// The name of the binary; nil in a backtrace of addresses only.
  let binary: CrashText?
  let address: UInt64
  /// The distance from the start of the binary in bytes; nil if the line does not state it.
  private(set) var offset: UInt64?
  private(set) var symbol: CallTree.Symbol?

  init(address: UInt64) { (binary, self.address) = (nil, address) }

  /// Parses `0   Shop   0x0000000102a3c4d8 0x102a38000 + 17624`, or with a function instead of the second address: `4
  /// Shop   0x0000000102a3c4d8 CartViewController.checkout() + 24 (Cart.swift:88)`. Nil for any other line.
  init?(_ line: CrashText) {
    let bytes = line.bytes
    var start = 0
    while start < bytes.count, bytes[start] == 0x20 { start += 1 }
    var end = start
    while end < bytes.count, (48...57).contains(bytes[end]) { end += 1 }
    guard (1...6).contains(end - start), end < bytes.count, CrashText.isBlank(bytes[end]) else { return nil }
    while end < bytes.count, CrashText.isBlank(bytes[end]) { end += 1 }
    // A binary's name may contain spaces. It ends before the address.
    let named = line[end...]
    var rest = named
    guard rest.word() != nil else { return nil }
    while let word = rest.word() {
      guard let found = word.address else { continue }
      binary = named[0..<named.count - rest.count - word.count]
      address = found
      readPlace(rest)
      return
    }
    return nil
  }

  /// Reads the rest of a line after the frame's address: either the binary's address and the distance from it, or a
  /// function.
  private mutating func readPlace(_ text: CrashText) {
    var rest = text
    if rest.word()?.address != nil, let plus = rest.word(), plus == "+", let distance = rest.word() {
      offset = distance.decimal
    } else {
      symbol = Self.symbol(text.bare)
    }
  }

  /// Parses a function with an optional distance and source line: `CartViewController.checkout() + 24 (Cart.swift:88)`.
  private static func symbol(_ text: CrashText) -> CallTree.Symbol? {
    var name = text
    var (file, line) = ("", Int?.none)
    if name.bytes.last == UInt8(ascii: ")"), let open = name.bytes.lastIndex(of: UInt8(ascii: "(")) {
      let place = name[open + 1..<name.count - 1]
      if let colon = place.firstIndex(of: UInt8(ascii: ":")),
        let number = place[(colon + 1)...].decimal.flatMap({ Int(exactly: $0) })
      {
        let path = place[0..<colon]
        file = path == "<compiler-generated>" ? "" : path.name
        line = number > 0 && !file.isEmpty ? number : nil
        name = name[0..<open]
      }
    }
    if let plus = lastPlus(in: name), name[(plus + 3)...].bare.decimal != nil { name = name[0..<plus] }
    let function = name.name
    return function.isEmpty ? nil : CallTree.Symbol(function: function, file: file, line: line)
  }

  /// The offset of the last ` + `, which precedes an offset.
  private static func lastPlus(in name: CrashText) -> Int? {
    var at = name.count - 3
    while at >= 0 {
      if name.bytes[at + 1] == UInt8(ascii: "+"), name.bytes[at] == 0x20, name.bytes[at + 2] == 0x20 { return at }
      at -= 1
    }
    return nil
  }
}
