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

/// A body that was moved out of its request, for use on another thread. It stays charged to its account while it
/// exists.
///
/// `@unchecked Sendable`: the bytes never change after `init` and are freed with the last reference.
public final class ReceivedBody: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer?
  private let length: Int
  private let charge: BodyCharge?

  init(memory: UnsafeMutableRawPointer?, count: Int, charge: BodyCharge?) {
    self.charge = charge
    length = count
    self.memory = memory ?? calloc(1, BodyBuffer.padding)
  }

  /// Creates a body with a copy of `bytes`, which the caller owns.
  convenience init(copying bytes: UnsafeRawBufferPointer) {
    let memory = calloc(1, bytes.count + BodyBuffer.padding)
    if let memory, let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(memory: memory, count: memory == nil ? 0 : bytes.count, charge: nil)
  }

  deinit { free(memory) }

  /// The size in bytes, without the padding.
  var count: Int { length }

  /// The bytes, followed by 64 readable zeros. Valid while this object exists.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: length) }
}

/// A large request body in an unnamed temporary file. The file is deleted when this object is freed.
final class SpooledBody: Sendable {
  /// A file descriptor for reading and writing, which this object closes.
  let descriptor: Int32
  private let size = Atomic<Int>(0)
  private let atEnd: @Sendable () -> Void

  /// Creates the file; nil if it cannot be created in `folder`. `atEnd` is called when the object is freed or if it
  /// fails to initialize.
  init?(folder: String, atEnd: @escaping @Sendable () -> Void) {
    var name = Array("\(folder)/body-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      atEnd()
      return nil
    }
    unlink(name)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
    self.atEnd = atEnd
  }

  deinit {
    close(descriptor)
    atEnd()
  }

  /// The number of bytes received so far.
  var count: Int { size.load(ordering: .relaxed) }

  /// Appends a piece. Returns false if it cannot be written, for example because the disk is full.
  func append(_ piece: UnsafeRawBufferPointer) -> Bool {
    var rest = piece
    while !rest.isEmpty {
      let written = write(descriptor, rest.baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      size.add(written, ordering: .relaxed)
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
    return true
  }
}
