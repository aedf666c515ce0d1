import Testing

@testable import Web

@Suite("The key of a request")
struct IngestKeyTests {
  private func key(_ headers: [(String, String)] = [], query: String = "") -> String? {
    IngestHeaders.key(RequestHead(method: "POST", target: "/v1/payloads" + query, headers: headers))
  }

  @Test("the ingest key of a request comes from Authorization, X-Plumb-Key or ?key=, in this order")
  func forms() {
    #expect(key([("Authorization", "Bearer abc")]) == "abc")
    #expect(key([("authorization", "BEARER   abc")]) == "abc")
    #expect(key([("X-Plumb-Key", "abc")]) == "abc")
    #expect(key(query: "?a=b&key=abc") == "abc")
    #expect(key(query: "?key=a%62c") == "abc")
    #expect(key([("X-Plumb-Key", "two"), ("Authorization", "Bearer one")], query: "?key=three") == "one")
    #expect(key([("X-Plumb-Key", "two")], query: "?key=three") == "two")
  }

  @Test("another text in the header is not an ingest key, and leaves the other places")
  func others() {
    for value in ["", "Bearer", "Basic YTpi", "Bearerabc", "abc"] {
      #expect(key([("Authorization", value)]) == nil, "\(value)")
      #expect(key([("Authorization", value)], query: "?key=abc") == "abc", "\(value)")
    }
    #expect(key() == nil)
    #expect(key(query: "?KEY=abc") == nil)
  }

  @Test("an idempotency key is read from any of three header names")
  func idempotency() {
    for name in ["Idempotency-Key", "MeterReporter-Report-Id", "msr-req-id", "IDEMPOTENCY-KEY"] {
      let head = RequestHead(method: "POST", target: "/v1/payloads", headers: [(name, "x")])
      #expect(IngestHeaders.idempotency(head) == "x")
    }
    #expect(IngestHeaders.idempotency(RequestHead(method: "POST", target: "/v1/payloads?Idempotency-Key=x")) == nil)
    // Requests that leave it empty are not all the same one.
    for empty in ["", "  ", "\t"] {
      let fields = [("Idempotency-Key", empty), ("msr-req-id", empty)]
      #expect(IngestHeaders.idempotency(RequestHead(method: "POST", target: "/v1/payloads", headers: fields)) == nil)
    }
  }
}
