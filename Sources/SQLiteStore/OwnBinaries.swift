import GRDB
public import Storage

/// Names of binaries that teams call their apps' own, although they are called like the system's.
struct OwnBinaries {
  static func all(in database: Database) throws -> [AppID: Set<String>] {
    try Row.fetchAll(database, sql: "SELECT app, name FROM own_binary").reduce(into: [:]) { found, row in
      found[try row.value(0), default: []].insert(try row.value(1))
    }
  }

  static func names(of app: AppID, in database: Database) throws -> Set<String> {
    try Set(
      String.fetchAll(
        database.cachedStatement(sql: "SELECT name FROM own_binary WHERE app = ?"), arguments: [app]))
  }
}

extension SQLiteStore {
  /// Takes over what teams say of their binaries. The diagnostics of an app of which that changed are grouped once more by
  /// the next `regroup`.
  public func setOwnBinaries(_ names: [AppID: Set<String>]) throws {
    let known = try pool.read { try OwnBinaries.all(in: $0) }
    let changed = Set(known.keys).union(names.keys).filter { known[$0, default: []] != names[$0, default: []] }
    guard !changed.isEmpty else { return }
    try pool.write { database in
      for app in changed {
        try database.execute(sql: "DELETE FROM own_binary WHERE app = ?", arguments: [app])
        for name in names[app, default: []].sorted() {
          try database.execute(sql: "INSERT INTO own_binary VALUES (?, ?)", arguments: [app, name])
        }
        try database.execute(
          sql: "UPDATE signature SET generation = ? WHERE app = ?", arguments: [StoredSignature.old, app])
      }
    }
  }
}
