/// The rules for an app's icon: a PNG (W3C, Portable Network Graphics) that is whole and small.
public enum AppIcon {
  /// The most bytes of an icon.
  public static let mostBytes = 64 * 1024
  /// The most pixels of a side.
  static let longestSide = 1024

  /// Why `bytes` cannot be an icon, in one sentence; nil if they can.
  public static func fault(of bytes: [UInt8]) -> String? {
    guard bytes.count <= mostBytes else {
      return "The icon has \(bytes.count) bytes; at most \(mostBytes) are kept. 180 × 180 pixels are enough."
    }
    guard bytes.starts(with: signature) else { return "The icon is not a PNG file." }
    guard let chunks = chunks(bytes), chunks.first?.type == "IHDR", chunks.last?.type == "IEND",
      chunks.contains(where: { $0.type == "IDAT" }), let header = chunks.first?.data, header.count == 13
    else { return "The icon is not a whole PNG file." }
    let (width, height) = (number(header.prefix(4)), number(header.dropFirst(4).prefix(4)))
    guard (1...longestSide).contains(width), (1...longestSide).contains(height) else {
      return "The icon has \(width) × \(height) pixels; at most \(longestSide) a side are shown."
    }
    return nil
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The chunks of a PNG up to the end of the bytes; nil if the last one is cut or anything follows `IEND`.
  private static func chunks(_ bytes: [UInt8]) -> [(type: String, data: ArraySlice<UInt8>)]? {
    var found: [(type: String, data: ArraySlice<UInt8>)] = []
    var rest = bytes.dropFirst(signature.count)
    while !rest.isEmpty {
      // Length, type and check sum.
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
