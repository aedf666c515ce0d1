internal import Core
internal import Foundation
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Replaces an app's icon; nil removes it. Throws `ControlError.invalid` unless it is an `AppIcon`.
  public func changeIcon(of app: AppID, to png: [UInt8]?) throws {
    if let fault = png.flatMap(AppIcon.fault) { throw ControlError.invalid(fault) }
    let tag = png.map(Self.tag)
    try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      try note(
        AuditEvent(
          "app.settings", app: bundleID, subject: bundleID, detail: png == nil ? "icon: none" : "icon changed"),
        in: db)
      try db.execute(sql: "UPDATE app SET icon_tag = ? WHERE id = ?", arguments: [tag ?? "", app])
      try db.execute(sql: "DELETE FROM app_icon WHERE app = ?", arguments: [app])
      if let png { try db.execute(sql: "INSERT INTO app_icon (app, png) VALUES (?, ?)", arguments: [app, Data(png)]) }
    }
  }

  private static func tag(of png: [UInt8]) -> String {
    var hash = StableHash()
    for start in stride(from: 0, to: png.count, by: 8) {
      hash.add(png[start..<min(start + 8, png.count)].reduce(UInt64(png.count)) { $0 << 8 | UInt64($1) })
    }
    return String(hash.value, radix: 16)
  }

  /// The bytes of an app's icon, a PNG; nil without one.
  public func icon(of app: AppID) throws -> [UInt8]? {
    try database.read { db in
      try Row.fetchOne(db, sql: "SELECT png FROM app_icon WHERE app = ?", arguments: [app])
        .map { [UInt8](try $0.value("png", as: Data.self)) }
    }
  }
}
