import Testing

@testable import Core
@testable import Web

@Suite("The Content-Encoding of a request")
struct BodyCodingTests {
  private func coding(_ values: String..., unknownIsIdentity: Bool = false) -> BodyCoding {
    let headers = values.map { ("content-ENCODING", $0) }
    return BodyCoding(
      RequestHead(method: "POST", target: "/v1/payloads", headers: headers), unknownIsIdentity: unknownIsIdentity)
  }

  @Test("an absent, empty or identity Content-Encoding means an uncompressed body")
  func plain() {
    #expect(coding() == .plain)
    for value in ["", " ", "identity", "IDENTITY\t", "identity, ,identity", ","] { #expect(coding(value) == .plain) }
  }

  @Test("the last coding in Content-Encoding was applied last")
  func order() {
    #expect(coding("gzip") == .packed(ContentEncodings(outer: .gzip, inner: nil)))
    #expect(coding("gzip, br") == .packed(ContentEncodings(outer: .brotli, inner: .gzip)))
    #expect(coding("gzip", "ZSTD") == .packed(ContentEncodings(outer: .zstd, inner: .gzip)))
    #expect(coding("identity,gzip,,deflate , identity") == .packed(ContentEncodings(outer: .deflate, inner: .gzip)))
  }

  @Test("an unknown Content-Encoding, or more than two codings, is refused, or ignored where the protocol requires it")
  func unknown() {
    for value in ["compress", "gzip, x", "gzip,gzip,gzip", "gzip;q=1", "identity2"] {
      #expect(coding(value) == .unknown(value))
      #expect(coding(value, unknownIsIdentity: true) == .plain)
    }
    #expect(coding("br", unknownIsIdentity: true) == .packed(ContentEncodings(outer: .brotli, inner: nil)))
  }
}
