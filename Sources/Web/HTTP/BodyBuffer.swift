import Glibc
import Synchronization

/// The bytes of one request body while it arrives, with space for the padding that simdjson reads after the end.
///
/// It grows geometrically, so a client that announces a large body but sends little uses little memory. Its capacity is
/// charged to the request's account.
struct BodyBuffer {
  static let padding = 64
  /// The maximum size, in bytes, of an announced body that is allocated at once.
  private static let trusted = 64 * 1024

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0
  private var charge: BodyCharge?

  /// Starts a body, charged to an account.
  mutating func begin(_ charge: BodyCharge) { self.charge = charge }

  /// Appends a piece. `announced`: the Content-Length, if any. Returns false if the account or the machine has no
  /// memory left.
  mutating func append(_ piece: UnsafeRawBufferPointer, announced: Int?) -> Bool {
    let needed = count + piece.count
    if needed > capacity, !grow(to: needed, announced: announced) { return false }
    guard let memory, let source = piece.baseAddress else { return piece.isEmpty }
    (memory + count).copyMemory(from: source, byteCount: piece.count)
    count = needed
    return true
  }

  /// The body, followed by 64 zero bytes. Valid until `release` is called or, after `detach`, while the detached body
  /// exists.
  mutating func padded() -> UnsafeRawBufferPointer {
    guard let memory else { return Zeros.shared.nothing }
    memset(memory + count, 0, Self.padding)
    return UnsafeRawBufferPointer(start: memory, count: count)
  }

  /// Moves the bytes, without copying them, into a body that may outlive the request.
  mutating func detach() -> ReceivedBody {
    defer { (memory, capacity, count) = (nil, 0, 0) }
    return ReceivedBody(memory: memory, count: count, charge: charge)
  }

  /// Frees the bytes. They stay charged to the account until `settle`, because the decoded data may be as large.
  mutating func release() {
    free(memory)
    (memory, capacity, count) = (nil, 0, 0)
  }

  /// Frees the bytes and ends the charge. Called when the request is answered.
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

/// The bytes of an empty body: no content, followed by 64 readable zeros.
///
/// `@unchecked Sendable`: the memory is never written after `init`, and never freed.
private final class Zeros: @unchecked Sendable {
  static let shared = Zeros()
  let nothing: UnsafeRawBufferPointer

  private init() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: BodyBuffer.padding, alignment: 16)
    memset(memory, 0, BodyBuffer.padding)
    nothing = UnsafeRawBufferPointer(start: memory, count: 0)
  }
}
