import Testing

@testable import Web

@Suite("A multipart body")
struct MultipartBodyTests {
  private func parts(_ body: String, boundary: String = "x", most: Int = 64) throws -> [(String, String, String)] {
    let reader = try #require(MultipartBody(contentType: "multipart/form-data; boundary=\(boundary)"))
    return try Array(body.utf8).withUnsafeBytes { bytes in
      try reader.parts(of: bytes, atMost: most).map {
        ($0.name, $0.fileName, String(decoding: $0.content, as: UTF8.self))
      }
    }
  }

  private let one = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a1\"\r\n\r\n"

  @Test("a multipart body is split at its boundary, whatever its parts contain")
  func whole() throws {
    let found = try parts(one + "a\r\n--y\r\n\r\n--\r\n" + one.replacing("a1", with: "b2") + "\r\n--x--\r\n")
    #expect(found.map(\.0) == ["file", "file"] && found.map(\.1) == ["a1", "b2"])
    #expect(found.map(\.2) == ["a\r\n--y\r\n\r\n--", ""])
    #expect(try parts("--x--").isEmpty)
    #expect(try parts(one + "a\r\n--x--", boundary: "\"x\"").count == 1)
  }

  @Test("a multipart body that is truncated, too long or malformed is refused")
  func refused() throws {
    let whole = one + "abc\r\n--x--"
    for length in 0..<whole.utf8.count {
      let cut = String(decoding: Array(whole.utf8).prefix(length), as: UTF8.self)
      #expect(throws: MultipartBody.Problem.self, "\(length)") { try parts(cut) }
    }
    #expect(throws: MultipartBody.Problem.self) { try parts(one + "\r\n" + one + "\r\n--x--", most: 1) }
    #expect(throws: MultipartBody.Problem.self) {
      try parts("--x\r\n" + String(repeating: "a", count: 3000) + "\r\n\r\nb\r\n--x--")
    }
    for type in ["", "text/plain; boundary=x", "multipart/form-data", "multipart/form-data; boundary="] {
      #expect(MultipartBody(contentType: type) == nil, "\(type)")
    }
    #expect(MultipartBody(contentType: "multipart/form-data; boundary=" + String(repeating: "b", count: 71)) == nil)
  }
}
