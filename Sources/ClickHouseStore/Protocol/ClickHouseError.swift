/// Why a statement was not answered.
public struct ClickHouseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What became of the statement.
  public enum Kind: Sendable, Equatable {
    /// The server answered with an exception of this code, such as 60 for an unknown table.
    case exception(code: Int)
    /// No connection was made, so the server has not seen the statement.
    case notSent
    /// The connection ended or the time was over before the answer was complete.
    case noAnswer
    /// The answer is not what ClickHouse sends, or longer than allowed.
    case unreadable
  }

  let kind: Kind
  /// The server that was asked.
  let address: ClickHouseAddress
  /// The server's text or the fault of the connection, on one line.
  let text: String

  init(_ kind: Kind, _ address: ClickHouseAddress, _ text: String) {
    self.kind = kind
    self.address = address
    self.text = text
  }

  /// Whether an insert may have been stored nevertheless: a server ends what it has received, although its client is gone.
  var mayHaveBeenStored: Bool { kind != .notSent }

  public var description: String {
    switch kind {
    case .exception(let code): "\(address) refused with code \(code): \(text)"
    case .notSent: "\(address) cannot be reached: \(text)"
    case .noAnswer: "\(address) did not answer: \(text)"
    case .unreadable: "the answer of \(address) cannot be used: \(text)"
    }
  }
}

extension ClickHouseError {
  /// The error in a server's answer: `Code: 60. DB::Exception: …`, before version 20 `Code: 60, e.displayText() = …`.
  init(status: Int, answer: [UInt8], _ address: ClickHouseAddress) {
    // A stack trace may follow.
    let text = String(decoding: answer.prefix(Self.longest).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let digits = text.hasPrefix(Self.start) ? text.dropFirst(Self.start.count).prefix(while: \.isNumber) : ""
    guard let code = Int(digits) else {
      self.init(.unreadable, address, "HTTP status \(status), \(text.isEmpty ? "without a text" : "\"\(text)\"")")
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
  /// The most bytes of an answer that are shown.
  private static let longest = 2_000
}
