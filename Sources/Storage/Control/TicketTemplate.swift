import Core

/// The URL of a new ticket in a team's tracker, with placeholders for facts about the group:
/// `https://github.com/example/shop/issues/new?title={title}&body={url}`.
public struct TicketTemplate: Sendable, Hashable {
  /// The names that are allowed in braces.
  public enum Placeholder: String, CaseIterable, Sendable {
    /// `EXC_BAD_ACCESS in CartViewController.checkout()`.
    case title
    /// The URL of the group's page.
    case url
    /// The newest release in which the group was seen.
    case release
    /// The group's fingerprint as in URLs: sixteen hexadecimal digits.
    case signature
    /// `crash`, `hang` and so on.
    case kind
    /// The bundle identifier.
    case app
  }

  private enum Part: Hashable {
    case text(String)
    case placeholder(Placeholder)
  }

  /// The template as entered.
  public let text: String
  private let parts: [Part]

  /// The maximum length of a template, in bytes.
  static let longest = 1_000
  /// The maximum length of one value, in Unicode scalars: browsers and trackers refuse URLs of many kilobytes.
  static let longestValue = 300

  /// Parses a template. Throws `ControlError.invalid` with an example unless it is an HTTP or HTTPS URL with a fixed
  /// host.
  public init(_ text: String) throws(ControlError) {
    self.text = text
    parts = try Self.parts(text)
  }

  /// Whether the URL creates a ticket with prefilled text, as opposed to a search for an existing one.
  public var isOfNewTicket: Bool { parts.contains(.placeholder(.title)) || parts.contains(.placeholder(.url)) }

  /// The URL for one group. Values are percent-encoded, so that none can change other parts of the URL.
  public func address(_ value: (Placeholder) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .placeholder(let name): Self.encoded(value(name))
      }
    }.joined()
  }

  private static func encoded(_ value: String) -> String {
    let cut = String(String.UnicodeScalarView(value.unicodeScalars.prefix(longestValue)))
    // A path segment of dots alone would lead to another folder.
    return cut.utf8.allSatisfy { $0 == UInt8(ascii: ".") } ? "" : PercentEncoding.encode(cut)
  }

  // MARK: Reading

  private static func parts(_ text: String) throws(ControlError) -> [Part] {
    guard text.utf8.count <= longest else { throw invalid("it has more than \(longest) bytes") }
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
      throw invalid("it does not begin with https:// or http://")
    }
    let host = text.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#\\".utf8.contains($0) }
    guard host.first.map(isOfHost) ?? false, host.allSatisfy({ isOfHost($0) || $0 == UInt8(ascii: ":") }) else {
      throw invalid("its host must be a fixed name without a password")
    }
    guard text.utf8.allSatisfy(isOfAddress) else {
      throw invalid("it has a character that must be written as %XX")
    }
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
        throw invalid("it has an unmatched brace; write %7B or %7D for the character")
      }
      let name = rest[rest.index(after: open)..<close]
      guard let placeholder = Placeholder(rawValue: String(name)) else {
        throw invalid(
          "{\(SanitizedText.name(String(name), atMost: 40))} is not a placeholder; expected one of \(names)")
      }
      parts += [.text(String(rest[..<open])), .placeholder(placeholder)]
      rest = rest[rest.index(after: close)...]
    }
    guard !parts.isEmpty else { throw invalid("it has no placeholder; expected at least one of \(names)") }
    return parts + [.text(String(rest))]
  }

  /// The placeholders in braces, separated by commas.
  public static var names: String { Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ") }

  private static func invalid(_ why: String) -> ControlError {
    .invalid(
      """
      This is not a valid ticket URL: \(why). Write it like \
      https://github.com/example/shop/issues/new?title={title}&body={url}
      """)
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }

  /// Whether a byte is allowed in a URL (RFC 3986) or around a placeholder.
  private static func isOfAddress(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || ":/?#[]@!$&'()*+,;=%{}".utf8.contains(byte)
  }
}
