extension Response {
  /// An error as `application/problem+json` (RFC 9457).
  ///
  ///     .problem(422, "Not a payload", detail: "A number was expected.", ["path": "$.sessions[3].seq"])
  ///
  /// `members` are the extension members of §3.2; the order given is kept.
  public static func problem(
    _ status: Int, _ title: String, detail: String? = nil,
    _ members: KeyValuePairs<String, ProblemMember> = [:], headers: [(String, String)] = []
  ) -> Response {
    var json = JSONText()
    json.member("type", "about:blank")
    json.member("title", .text(title))
    json.member("status", .integer(status))
    if let detail { json.member("detail", .text(detail)) }
    for (name, value) in members { json.member(name, value) }
    return Response(
      status: status, headers: [("Content-Type", "application/problem+json")] + headers, body: json.object())
  }
}

/// The value of an extension member of a problem.
public enum ProblemMember: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case text(String)
  case integer(Int)
  case list([String])
  /// Objects, each with members of texts in the order given.
  case objects([KeyValuePairs<String, String>])

  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
}

/// One JSON object, written member by member.
private struct JSONText {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  mutating func member(_ name: String, _ value: ProblemMember) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    string(name)
    bytes.append(UInt8(ascii: ":"))
    switch value {
    case .text(let text): string(text)
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    case .list(let texts): list(texts)
    case .objects(let objects): list(objects)
    }
  }

  func object() -> [UInt8] { bytes + [UInt8(ascii: "}")] }

  private mutating func list(_ texts: [String]) {
    bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(text)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func list(_ objects: [KeyValuePairs<String, String>]) {
    bytes.append(UInt8(ascii: "["))
    for (index, object) in objects.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      var text = JSONText()
      for (name, value) in object { text.member(name, .text(value)) }
      bytes += text.object()
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: bytes += Array("\\u00".utf8) + [Self.hex(byte >> 4), Self.hex(byte & 0x0F)]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hex(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? 0x30 : 0x57) }
}
