/// The rules for an app's icon: a complete, small PNG (W3C, Portable Network Graphics).
public enum AppIcon {
  /// The maximum size of an icon, in bytes.
  public static let mostBytes = 64 * 1024
  /// The maximum width and height in pixels.
  static let longestSide = 1024

  /// The reason why `bytes` cannot be an icon, in one sentence; nil if they can.
  public static func fault(of bytes: [UInt8]) -> String? {
    guard bytes.count <= mostBytes else {
      return "The icon has \(bytes.count) bytes; the limit is \(mostBytes). 180 × 180 pixels are enough."
    }
    guard bytes.starts(with: signature) else { return "The icon is not a PNG file." }
    guard let chunks = chunks(bytes), chunks.first?.type == "IHDR", chunks.last?.type == "IEND",
      chunks.contains(where: { $0.type == "IDAT" }), let header = chunks.first?.data, header.count == 13
    else { return "The icon is an incomplete PNG file." }
    let (width, height) = (number(header.prefix(4)), number(header.dropFirst(4).prefix(4)))
    guard (1...longestSide).contains(width), (1...longestSide).contains(height) else {
      return "The icon has \(width) × \(height) pixels; the limit is \(longestSide) per side."
    }
    return nil
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The chunks of a PNG; nil if the last one is truncated or anything follows `IEND`.
  private static func chunks(_ bytes: [UInt8]) -> [(type: String, data: ArraySlice<UInt8>)]? {
    var found: [(type: String, data: ArraySlice<UInt8>)] = []
    var rest = bytes.dropFirst(signature.count)
    while !rest.isEmpty {
      // Each chunk has a length, a type and a checksum.
      guard rest.count >= 12, found.last?.type != "IEND" else { return nil }
      let length = number(rest.prefix(4))
      guard length <= rest.count - 12 else { return nil }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      found.append((type, rest.dropFirst(8).prefix(length)))
      rest = rest.dropFirst(12 + length)
    }
    return found
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
