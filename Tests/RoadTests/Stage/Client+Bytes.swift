import Foundation

extension Client {
  /// Sends a body of bytes and reads the answer. `chunks` is the size of the chunks it is sent in, nil for none.
  func post(
    _ body: some Sequence<UInt8>, _ headers: [(String, String)], target: String = "/v1/payloads", chunks: Int? = nil
  ) -> Answer? {
    let bytes = Array(body)
    var text = "POST \(target) HTTP/1.1\r\nHost: plumb.example\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    text += chunks == nil ? "Content-Length: \(bytes.count)\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n"
    guard let chunks else { return write(Array(text.utf8) + bytes) ? answer() : nil }
    var framed = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: chunks) {
      let chunk = bytes[start..<min(bytes.count, start + chunks)]
      framed += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    return write(framed + Array("0\r\n\r\n".utf8)) ? answer() : nil
  }
}
