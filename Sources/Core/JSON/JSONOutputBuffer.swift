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
    // The digits are computed from the last to the first, two at a time, so they are written after their final position
    // and then moved.
    let end = base + count + 2 * Self.mostDigits
    var (rest, digit) = (value, end)
    while rest >= 10 {
      let pair = rest % 100
      rest /= 100
      digit -= 2
      digit[0] = UInt8(truncatingIfNeeded: pair / 10) + 0x30
      digit[1] = UInt8(truncatingIfNeeded: pair % 10) + 0x30
    }
    if rest > 0 || digit == end {
      digit -= 1
      digit.pointee = UInt8(truncatingIfNeeded: rest) + 0x30
    }
    (base + count).update(from: digit, count: end - digit)
    count += end - digit
  }

  /// The number of digits of `UInt64.max`.
  private static let mostDigits = 20

  /// Appends a quoted text with the escapes of `JSONEscape.append`.
  public mutating func text(_ text: UnsafeBufferPointer<UInt8>, shortLineEnds: Bool = false) {
    // Room for two quotes, and for the last word, which is written whole.
    reserve(text.count + 10)
    let start = UnsafeMutableRawPointer(base + count)
    start.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    guard Self.copy(UnsafeRawBufferPointer(text), to: start + 1) else { return escape(text, shortLineEnds) }
    start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: text.count + 1, as: UInt8.self)
    count += text.count + 2
  }

  /// Copies a text in words of eight bytes, of which the last may be written beyond its end. Returns false if any byte
  /// needs an escape.
  @inline(__always)
  private static func copy(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Bool {
    guard let source = text.baseAddress else { return true }
    var special: UInt64 = 0
    var at = 0
    while at + 8 <= text.count {
      let word = source.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      target.storeBytes(of: word, toByteOffset: at, as: UInt64.self)
      special |= JSONEscape.specials(word)
      at += 8
    }
    if at < text.count {
      let spaces: UInt64 = 0x2020_2020_2020_2020 &<< UInt64(8 * (text.count - at))
      let word = text.lastWord(from: at) | spaces
      target.storeBytes(of: word.littleEndian, toByteOffset: at, as: UInt64.self)
      special |= JSONEscape.specials(word)
    }
    return special == 0
  }

  /// Appends a quoted text of which some bytes need escapes.
  @inline(never)
  private mutating func escape(_ text: UnsafeBufferPointer<UInt8>, _ shortLineEnds: Bool) {
    byte(UInt8(ascii: "\""))
    var start = 0
    for at in text.indices where JSONEscape.isSpecial(text[at]) {
      append(UnsafeBufferPointer(rebasing: text[start..<at]))
      JSONEscape.forEachByte(escaping: text[at], shortLineEnds) { byte($0) }
      start = at + 1
    }
    append(UnsafeBufferPointer(rebasing: text[start...]))
    byte(UInt8(ascii: "\""))
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
