internal import Glibc

/// The bytes of one body while it arrives, with room for the padding that simdjson reads beyond the end.
///
/// It grows geometrically, so that a client that announces much and sends little holds little. What it holds is charged
/// to the request's account.
struct BodyBuffer {
  static let padding = 64
  /// A body announced up to this size is allocated at once.
  private static let trusted = 64 * 1024

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0
  private var charge: BodyCharge?

  /// Begins a body that is charged to an account.
  mutating func begin(_ charge: BodyCharge) { self.charge = charge }

  /// Appends a piece. `announced` is the Content-Length. False when the account, or memory, is used up.
  mutating func append(_ piece: UnsafeRawBufferPointer, announced: Int?) -> Bool {
    let needed = count + piece.count
    if needed > capacity, !grow(to: needed, announced: announced) { return false }
    guard let memory, let source = piece.baseAddress else { return piece.isEmpty }
    (memory + count).copyMemory(from: source, byteCount: piece.count)
    count = needed
    return true
  }

  /// Writes the zeros behind the end. The bytes are valid until they are released, and go with whoever detaches them.
  mutating func padded() -> UnsafeRawBufferPointer {
    guard let memory else { return Zeros.shared.nothing }
    memset(memory + count, 0, Self.padding)
    return UnsafeRawBufferPointer(start: memory, count: count)
  }

  /// Gives the bytes to somebody who outlives the call they were lent to. They stay where they are.
  mutating func detach() -> ReceivedBody {
    defer { (memory, capacity, count) = (nil, 0, 0) }
    return ReceivedBody(memory: memory, count: count, charge: charge)
  }

  /// Frees the bytes. They stay charged until `settle`: what was made of them may be no smaller.
  mutating func release() {
    free(memory)
    (memory, capacity, count) = (nil, 0, 0)
  }

  /// The request is answered.
  mutating func settle() {
    release()
    charge = nil
  }

  private mutating func grow(to needed: Int, announced: Int?) -> Bool {
    guard let charge else { return false }
    var size = max(needed, capacity * 2, min(announced ?? 0, Self.trusted))
    if let announced, announced >= needed { size = min(size, announced) }
    guard charge.take(size - capacity) else { return false }
    guard let larger = realloc(memory, size + Self.padding) else {
      charge.giveBack(size - capacity)
      return false
    }
    memory = larger
    capacity = size
    return true
  }
}

/// What an empty body points at: it has its padding, too.
///
/// `@unchecked Sendable`: never written, never freed.
private final class Zeros: @unchecked Sendable {
  static let shared = Zeros()
  let nothing: UnsafeRawBufferPointer

  private init() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: BodyBuffer.padding, alignment: 16)
    memset(memory, 0, BodyBuffer.padding)
    nothing = UnsafeRawBufferPointer(start: memory, count: 0)
  }
}
