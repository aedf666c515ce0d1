internal import Glibc

/// Reads lines of limited length from a descriptor.
public struct LineReader {
  /// The content of a line.
  public enum Line: Equatable {
    case text([UInt8])
    /// The line exceeds the limit. Its bytes are skipped.
    case tooLong
  }

  private let descriptor: Int32
  private let limit: Int
  private var bytes: [UInt8] = []
  /// The number of leading `bytes` without a line end.
  private var searched = 0
  private var isSkipping = false

  /// Creates a reader. `limit`: the longest line in bytes, without its end.
  public init(descriptor: Int32, limit: Int) {
    self.descriptor = descriptor
    self.limit = limit
  }

  /// The next line, without its end; nil after the last line. Blocks until a line is available.
  public mutating func next() -> Line? {
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(bytes[..<end])
        bytes.removeFirst(end + 1)
        searched = 0
        guard !isSkipping else {
          isSkipping = false
          continue
        }
        return line.count > limit ? .tooLong : .text(line)
      }
      searched = bytes.count
      if bytes.count > limit {
        (bytes, searched) = ([], 0)
        if !isSkipping {
          isSkipping = true
          return .tooLong
        }
      }
      guard readMore() else {
        defer { (bytes, searched) = ([], 0) }
        return bytes.isEmpty || isSkipping ? nil : .text(bytes)
      }
    }
  }

  private mutating func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
        return true
      }
      guard count < 0, errno == EINTR else { return false }
    }
  }
}
