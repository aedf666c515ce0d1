import Testing

@testable import Ingest

private let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
private let document = Array(#"{"timeStampBegin": "2026-11-18 00:00:00"}"#.utf8)

@Test("a byte order mark before a document is skipped, even between joined files and in a string")
func marks() throws {
  #expect(try decode(mark + document).count == 1)
  #expect(try decode(mark + Array(" \n".utf8) + document + [10]).count == 1)
  #expect(try decode(mark + document + [10] + mark + document).count == 2)
  #expect(try decode(document + [10] + mark + document).count == 2)
  #expect(try decode(#"{"payload": "\#u{FEFF}{\"timeStampBegin\": \"2026-11-18 00:00:00\"}"}"#).count == 1)
}

@Test("a byte order mark alone is not a document")
func markAlone() {
  for body in [mark, mark + [10], mark + mark.dropLast(), [0xEF], mark + mark] {
    #expect(throws: DecodingFailure.self) { try decode(body) }
  }
}

@Test("positions of errors after a byte order mark include its bytes")
func offsets() {
  #expect(failure("\u{FEFF}{\"app\": {}, ")?.detail == "not JSON at byte 15: the document ends too early")
}
