/// A client of one ClickHouse server over its HTTP interface, for servers from 18.16 on.
///
/// It blocks until a statement is answered, may be used by several threads at once, and keeps connections open. With TLS,
/// certificates are verified; redirects are not followed and proxies of the environment are not used.
public final class ClickHouseClient: Sendable {
  /// What one statement may take.
  public struct Limits: Sendable {
    /// The longest time until a connection is made, in seconds.
    var connectSeconds = 5
    /// The longest time until the answer is complete, in seconds. The server stops a query that takes longer.
    var seconds = 60
    /// The longest answer, in bytes.
    var answerBytes = 256 << 20

    public init() {}
  }

  let address: ClickHouseAddress
  private let password: String?
  private let limits: Limits
  private let connections: CurlConnections

  /// `password`: that of the address's user. `caFile`: certificates of authorities to trust instead of the system's.
  public init(
    _ address: ClickHouseAddress, password: String? = nil, caFile: String? = nil, limits: Limits = Limits()
  ) {
    self.address = address
    self.password = password
    self.limits = limits
    connections = CurlConnections(caFile: caFile)
  }

  /// Ends statements that run, within about a second, and refuses further ones: for a process that ends.
  func end() { connections.end() }

  /// The rows of a query, which must name no format.
  func rows(_ query: String) throws(ClickHouseError) -> NativeBlock {
    let answer = try send(
      Array("\(query)\nFORMAT Native".utf8), parameters: ["max_execution_time": "\(limits.seconds)"], isRepeatable: true
    )
    do {
      return try NativeBlock(decoding: answer)
    } catch {
      throw ClickHouseError(.unreadable, address, error.description)
    }
  }

  /// Executes a statement without rows, such as `CREATE TABLE`.
  func execute(_ statement: String) throws(ClickHouseError) {
    _ = try send(Array(statement.utf8), parameters: [:], isRepeatable: false)
  }

  /// Inserts an encoded block into the named columns of a table. `settings` are those of the server, such as
  /// `insert_deduplication_token`; a server refuses those that its version does not know.
  ///
  /// After an error the rows may be stored nevertheless, see `ClickHouseError.mayHaveBeenStored`.
  func insert(
    _ block: [UInt8], into table: String, columns: [String], settings: [String: String] = [:]
  ) throws(ClickHouseError) {
    var parameters = settings
    parameters["query"] = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) FORMAT Native"
    _ = try send(block, parameters: parameters, isRepeatable: false)
  }

  /// The server's version, such as `[18, 16, 1]`.
  public func version() throws(ClickHouseError) -> [Int] {
    let rows = try rows("SELECT version() AS version")
    guard let text = try? rows.strings("version").first else {
      throw ClickHouseError(.unreadable, address, "it does not tell its version")
    }
    return text.split(separator: ".").compactMap { Int($0) }
  }

  private func send(
    _ body: [UInt8], parameters: [String: String], isRepeatable: Bool
  ) throws(ClickHouseError) -> [UInt8] {
    var parameters = parameters
    parameters["database"] = address.database
    // The status is sent when the statement is done, not before its first rows: an error cannot follow rows.
    parameters["wait_end_of_query"] = "1"
    var headers: [String] = []
    if let user = address.user { headers.append("X-ClickHouse-User: \(user)") }
    if let password { headers.append("X-ClickHouse-Key: \(password)") }
    guard headers.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
      throw ClickHouseError(.notSent, address, "the password has control characters")
    }
    let request = CurlConnections.Request(
      url: address.url, parameters: parameters, headers: headers, body: body, isRepeatable: isRepeatable,
      connectSeconds: limits.connectSeconds,
      // The server's own limit comes first and says more.
      seconds: limits.seconds + 1, answerBytes: limits.answerBytes)
    switch connections.send(request) {
    case .answer(200, let bytes): return bytes
    case .answer(let status, let bytes): throw ClickHouseError(status: status, answer: bytes, address)
    case .tooLong:
      throw ClickHouseError(.unreadable, address, "it is longer than \(limits.answerBytes) bytes")
    case .notSent(let reason): throw ClickHouseError(.notSent, address, reason)
    case .noAnswer(let reason): throw ClickHouseError(.noAnswer, address, reason)
    }
  }
}

/// Texts and names in ClickHouse's SQL. Parameters of queries exist only since version 19.
enum ClickHouseText {
  /// A text as a literal of SQL, with everything escaped that could end it.
  static func literal(_ text: String) -> String {
    var literal: [UInt8] = [UInt8(ascii: "'")]
    for byte in text.utf8 {
      switch byte {
      case 0: literal += [UInt8(ascii: "\\"), UInt8(ascii: "0")]
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): literal += [UInt8(ascii: "\\"), byte]
      default: literal.append(byte)
      }
    }
    return String(decoding: literal + [UInt8(ascii: "'")], as: UTF8.self)
  }

  /// Several texts as the right side of `IN`. There must be at least one.
  static func list(_ texts: some Collection<String>) -> String {
    precondition(!texts.isEmpty, "IN needs at least one value")
    return "(" + texts.map(literal).joined(separator: ", ") + ")"
  }
}
