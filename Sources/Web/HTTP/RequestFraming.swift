internal import CMicroHTTPD
internal import Glibc

/// The framing of a request's body according to its headers, and the faults that make it ambiguous.
///
/// libmicrohttpd uses the first `Content-Length`, ignores it if there is a `Transfer-Encoding`, and reads a body with
/// an unknown coding until the connection ends. A proxy may interpret the same headers differently, which allows hiding
/// one request inside another (request smuggling, RFC 9112 §6.3 and §11.2). So every ambiguity is a fault.
///
/// libmicrohttpd 0.9.75 also accepts names with spaces ("Content-Length : 5" becomes a header named "Content-Length "),
/// appends a folded line to the *name* of the previous header, and ends a value at a NUL. A proxy may see a length that
/// libmicrohttpd does not see. The callback gets names and values in the receive buffer, so their addresses reveal
/// these cases: a well-formed line begins directly after the end of the previous line.
struct RequestFraming {
  private(set) var contentLength: Int?
  private(set) var expectsContinue = false
  private(set) var hasContentCoding = false
  private(set) var fault: Fault?
  private var hasHost = false
  private var chunked = false
  /// The end of the previous header's value.
  private var lineEnd: UnsafeRawPointer?
  /// Bytes per line break: 2 for CR LF, or 1 for LF alone, which a recipient may accept (RFC 9112 §2.2). All must be
  /// equal.
  private var lineBreak: Int?

  enum Fault {
    case ambiguousLength
    case unknownCoding
    /// A header that another HTTP implementation may parse differently.
    case malformedField
    /// An HTTP/1.1 request without a `Host` header (RFC 9112 §3.2).
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

  /// Whether this header is one line directly after the previous header, with a valid name and a value without a CR.
  private mutating func isWellFormed(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard let start = name.baseAddress, let text = value.baseAddress, !name.isEmpty, start + name.count < text
    else { return false }
    defer { lineEnd = text + value.count }
    if let lineEnd {
      let breakSize = start - lineEnd
      guard (1...2).contains(breakSize), lineBreak ?? breakSize == breakSize else { return false }
      lineBreak = breakSize
    }
    return name.allSatisfy(HeaderFieldCheck.isToken) && memchr(text, 0x0D, value.count) == nil
  }

  private mutating func note(_ found: Fault) { if fault != .malformedField { fault = found } }

  /// Whether the head ends with an empty line directly after the last header. libmicrohttpd also accepts a line that
  /// begins with a colon as the empty line.
  private func endsWhereItSeems(_ end: UnsafeRawPointer) -> Bool {
    guard let lineEnd else { return true }
    let rest = end - lineEnd
    return lineBreak.map { rest == 2 * $0 } ?? (rest == 2 || rest == 4)
  }

  /// The value of a `Content-Length` that libmicrohttpd has validated as a number; `Int.max` if it does not fit.
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
  context?.assumingMemoryBound(to: RequestFraming.self).pointee.note(
    UnsafeRawBufferPointer(start: name, count: nameSize), UnsafeRawBufferPointer(start: value, count: valueSize))
  return .YES
}
