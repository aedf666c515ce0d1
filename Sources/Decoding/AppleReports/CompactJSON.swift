internal import JSON

/// Writes JSON without white space, value by value.
struct CompactJSON {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  mutating func object(_ members: (inout Self) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  mutating func member(_ name: String, _ value: (inout Self) -> Void) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    text(name)
    bytes.append(UInt8(ascii: ":"))
    value(&self)
    isFirst = false
  }

  mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (inout Self, Element) -> Void) {
    bytes.append(UInt8(ascii: "["))
    var isFirstElement = true
    for element in elements {
      if !isFirstElement { bytes.append(UInt8(ascii: ",")) }
      isFirstElement = false
      write(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A number, `true`, `false` or `null`.
  mutating func literal(_ text: String) { bytes += text.utf8 }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { JSONEscape.append($0, to: &bytes) }
  }
}
