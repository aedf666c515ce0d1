/// A growing buffer of JSON text. It manages its own memory, because an array's checks on every byte take longer than
/// writing it.
public struct JSONOutputBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count = 0

  public init(reserving capacity: Int = 0) {
    self.capacity = max(256, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// A copy of the text written so far, as UTF-8.
  public var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: base, count: count)) }

  /// Appends one byte of ASCII.
  public mutating func byte(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends a number, `true`, `false` or `null` unchanged.
  public mutating func literal(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Appends a number in decimal digits.
  public mutating func integer(_ value: Int64) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    integer(value.magnitude)
  }

  /// Appends a number in decimal digits.
  public mutating func integer(_ value: UInt64) {
    reserve(2 * Self.mostDigits)
    // The digits are computed from the last to the first, so they are written after their final position and then
    // moved.
    let end = base + count + 2 * Self.mostDigits
    var (rest, digit) = (value, end)
    repeat {
      digit -= 1
      digit.pointee = UInt8(truncatingIfNeeded: rest % 10) + 0x30
      rest /= 10
    } while rest > 0
    (base + count).update(from: digit, count: end - digit)
    count += end - digit
  }

  /// The number of digits of `UInt64.max`.
  private static let mostDigits = 20

  /// Appends a quoted text with the escapes of `JSONEscape.append`.
  public mutating func text(_ text: UnsafeBufferPointer<UInt8>, shortLineEnds: Bool = false) {
    let source = UnsafeRawBufferPointer(text)
    // Room for two quotes, and for the last word, which is written whole.
    reserve(source.count + 10)
    byte(UInt8(ascii: "\""))
    var at = 0
    while at + 8 <= source.count {
      let word = source.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      at += 8
      append(UInt64(littleEndian: word), 8, before: source.count - at, shortLineEnds)
    }
    let size = source.count - at
    if size > 0 {
      let spaces: UInt64 = 0x2020_2020_2020_2020 &<< UInt64(8 * size)
      append(source.lastWord(from: at) | spaces, size, before: 0, shortLineEnds)
    }
    byte(UInt8(ascii: "\""))
  }

  /// Appends the lowest `size` bytes of a word. It is written before it is checked for escapes, and overwritten if it
  /// has any. `left`: the number of the text's bytes after it.
  @inline(__always)
  private mutating func append(_ word: UInt64, _ size: Int, before left: Int, _ shortLineEnds: Bool) {
    // `text` has reserved at least nine bytes here.
    UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
    if JSONEscape.hasSpecial(word) { escape(word, size, before: left, shortLineEnds) } else { count += size }
  }

  @inline(never)
  private mutating func escape(_ word: UInt64, _ size: Int, before left: Int, _ shortLineEnds: Bool) {
    for index in 0..<size {
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
      if JSONEscape.isSpecial(byte) {
        JSONEscape.forEachByte(escaping: byte, shortLineEnds) { self.byte($0) }
      } else {
        self.byte(byte)
      }
    }
    reserve(left + 10)
  }

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).update(from: source, count: bytes.count)
    count += bytes.count
  }

  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  private mutating func grow(by more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
  }
}
