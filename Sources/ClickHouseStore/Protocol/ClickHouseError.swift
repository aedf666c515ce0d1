/// The error for a statement that was not executed or answered.
public struct ClickHouseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The category of the failure.
  public enum Kind: Sendable, Equatable {
    /// The server responded with an exception with this code, such as 60 for an unknown table.
    case exception(code: Int)
    /// No connection was made, so the server has not seen the statement.
    case notSent
    /// The connection ended, or the time limit was reached, before the answer was complete.
    case noAnswer
    /// The answer is not in ClickHouse's format, or is too long.
    case unreadable
  }

  let kind: Kind
  /// The address of the server.
  let address: ClickHouseAddress
  /// The server's message or the connection error, on one line.
  let text: String

  init(_ kind: Kind, _ address: ClickHouseAddress, _ text: String) {
    self.kind = kind
    self.address = address
    self.text = text
  }

  /// Whether an insert may still have been stored: a server completes what it has received even if its client is gone.
  var mayHaveBeenStored: Bool { kind != .notSent }

  public var description: String {
    switch kind {
    case .exception(let code): "\(address) returned error \(code): \(text)"
    case .notSent: "\(address) cannot be reached: \(text)"
    case .noAnswer: "\(address) did not respond: \(text)"
    case .unreadable: "unusable response from \(address): \(text)"
    }
  }
}

extension ClickHouseError {
  /// Parses a server's error: `Code: 60. DB::Exception: …`, before version 20 `Code: 60, e.displayText() = …`.
  init(status: Int, answer: [UInt8], _ address: ClickHouseAddress) {
    // A stack trace may follow.
    let text = String(decoding: answer.prefix(Self.longest).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let digits = text.hasPrefix(Self.start) ? text.dropFirst(Self.start.count).prefix(while: \.isNumber) : ""
    guard let code = Int(digits) else {
      self.init(.unreadable, address, "HTTP status \(status), \(text.isEmpty ? "no message" : "\"\(text)\"")")
      return
    }
    var message = text.dropFirst(Self.start.count + digits.count)
    for prefix in [", e.displayText() =", ".", ",", " ", "DB::Exception: "] where message.hasPrefix(prefix) {
      message = message.dropFirst(prefix.count)
    }
    for suffix in [", e.what() = DB::Exception"] where message.hasSuffix(suffix) {
      message = message.dropLast(suffix.count)
    }
    self.init(.exception(code: code), address, String(message.filter { !$0.isNewline }))
  }

  private static let start = "Code: "
  /// The maximum number of bytes of a response that are shown.
  private static let longest = 2_000
}
