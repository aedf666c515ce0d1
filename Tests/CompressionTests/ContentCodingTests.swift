import Testing

@testable import Core

@Suite("The name of a content coding")
struct ContentCodingTests {
  @Test(
    "the name of a content coding is read in any letter case, with white space around it",
    arguments: [
      ("gzip", ContentCoding.gzip), (" GZip\t", .gzip), ("x-gzip", .gzip), ("X-GZIP", .gzip), ("deflate", .deflate),
      (" Deflate", .deflate), ("br", .brotli), ("BR ", .brotli), ("zstd", .zstd), ("ZSTD", .zstd),
    ])
  func known(name: String, coding: ContentCoding) { #expect(ContentCoding(name: name) == coding) }

  @Test(
    "the name of an unknown content coding is nil",
    arguments: [
      "", " ", "identity", "compress", "gzip2", "gzipgzip", "g zip", "gzip,br", "b", "br\u{301}", "zstd\0",
      "\u{FF47}zip",
    ])
  func unknown(name: String) { #expect(ContentCoding(name: name) == nil) }

  @Test("the name of a content coding is read from part of a longer text")
  func part() {
    let list = "gzip, br".split(separator: ",").map { ContentCoding(name: $0) }
    #expect(list == [.gzip, .brotli])
  }
}
