import Testing

@testable import Web

struct AcceptHeaderTests {
  @Test(
    "gzip is sent to clients that accept it",
    arguments: [
      ("gzip", true), ("GZip", true), ("gzip, deflate, br, zstd", true), ("br;q=1.0, gzip;q=0.8, *;q=0.1", true),
      ("deflate , gzip ; q = 0.5", true), ("gzip;q=0.001", true), ("*", true), ("gzip;q=0, gzip;q=1", true),
      ("gzip;Q=1", true), ("gzip;level=9;q=0.3", true), ("", false), (",", false), (";", false), ("gzip;q=0", false),
      ("gzip;q=0.000, *", false), ("gzip;q=nothing", false), ("gzip;q=", false), ("x-gzip", false), ("gzipped", false),
      ("identity, br", false), ("*;q=0", false), ("ｇｚｉｐ", false),
    ])
  func gzip(header: String, isAllowed: Bool) {
    #expect(AcceptHeader.allowsGzip(header) == isAllowed)
  }

  @Test("clients that name no encoding get an uncompressed body")
  func absent() { #expect(!AcceptHeader.allowsGzip(nil)) }

  @Test("the weight of a media range is the one next to it")
  func weights() {
    let header = "text/html, Application/JSON;q=0.5 ,text/csv ; charset=utf-8 ; q=0.25"
    #expect(AcceptHeader.weight(of: "text/html", in: header) == 1)
    #expect(AcceptHeader.weight(of: "application/json", in: header) == 0.5)
    #expect(AcceptHeader.weight(of: "text/csv", in: header) == 0.25)
    #expect(AcceptHeader.weight(of: "text/plain", in: header) == nil)
  }
}
