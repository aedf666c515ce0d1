internal import Foundation

/// The header by which the receiver of a webhook knows that a body is from Plumb, and recent.
///
/// `t=1763629500,v1=HEX`, where HEX is the HMAC-SHA256 of the time in seconds, a dot and the body. The time is part of it,
/// so that a body that was overheard cannot be sent again later.
enum WebhookSignature {
  static func header(_ body: [UInt8], key: String, now: Date) -> String {
    let time = Int(now.timeIntervalSince1970)
    return "t=\(time),v1=\(Hashing.signature(Array("\(time).".utf8) + body, key: key))"
  }
}
