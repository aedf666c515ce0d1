import Core

/// The symbols of frames that were read last, found by their bytes. The stacks of an app's crashes have the same few
/// hundred functions, and finding one takes less time than two copies of its texts and an object.
///
/// Each place has the latest symbol that belongs there, so no stack makes a search longer.
final class RecentSymbols {
  private var places = [CallTree.Symbol?](repeating: nil, count: 1 << bits)

  private static let bits = 9

  /// The bytes of an empty text.
  static var none: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nil, count: 0) }

  /// The most bytes of a symbol that is kept. Nearly all are shorter; a longer one would keep its memory until another
  /// one replaces it.
  private static let longest = 400

  /// The symbol whose function and file have these bytes. `make` creates it if it is not kept; it must return a symbol
  /// with exactly these texts, or one that it would also create from the bytes of its texts.
  func symbol<Failure: Error>(
    _ function: UnsafeBufferPointer<UInt8>, _ file: UnsafeBufferPointer<UInt8>, line: Int?,
    orElse make: () throws(Failure) -> CallTree.Symbol
  ) throws(Failure) -> CallTree.Symbol {
    let hash = Self.hash(file, Self.hash(function, UInt64(truncatingIfNeeded: line ?? 0)))
    let place = Int(truncatingIfNeeded: hash &>> UInt64(64 - Self.bits))
    if let known = places[place], known.line == line, Self.areEqual(known.function, function),
      Self.areEqual(known.file, file)
    {
      return known
    }
    let new = try make()
    if function.count + file.count <= Self.longest { places[place] = new }
    return new
  }

  private static func areEqual(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    text.utf8.count == bytes.count
      && text.utf8.withContiguousStorageIfAvailable { $0.elementsEqual(bytes) } ?? text.utf8.elementsEqual(bytes)
  }

  /// A hash of `seed` and the bytes, eight at a time. Collisions can be constructed; they only replace a symbol.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ seed: UInt64) -> UInt64 {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = seed ^ UInt64(raw.count)
    var at = 0
    while at + 8 <= raw.count {
      hash = mixed(hash ^ raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
    }
    for byte in raw[at...] { hash = hash &<< 8 ^ UInt64(byte) ^ hash &>> 56 }
    return mixed(hash)
  }

  @inline(__always) private static func mixed(_ word: UInt64) -> UInt64 {
    let product = word &* 0x9E37_79B9_7F4A_7C15
    return product ^ product &>> 29
  }
}
