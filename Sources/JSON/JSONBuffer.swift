/// A growing text of JSON. It manages its memory itself, because the checks of an array for every byte take longer than
/// writing it.
public struct JSONBuffer: ~Copyable {
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
    var size = 1
    var limit: UInt64 = 10
    while size < 20, value >= limit {
      size += 1
      let (next, isLast) = limit.multipliedReportingOverflow(by: 10)
      limit = isLast ? .max : next
    }
    reserve(20)
    var rest = value
    for at in stride(from: count + size - 1, through: count, by: -1) {
      base[at] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
      rest /= 10
    }
    count += size
  }

  /// Appends a text in quotes, escaped like `JSONEscape.append`.
  public mutating func text(_ text: UnsafeBufferPointer<UInt8>, shortLineEnds: Bool = false) {
    byte(UInt8(ascii: "\""))
    let source = UnsafeRawBufferPointer(text)
    var at = 0
    reserve(source.count + 8)
    while at + 8 <= source.count {
      let word = source.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      // Copied before it is known whether it is plain, and overwritten if not: there is room for it.
      UnsafeMutableRawPointer(base + count).storeBytes(of: word, as: UInt64.self)
      if JSONEscape.hasSpecial(word) {
        for byte in source[at..<at + 8] { append(byte, shortLineEnds) }
        reserve(source.count - at)
      } else {
        count += 8
      }
      at += 8
    }
    for byte in source[at...] { append(byte, shortLineEnds) }
    byte(UInt8(ascii: "\""))
  }

  private mutating func append(_ byte: UInt8, _ shortLineEnds: Bool) {
    if JSONEscape.isSpecial(byte) {
      JSONEscape.forEachByte(escaping: byte, shortLineEnds) { self.byte($0) }
    } else {
      self.byte(byte)
    }
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
