import GRDB
public import Ingest
public import Storage

extension SQLiteStore: GroupStore {
  public func groups(_ query: GroupQuery) throws -> [GroupCount] {
    try read { try GroupQueries($0).groups(query) }
  }

  public func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions {
    try read { try GroupQueries($0).sessions(query, of: groups) }
  }

  public func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup? {
    try read { try GroupQueries($0).group(of: app, fingerprint: fingerprint) }
  }

  public func lifetimes(of app: AppID, group: Int64?) throws -> [GroupLifetime] {
    try read { try GroupQueries($0).lifetimes(of: app, group: group) }
  }

  public func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount] {
    try read { try GroupQueries($0).counts(query, by: part) }
  }

  public func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [StoredDiagnostic] {
    try read { database in
      try GroupQueries(database).sampleNumbers(of: group, newest: newest, typical: typical).flatMap { number in
        try DiagnosticQueries(database).diagnostics(DiagnosticQuery(app: app, number: number, limit: 1))
      }
    }
  }

  public func successors(of app: AppID) throws -> [UInt64: UInt64] {
    try read { try GroupQueries($0).successors(of: app) }
  }

  public func images(of app: AppID) throws -> [StoredImage] {
    try read { try GroupQueries($0).images(of: app) }
  }
}

extension SQLiteStore: GroupTransactions {
  public func readGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value {
    try mending { try pool.read { try body(SQLiteGroupRows($0)) } }
  }

  public func writeGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value {
    try mending { try writeRows { try body(SQLiteGroupRows($0)) } }
  }
}
