import ClickHouseServer
import Testing
import TestSupport

@testable import ClickHouseStore

@Suite(
  "A real ClickHouse", .serialized,
  .enabled(if: !ClickHouseServer.Engine.installed.isEmpty, "`make test-packages` installs Debian's server"))
struct ClickHouseClientTests {
  private static let columns = [
    "a UInt8", "b Int16", "c UInt32", "d Int32", "e UInt64", "f Int64", "g Float64", "h String",
    "i AggregateFunction(min, Float64)", "j AggregateFunction(max, Float64)", "k Array(Int64)", "l Array(String)",
  ]

  @Test(
    "a real ClickHouse stores a block and returns the same values", arguments: ClickHouseServer.Engine.installed)
  func roundTrip(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    #expect(try client.version()[0] == (engine == .server ? 18 : 26))
    try client.execute("CREATE TABLE t (\(Self.columns.joined(separator: ", "))) ENGINE = MergeTree ORDER BY a")
    let block = NativeBlockTests.block
    try client.insert(block.encoded(), into: "t", columns: block.columns.map(\.name))
    #expect(try client.rows("SELECT * FROM t ORDER BY a") == block)
    #expect(try client.rows("SELECT * FROM t WHERE a = 7").count == 0)
    let merged = try client.rows("SELECT minMerge(i) AS low, maxMerge(j) AS high, count() AS n FROM t")
    #expect(try merged.doubles("low") == [-1.5] && merged.doubles("high") == [2.5] && merged.integers("n") == [3])
    // More than one block of an answer.
    let many = try client.rows("SELECT number, toString(number) AS text FROM system.numbers LIMIT 200000")
    #expect(try many.integers("number") == Array(0..<200_000))
    #expect(try many.strings("text").last == "199999")
    withExtendedLifetime(server) {}
  }

  @Test(
    "a real ClickHouse adds up sparse arrays by their keys, with negative entries",
    arguments: ClickHouseServer.Engine.installed)
  func sumMap(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    try client.execute(
      """
      CREATE TABLE t (k UInt8, binMap Nested(index Int32, count Int64)) ENGINE = SummingMergeTree() ORDER BY k
      """)
    let block = NativeBlock([
      .init("k", .integers(.uInt8, [1, 1, 2])),
      .init("binMap.index", .arrays(ends: [2, 4, 5], .integers(.int32, [-3, 7, -3, 9, 1]))),
      .init("binMap.count", .arrays(ends: [2, 4, 5], .integers(.int64, [5, 1, -5, 2, 4]))),
    ])
    try client.insert(block.encoded(), into: "t", columns: block.columns.map(\.name))
    let sums = try client.rows(
      """
      SELECT k, tupleElement(m, 1) AS i, tupleElement(m, 2) AS c
      FROM (SELECT k, sumMap(binMap.index, binMap.count) AS m FROM t GROUP BY k) ORDER BY k
      """)
    let (index, count) = (try sums.integerArrays("i"), try sums.integerArrays("c"))
    #expect(index.ranges.map { Array(index.elements[$0]) } == [[7, 9], [1]])
    #expect(count.ranges.map { Array(count.elements[$0]) } == [[1, 2], [4]])
    withExtendedLifetime(server) {}
  }

  @Test("a real ClickHouse accepts any text as a literal and as a value", arguments: ClickHouseServer.Engine.installed)
  func texts(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    let texts = [
      "", "'", "\\", "\\'", "'; DROP TABLE t; --", "a\nb\r\t\u{1}", "\u{202E}🦊é", "%41&query=SELECT", "{x:String}",
    ]
    for text in texts {
      #expect(try client.rows("SELECT \(ClickHouseQuoting.literal(text)) AS t").strings("t") == [text])
    }
    try client.execute("CREATE TABLE t (h String) ENGINE = MergeTree ORDER BY h")
    try client.insert(NativeBlock([.init("h", .strings(texts))]).encoded(), into: "t", columns: ["h"])
    let found = try client.rows("SELECT h FROM t WHERE h IN \(ClickHouseQuoting.list(texts))")
    #expect(try Set(found.strings("h")) == Set(texts))
    withExtendedLifetime(server) {}
  }

