import Storage
import Telemetry

/// The stable name of an incident: of its key and the moment it opened, the same in whichever process decides.
enum IncidentName {
  /// 16 hexadecimal digits: FNV-1a with the finish of SplitMix64.
  static func of(_ key: IncidentKey, app: AppID, opened: Timestamp) -> String {
    let slice = key.slice.map { [$0.environment, $0.release, $0.os, $0.device, $0.deviceClass, $0.label] } ?? []
    let parts = ["\(app)", key.rule.rawValue, key.subject, "\(opened.milliseconds)"] + slice.map { $0 ?? "\u{1}" }
    return hash(parts)
  }

  /// Parts are told apart by a byte that no text contains.
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
