/// A client of one ClickHouse server over its HTTP interface, for servers from 18.16 on.
///
/// A call blocks until the statement is answered. Several threads may use the client at once, and it keeps connections
/// open. With TLS it verifies certificates. It follows no redirects and ignores proxies of the environment.
public final class ClickHouseClient: Sendable {
  /// The limits of one statement.
  public struct Limits: Sendable {
    /// The maximum time for connecting, in seconds.
    var connectSeconds = 5
    /// The maximum time until the answer is complete, in seconds. The server stops a query that takes longer.
    var seconds = 60
    /// The maximum size of an answer, in bytes.
    var answerBytes = 256 << 20

    public init() {}
  }

  let address: ClickHouseAddress
  private let password: String?
  private let limits: Limits
  private let connections: CurlConnections

  /// `password`: the password of the address's user. `caFile`: authorities to trust instead of the system's.
  public init(
    _ address: ClickHouseAddress, password: String? = nil, caFile: String? = nil, limits: Limits = Limits()
  ) {
    self.address = address
    self.password = password
    self.limits = limits
    connections = CurlConnections(caFile: caFile)
  }

  /// Ends running statements within about a second and rejects further ones, for a process that is stopping.
  func end() { connections.end() }

  /// The rows of a query, which must not name a format.
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

  /// Inserts an encoded block into the named columns of a table. `settings` are ClickHouse settings, such as
  /// `insert_deduplication_token`; a server rejects settings that its version does not know.
  ///
  /// After an error the rows may still be stored; see `ClickHouseError.mayHaveBeenStored`.
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
      throw ClickHouseError(.unreadable, address, "it did not return its version")
    }
    return text.split(separator: ".").compactMap { Int($0) }
  }

  private func send(
    _ body: [UInt8], parameters: [String: String], isRepeatable: Bool
  ) throws(ClickHouseError) -> [UInt8] {
    var parameters = parameters
    parameters["database"] = address.database
    // The server sends the status when the statement is complete, not before its first rows, so that no error can
    // follow rows.
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
      // The server's own limit applies first, and its error has more detail.
      seconds: limits.seconds + 1, answerBytes: limits.answerBytes)
    switch connections.send(request) {
    case .answer(200, let bytes): return bytes
    case .answer(let status, let bytes): throw ClickHouseError(status: status, answer: bytes, address)
    case .tooLong:
      throw ClickHouseError(.unreadable, address, "it has more than \(limits.answerBytes) bytes")
    case .notSent(let reason): throw ClickHouseError(.notSent, address, reason)
    case .noAnswer(let reason): throw ClickHouseError(.noAnswer, address, reason)
    }
  }
}