  @Test("an error of a real ClickHouse has its own code and message", arguments: ClickHouseServer.Engine.installed)
  func exceptions(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    func code(_ body: () throws -> Void) -> Int? {
      let error = #expect(throws: ClickHouseError.self, performing: body)
      guard case .exception(let code)? = error?.kind else { return nil }
      #expect(error?.text.contains("DB::Exception") == false && error?.text.contains("\n") == false, "\(error!)")
      return code
    }
    #expect(code { _ = try client.rows("SELECT * FROM nowhere") } == 60)
    #expect(code { try client.execute("CREATE TABLE t (") } == 62)
    // The exception after the first rows must not look like an end of them.
    #expect(code { _ = try client.rows("SELECT throwIf(number = 500000) AS n FROM system.numbers") } == 395)
    #expect(code { _ = try ClickHouseClient(server.address(database: "none")).rows("SELECT 1 AS n") } == 81)
    let block = NativeBlock([.init("h", .strings(["x"]))]).encoded()
    #expect(code { try client.insert(block, into: "nowhere", columns: ["h"]) } == 60)
    withExtendedLifetime(server) {}
  }

  @Test(
    "a real ClickHouse requires a user's password and presents a trusted certificate",
    .enabled(if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
  func access() throws {
    let server = try ClickHouseServer()
    let address = server.address(user: "plumb")
    let client = ClickHouseClient(address, password: "correct horse")
    #expect(try client.rows("SELECT 1 AS n").integers("n") == [1])
    let wrong = #expect(throws: ClickHouseError.self) { try ClickHouseClient(address, password: "x").version() }
    #expect(wrong?.kind == .exception(code: 193), "\(wrong?.description ?? "")")
    #expect(wrong?.description.contains("x\"") == false)
    let broken = #expect(throws: ClickHouseError.self) { try ClickHouseClient(address, password: "a\nb").version() }
    #expect(broken?.kind == .notSent)

    let secure = try ClickHouseAddress("clickhouse+https://localhost:\(server.securePort)/default")
    let trusting = ClickHouseClient(secure, caFile: server.folder + "/server.pem")
    #expect(try trusting.version()[0] == 18)
    let distrusting = #expect(throws: ClickHouseError.self) { try ClickHouseClient(secure).version() }
    #expect(distrusting?.kind == .notSent, "\(distrusting?.description ?? "")")
    withExtendedLifetime(server) {}
  }

  @Test(
    "a real ClickHouse stops a statement that takes too long, and the client an answer that is too large",
    .enabled(if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
  func limits() throws {
    let server = try ClickHouseServer()
    var limits = ClickHouseClient.Limits()
    limits.seconds = 1
    limits.answerBytes = 10_000
    let client = server.client(limits: limits)
    let slow = #expect(throws: ClickHouseError.self) { try client.rows("SELECT count() AS n FROM system.numbers") }
    #expect(slow?.kind == .exception(code: 159), "\(slow?.description ?? "")")
    let large = #expect(throws: ClickHouseError.self) {
      try client.rows("SELECT number FROM system.numbers LIMIT 10000")
    }
    #expect(large?.kind == .unreadable && large?.text == "it has more than 10000 bytes")
    withExtendedLifetime(server) {}
  }
}

@Suite("A ClickHouse server that fails", .serialized)
struct ClickHouseFailureTests {
  @Test("a server that does not answer like ClickHouse is named at once, and its text is not trusted")
  func strangers() throws {
    let answers: [Sink.Answer] = [
      .status(200, body: "Code: 60. DB::Exception: Table nowhere does not exist."),
      .status(200, body: "<html>" + String(repeating: "a", count: 100_000)),
      .status(200, body: "\u{1}\u{1}\u{1}n\u{5}UInt8"),
      .status(302, headers: ["Location: http://127.0.0.1:1/"]), .status(204),
      .status(500, body: String(repeating: "x", count: 1 << 20)),
      .status(500, body: "Code: 99999999999999999999, e"),
      .status(200, headers: ["Content-Encoding: gzip"], body: "not gzip"),
    ]
    for (index, answer) in answers.enumerated() {
      let sink = Sink { _, _ in answer }
      let client = try Self.client(sink)
      let took = ContinuousClock().measure {
        if case .status(204, _, _) = answer { return }
        let error = #expect(throws: ClickHouseError.self, "\(index)") { try client.rows("SELECT 1 AS n") }
        #expect(error?.kind == .unreadable && (error?.description.utf8.count ?? 0) < 3_000, "\(index)")
      }
      #expect(took < .seconds(5))
    }
    let endless = Sink { _, _ in .endless(1 << 30) }
    var limits = ClickHouseClient.Limits()
    limits.answerBytes = 1 << 20
    let client = ClickHouseClient(try ClickHouseAddress("clickhouse://127.0.0.1:\(endless.port)/x"), limits: limits)
    let error = #expect(throws: ClickHouseError.self) { try client.rows("SELECT 1 AS n") }
    #expect(error?.text == "it has more than 1048576 bytes")
  }

  private static func client(_ sink: Sink, seconds: Int = 60) throws -> ClickHouseClient {
    var limits = ClickHouseClient.Limits()
    limits.seconds = seconds
    return ClickHouseClient(try ClickHouseAddress("clickhouse://127.0.0.1:\(sink.port)/plumb"), limits: limits)
  }

  @Test("a ClickHouse server that cannot be reached has stored nothing")
  func absent() throws {
    let port: Int
    do {
      let sink = Sink { _, _ in .close }
      port = sink.port
    }
    let client = ClickHouseClient(try ClickHouseAddress("clickhouse://127.0.0.1:\(port)/plumb"))
    let error = #expect(throws: ClickHouseError.self) { try client.insert([1], into: "t", columns: ["a"]) }
    #expect(error?.kind == .notSent && error?.mayHaveBeenStored == false)
  }

  @Test("an insert is sent once even if a kept connection ends without an answer, and a query is repeated")
  func insertOnce() throws {
    let sink = Sink { number, request in
      request.head.contains("INSERT") || number > 20 ? .close : number == 1 ? .close : .stayOpen
    }
    let client = try Self.client(sink)
    #expect(try client.rows("SELECT 1").count == 0)
    // The kept connection ends, and libcurl asks again over another one.
    #expect(try client.rows("SELECT 2").count == 0)
    let before = sink.requests.count
    #expect(before == 3)
    let error = #expect(throws: ClickHouseError.self) { try client.insert([1, 2, 3], into: "t", columns: ["a"]) }
    #expect(error?.kind == .noAnswer && error?.mayHaveBeenStored == true)
    #expect(sink.requests.count == before + 1)
    #expect(sink.requests.last?.body == [1, 2, 3])
  }

  @Test("a ClickHouse server that is late, answers nonsense or another status causes a distinct error")
  func nonsense() throws {
    let late = Sink { _, _ in .late(3) }
    let error = #expect(throws: ClickHouseError.self) { try Self.client(late, seconds: 0).rows("SELECT 1") }
    #expect(error?.kind == .noAnswer && late.requests.count == 1)
    let page = Sink { _, _ in .status(200, body: "<html>a captive portal</html>") }
    #expect(#expect(throws: ClickHouseError.self) { try Self.client(page).rows("SELECT 1") }?.kind == .unreadable)
    let proxy = Sink { _, _ in .status(502, body: "Bad gateway\nof someone") }
    let status = #expect(throws: ClickHouseError.self) { try Self.client(proxy).rows("SELECT 1") }
    #expect(status?.text == "HTTP status 502, \"Bad gateway\"")
    let modern = Sink { _, _ in
      .status(404, body: "Code: 60. DB::Exception: Unknown table x. (UNKNOWN_TABLE) (version 26.9)\n#0 trace")
    }
    let refused = #expect(throws: ClickHouseError.self) { try Self.client(modern).rows("SELECT 1") }
    #expect(refused?.kind == .exception(code: 60))
    #expect(refused?.text == "Unknown table x. (UNKNOWN_TABLE) (version 26.9)")
  }
}
