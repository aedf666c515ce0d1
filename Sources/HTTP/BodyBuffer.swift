internal import Glibc

/// The bytes of one body while it arrives, with room for the padding that simdjson reads beyond the end.
///
/// It grows geometrically, so that a client that announces much and sends little holds little. What it holds is taken
/// from the share of all bodies and given back by `release`, which must be called.
struct BodyBuffer {
  static let padding = 64
  /// A body announced up to this size is allocated at once.
  private static let trusted = 64 * 1024

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0

  /// Appends a piece. `announced` is the Content-Length. False when the share, or memory, is used up.
  mutating func append(_ piece: UnsafeRawBufferPointer, announced: Int?, share: BodyShare) -> Bool {
    let needed = count + piece.count
    if needed > capacity, !grow(to: needed, announced: announced, share: share) { return false }
    guard let memory, let source = piece.baseAddress else { return piece.isEmpty }
    (memory + count).copyMemory(from: source, byteCount: piece.count)
    count = needed
    return true
  }

  /// Writes the zeros behind the end and lends the body. An empty body has its padding too.
  mutating func withPaddedBytes(_ use: (UnsafeRawBufferPointer) -> Void) {
    guard let memory else {
      return withUnsafeTemporaryAllocation(byteCount: Self.padding, alignment: 16) { zeros in
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        use(UnsafeRawBufferPointer(rebasing: zeros[0..<0]))
      }
    }
    memset(memory + count, 0, Self.padding)
    use(UnsafeRawBufferPointer(start: memory, count: count))
  }

  mutating func release(to share: BodyShare) {
    guard memory != nil else { return }
    free(memory)
    share.giveBack(capacity)
    memory = nil
    capacity = 0
    count = 0
  }

  private mutating func grow(to needed: Int, announced: Int?, share: BodyShare) -> Bool {
    var size = max(needed, capacity * 2, min(announced ?? 0, Self.trusted))
    if let announced, announced >= needed { size = min(size, announced) }
    guard share.take(size - capacity) else { return false }
    guard let larger = realloc(memory, size + Self.padding) else {
      share.giveBack(size - capacity)
      return false
    }
    memory = larger
    capacity = size
    return true
  }
}
