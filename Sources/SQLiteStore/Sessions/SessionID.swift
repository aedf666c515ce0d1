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

/// A user of an app on one day: the key of the sessions that the user started on that day.
struct UserDay: Hashable, Comparable {
  let app: AppID
  let user: UInt64
  let day: CalendarDay

  /// The order of the index.
  static func < (left: UserDay, right: UserDay) -> Bool {
    (left.app, Int64(bitPattern: left.user), left.day) < (right.app, Int64(bitPattern: right.user), right.day)
  }
}
