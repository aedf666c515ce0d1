/// The conversion of UUIDs. Call stacks use 32 upper-case hexadecimal digits.
public enum UUIDText {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Parses 32 hexadecimal digits in any case, with or without hyphens; nil for any other text.
  public static func canonical(_ text: some StringProtocol) -> String? {
    guard text.utf8.count <= 64 else { return nil }
    let kept = text.utf8.filter { $0 != UInt8(ascii: "-") }.map { (97...102).contains($0) ? $0 - 32 : $0 }
    guard kept.count == 32, kept.allSatisfy(digits.contains) else { return nil }
    return String(decoding: kept, as: UTF8.self)
  }

  /// The UUID as Apple's tools print it: `4C4C443A-5555-3144-A170-E8FD87173FF7`.
  public static func dashed(_ uuid: String) -> String {
    guard uuid.utf8.count == 32 else { return uuid }
    var text = ""
    for (index, digit) in uuid.unicodeScalars.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.unicodeScalars.append(digit)
    }
    return text
  }

  static func upperCase(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
