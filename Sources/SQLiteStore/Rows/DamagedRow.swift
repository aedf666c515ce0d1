import Storage

/// A damaged row with its bytes.
struct DamagedRow {
  let table: String
  /// The row's key in readable form: `slice 3, metric 205, start 29919600`.
  let key: String
  let app: AppID?
  let reason: String
  let bytes: [UInt8]

  init(table: String, key: String, app: AppID? = nil, reason: String, bytes: some Sequence<UInt8>) {
    self.table = table
    self.key = key
    self.app = app
    self.reason = reason
    self.bytes = [UInt8](bytes)
  }

  /// Creates a damaged metric row.
  init(_ table: String, _ key: RowKey, bytes: some Sequence<UInt8>) {
    self.init(
      table: table,
      key: "slice \(key.slice), metric \(key.metric), start \(key.bin.start), "
        + "resolution \(key.bin.resolution.rawValue), label \(key.label), source \(key.source)",
      reason: "its numbers cannot be read", bytes: bytes)
  }

  var place: String { "\(table): \(key)" }
}
