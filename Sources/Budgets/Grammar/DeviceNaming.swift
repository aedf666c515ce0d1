internal import Telemetry

/// What may stand behind `on`.
enum DeviceNaming {
  static let expectation =
    "a model such as iPhone12,1, a pattern such as iPhone12,*, a device class "
    + "or a system such as iOS 17"

  /// Whether a word can match model identifiers.
  static func isPattern(_ word: String) -> Bool {
    guard word.utf8.allSatisfy({ isLetter($0) || isDigit($0) || ",*_-.".utf8.contains($0) }) else { return false }
    if word.utf8.contains(UInt8(ascii: "*")) || DeviceClass.of(model: word) != .other { return true }
    let rest = word.utf8.drop(while: isLetter).drop(while: isDigit)
    return rest.first == UInt8(ascii: ",") && rest.count > 1 && rest.dropFirst().allSatisfy(isDigit)
  }

  /// `; did you mean iPhone 12 and older?`, or nothing.
  static func suggestion(for text: String) -> String {
    let wanted = text.lowercased()
    let names = DeviceClass.all.map(\.name)
    if let longer = longerClass(than: text) { return "; did you mean \(longer)?" }
    if families.contains(where: wanted.hasPrefix), text.utf8.drop(while: isLetter).allSatisfy(isDigit) {
      return "; did you mean \(text)\(text.utf8.contains(where: isDigit) ? "," : "")*?"
    }
    let near = EditDistance.nearest(to: wanted, in: names.map { ($0.lowercased(), $0) })
    return near.map { "; did you mean \($0)?" } ?? ""
  }

  /// `iPhone 12 and older` for `iPhone 12`.
  static func longerClass(than text: String) -> String? {
    guard !text.isEmpty else { return nil }
    let start = text.lowercased() + " "
    return DeviceClass.all.map(\.name).first { $0.lowercased().hasPrefix(start) }
  }

  private static let families = ["iphone", "ipad", "ipod", "mac", "imac", "watch", "appletv"]

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
