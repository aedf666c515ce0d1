import Glibc

/// The files of a `multipart/form-data` body (RFC 7578), as views of its bytes.
struct MultipartBody {
  struct Part {
    /// The name of the form's field.
    var name: String
    var fileName: String
    var content: UnsafeRawBufferPointer
  }

  /// Why a body cannot be read.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  private let boundary: [UInt8]
  /// The longest header section of a part, in bytes.
  private static let mostHeaderBytes = 2048

  /// Reads the boundary from `contentType`, the request's header. Nil for another type or without a valid boundary.
  init?(contentType: String) {
    let fields = contentType.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
    guard fields.first?.lowercased() == "multipart/form-data",
      let field = fields.first(where: { $0.lowercased().hasPrefix("boundary=") })
    else { return nil }
    let text = field.dropFirst(9).filter { $0 != "\"" }
    // RFC 2046 §5.1.1: at most 70 characters.
    guard (1...70).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else { return nil }
    boundary = Array("--\(text)".utf8)
  }

  /// The parts of a body, in order.
  func parts(of body: UnsafeRawBufferPointer, atMost most: Int) throws(Problem) -> [Part] {
    var parts: [Part] = []
    guard body.starts(with: boundary) else { throw Problem("the body does not start with its boundary") }
    var at = boundary.count
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: body[at...])
      if rest.starts(with: "--".utf8) { return parts }
      guard rest.starts(with: "\r\n".utf8) else { throw Problem("a boundary is not followed by a line break") }
      guard parts.count < most else { throw Problem("more than \(most) parts") }
      let head = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.mostHeaderBytes))
      guard let headEnd = Self.position(of: Array("\r\n\r\n".utf8), in: head) else {
        throw Problem("the headers of a part have more than \(Self.mostHeaderBytes) bytes")
      }
      let content = UnsafeRawBufferPointer(rebasing: rest[(headEnd + 4)...])
      guard let end = Self.position(of: Array("\r\n".utf8) + boundary, in: content) else {
        throw Problem("the body ends within a part")
      }
      let header = String(decoding: rest[..<headEnd], as: UTF8.self)
      parts.append(
        Part(
          name: Self.parameter("name", in: header), fileName: Self.parameter("filename", in: header),
          content: UnsafeRawBufferPointer(rebasing: content[..<end])))
      at += headEnd + 4 + end + 2 + boundary.count
    }
  }

  private static func position(of needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let first = needle.first else { return nil }
    var at = 0
    while at + needle.count <= bytes.count, let found = memchr(start + at, Int32(first), bytes.count - at) {
      at = UnsafeRawPointer(found) - start
      guard at + needle.count <= bytes.count else { return nil }
      if memcmp(start + at, needle, needle.count) == 0 { return at }
      at += 1
    }
    return nil
  }

  /// A parameter of the header `Content-Disposition`; empty if it is missing.
  private static func parameter(_ name: String, in header: String) -> String {
    for line in header.split(separator: "\r\n") where line.lowercased().hasPrefix("content-disposition:") {
      for field in line.split(separator: ";").dropFirst() {
        let sides = field.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if sides.count == 2, sides[0].lowercased() == name { return sides[1].filter { $0 != "\"" } }
      }
    }
    return ""
  }
}
