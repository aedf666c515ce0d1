internal import Telemetry

/// One line of a call stack in a crash report as text.
struct CrashTextFrame {
  let binary: String
  let address: UInt64
  /// From the start of the binary, where the line says it.
  var offset: UInt64?
  var symbol: CallTree.Symbol?

  /// `0   Shop   0x0000000102a3c4d8 0x102a38000 + 17624`, or with a name instead of the second address:
  /// `4   Shop   0x0000000102a3c4d8 CartViewController.checkout() + 24 (Cart.swift:88)`. Nil for any other line.
  init?(_ line: Substring) {
    let bytes = line.utf8.drop { $0 == 0x20 }
    let number = bytes.prefix { (48...57).contains($0) }
    var rest = bytes.dropFirst(number.count)
    guard (1...6).contains(number.count), rest.first == 0x20 || rest.first == 0x09 else { return nil }
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    // The name of a binary may hold spaces: it ends before the address.
    guard let (name, found, behind) = Self.address(in: Substring(rest)) else { return nil }
    binary = name
    address = found
    let words = behind.split(separator: " ", omittingEmptySubsequences: true)
    if words.count >= 3, CrashTextNumber.address(words[0]) != nil, words[1] == "+" {
      offset = UInt64(words[2])
    } else if !words.isEmpty {
      symbol = Self.symbol(CrashTextLines.trimmed(behind))
    }
  }

  private static func address(in line: Substring) -> (name: String, address: UInt64, behind: Substring)? {
    var words = line.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    var at = line.startIndex
    while let word = words.first {
      if let address = CrashTextNumber.address(word), word.startIndex > line.startIndex {
        let name = CrashTextLines.trimmed(line[..<word.startIndex])
        return (name.kept, address, line[word.endIndex...])
      }
      at = word.endIndex
      words = line[at...].split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    }
    return nil
  }

  /// `CartViewController.checkout() + 24 (Cart.swift:88)`
  private static func symbol(_ text: String) -> CallTree.Symbol? {
    var name = Substring(text)
    var (file, line) = ("", Int?.none)
    if name.hasSuffix(")"), let open = name.utf8.lastIndex(of: UInt8(ascii: "(")) {
      let place = name[name.utf8.index(after: open)...].dropLast()
      let parts = place.split(separator: ":", omittingEmptySubsequences: false)
      if parts.count == 2, let number = Int(parts[1]) {
        file = parts[0] == "<compiler-generated>" ? "" : String(parts[0])
        line = number > 0 && !file.isEmpty ? number : nil
        name = name[..<open]
      }
    }
    if let plus = name.range(ofLast: " + "), UInt64(CrashTextLines.trimmed(name[plus.upperBound...])) != nil {
      name = name[..<plus.lowerBound]
    }
    let function = CrashTextLines.trimmed(name)
    return function.isEmpty ? nil : CallTree.Symbol(function: function, file: file, line: line)
  }
}

extension Substring {
  fileprivate func range(ofLast word: String) -> Range<Index>? {
    var end = endIndex
    while let last = self[..<end].utf8.lastIndex(of: UInt8(ascii: "+")) {
      guard last > startIndex, utf8.index(after: last) < endIndex else { return nil }
      let start = utf8.index(before: last)
      let stop = utf8.index(last, offsetBy: 2)
      if utf8[start] == 0x20, utf8[utf8.index(after: last)] == 0x20 { return start..<stop }
      end = last
    }
    return nil
  }
}
