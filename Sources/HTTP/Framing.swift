internal import CMicroHTTPD

/// What the headers say about the body, gathered in one pass over them.
///
/// libmicrohttpd takes the first `Content-Length`, ignores it beside a `Transfer-Encoding`, and reads a coding it does
/// not know until the connection ends. A proxy in front may read the same headers otherwise and hide one request inside
/// another (RFC 9112 §6.3 and §11.2), so what is ambiguous is a fault.
struct Framing {
  private(set) var contentLength: Int?
  private(set) var expectsContinue = false
  private(set) var hasContentCoding = false
  private(set) var fault: Fault?
  private var chunked = false

  enum Fault {
    case ambiguousLength
    case unknownCoding
  }

  init() {}

  init(_ connection: OpaquePointer) {
    withUnsafeMutablePointer(to: &self) { plumb_each_header(connection, noteField, $0) }
    if chunked, contentLength != nil { fault = .ambiguousLength }
  }

  fileprivate mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch name.count {
    case 6 where ASCII.equal(name, "expect"):
      expectsContinue = ASCII.equal(value, "100-continue")
    case 14 where ASCII.equal(name, "content-length"):
      let length = Self.length(value)
      if let contentLength, contentLength != length { fault = .ambiguousLength }
      contentLength = length
    case 16 where ASCII.equal(name, "content-encoding"):
      hasContentCoding = true
    case 17 where ASCII.equal(name, "transfer-encoding"):
      if chunked { fault = .ambiguousLength }
      chunked = true
      if !ASCII.equal(value, "chunked") { fault = .unknownCoding }
    default: break
    }
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
