import Core
import Storage

/// A session of an app, by the keyed hash of its id.
struct SessionID: Hashable, Comparable {
  let app: AppID
  let hash: UInt64

  /// The order of the table, whose integers are signed.
  static func < (left: SessionID, right: SessionID) -> Bool {
    (left.app, Int64(bitPattern: left.hash)) < (right.app, Int64(bitPattern: right.hash))
  }
}
