import Core
import Storage

/// Stable identifiers of incidents and messages: the same key and opening time give the same identifier in every
/// process. Receivers use it to match the end of an incident to its start, so the hash must never change.
enum IncidentIdentifier {
  /// The identifier of an incident: 16 hexadecimal digits.
  static func of(_ key: IncidentKey, app: AppID, opened: Timestamp) -> String {
    hash(
      ["\(app)", key.theme.rawValue, key.environment ?? "\u{1}", key.release ?? "\u{1}", "\(opened.milliseconds)"])
  }

  /// A hash of a list of texts as 16 hexadecimal digits: FNV-1a with the final mix of SplitMix64. A byte that UTF-8
  /// never contains separates the texts.
  static func hash(_ parts: [String]) -> String {
    var z: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { z = (z ^ UInt64(byte)) &* 0x100_0000_01b3 }
      z = (z ^ 0xff) &* 0x100_0000_01b3
    }
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    let digits = String(z ^ (z >> 31), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
