internal import CMicroHTTPD
internal import Glibc

/// What the headers say about the body, gathered in one pass over them.
///
/// libmicrohttpd takes the first `Content-Length`, ignores it beside a `Transfer-Encoding`, and reads a coding it does
/// not know until the connection ends. A proxy in front may read the same headers otherwise and hide one request inside
/// another (RFC 9112 §6.3 and §11.2), so what is ambiguous is a fault.
///
/// libmicrohttpd 0.9.75 also takes names with blanks in them ("Content-Length : 5" is a header called
/// "Content-Length "), joins a folded line to the *name* of the header before it, and ends a value at a NUL. A proxy
/// may see a length where it sees none. Names and values are handed over where they were received, one line behind the
/// other, which tells: a line that does not begin right behind the end of the one before was not what it seems.
struct Framing {
  private(set) var contentLength: Int?
  private(set) var expectsContinue = false
  private(set) var hasContentCoding = false
  private(set) var fault: Fault?
  private var hasHost = false
  private var chunked = false
  /// Where the value before ended.
  private var lineEnd: UnsafeRawPointer?
  /// How long the line breaks are: CR LF, or LF alone, which a recipient may take for one (RFC 9112 §2.2); not both.
  private var lineBreak: Int?

  enum Fault {
    case ambiguousLength
    case unknownCoding
    /// A header that others may read otherwise.
    case malformedField
    /// HTTP/1.1 without a `Host` (RFC 9112 §3.2).
    case noHost
  }

  init() {}

  init(_ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>?) {
    withUnsafeMutablePointer(to: &self) { plumb_each_header(connection, noteField, $0) }
    if !endsWhereItSeems(UnsafeRawPointer(method) + plumb_head_size(connection)) { fault = .malformedField }
    if fault == nil, !hasHost, let version, strcmp(version, "HTTP/1.0") != 0 { fault = .noHost }
    if chunked, contentLength != nil, fault != .malformedField { fault = .ambiguousLength }
  }

  fileprivate mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if !isWellFormed(name, value) {
      fault = .malformedField
      return
    }
    switch name.count {
    case 4 where ASCII.equal(name, "host"): hasHost = true
    case 6 where ASCII.equal(name, "expect"):
      expectsContinue = ASCII.equal(value, "100-continue")
    case 14 where ASCII.equal(name, "content-length"):
      let length = Self.length(value)
      if let contentLength, contentLength != length { note(.ambiguousLength) }
      contentLength = length
    case 16 where ASCII.equal(name, "content-encoding"):
      hasContentCoding = true
    case 17 where ASCII.equal(name, "transfer-encoding"):
      if chunked { note(.ambiguousLength) }
      chunked = true
      if !ASCII.equal(value, "chunked") { note(.unknownCoding) }
    default: break
    }
  }

  /// Whether this is a line of its own, behind the one before, with a name that is a token and a value without a CR.
  private mutating func isWellFormed(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard let start = name.baseAddress, let text = value.baseAddress, !name.isEmpty, start + name.count < text
    else { return false }
    defer { lineEnd = text + value.count }
    if let lineEnd {
      let breakSize = start - lineEnd
      guard (1...2).contains(breakSize), lineBreak ?? breakSize == breakSize else { return false }
      lineBreak = breakSize
    }
    return name.allSatisfy(HeaderField.isToken) && memchr(text, 0x0D, value.count) == nil
  }

  private mutating func note(_ found: Fault) { if fault != .malformedField { fault = found } }

  /// Whether the head ends with the empty line behind the last header. To libmicrohttpd a line that begins with a colon
  /// is an empty one.
  private func endsWhereItSeems(_ end: UnsafeRawPointer) -> Bool {
    guard let lineEnd else { return true }
    let rest = end - lineEnd
    return lineBreak.map { rest == 2 * $0 } ?? (rest == 2 || rest == 4)
  }

  /// libmicrohttpd has refused what is not a number before; what does not fit is as long as anything can be.
  static func length(_ digits: UnsafeRawBufferPointer) -> Int {
    var length = 0
    for digit in digits {
      let (tens, high) = length.multipliedReportingOverflow(by: 10)
      let (sum, over) = tens.addingReportingOverflow(Int(digit & 0x0F))
      if high || over { return .max }
      length = sum
    }
    return length
  }
}

private func noteField(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
  _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
  context?.assumingMemoryBound(to: Framing.self).pointee.note(
    UnsafeRawBufferPointer(start: name, count: nameSize), UnsafeRawBufferPointer(start: value, count: valueSize))
  return .YES
}
