public import Storage
public import Telemetry

/// A store whose rows of numbers are in ClickHouse and whose sessions, diagnostics and groups are in a ledger on this
/// machine.
public struct ClusterStore<Ledger: Store & ArrivalHistory & GroupStore>: Store, ArrivalHistory, GroupStore {
  private let ledger: Ledger
  private let facts: FactReader

  public init(ledger: Ledger, facts: FactReader) {
    self.ledger = ledger
    self.facts = facts
  }

  public func position(of node: NodeID) throws -> DigestPosition { try ledger.position(of: node) }

  /// Applies a batch to the ledger. Its changes of rows are read once they were sent from there.
  public func apply(_ batch: DigestedBatch) throws { try ledger.apply(batch) }

  public func rows(_ query: RowQuery) throws -> [MetricRow] { try facts.rows(query) }

  public func inventory(of app: AppID) throws -> AppInventory {
    var inventory = try ledger.inventory(of: app)
    inventory.releases = try facts.releases(of: app)
    inventory.environments = Dictionary(
      inventory.releases.map { ($0.environment, $0.lastDay) }, uniquingKeysWith: { max($0, $1) })
    return inventory
  }

  public func tallies(of app: AppID, in window: Window) throws -> [IntakeTally] {
    try ledger.tallies(of: app, in: window)
  }

  public func tallySummary(of app: AppID, in window: Window) throws -> TallySummary {
    try ledger.tallySummary(of: app, in: window)
  }

  public func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { try ledger.diagnostics(query) }

  public func sample(of app: AppID, identity: UInt64) throws -> StoredSample? {
    try ledger.sample(of: app, identity: identity)
  }

  public func compact(now: Timestamp) throws { try ledger.compact(now: now) }

  public func arrivals(_ query: ArrivalQuery) throws -> [Arrival] { try ledger.arrivals(query) }
}

extension ClusterStore {
  public func groups(_ query: GroupQuery) throws -> [GroupCount] { try ledger.groups(query) }

  public func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup? {
    try ledger.group(of: app, fingerprint: fingerprint)
  }

  public func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions {
    try ledger.sessions(query, of: groups)
  }

  public func lifetimes(of app: AppID, group: Int64?) throws -> [GroupLifetime] {
    try ledger.lifetimes(of: app, group: group)
  }

  public func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount] {
    try ledger.counts(query, by: part)
  }

  public func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [StoredDiagnostic] {
    try ledger.samples(of: app, group: group, newest: newest, typical: typical)
  }

  public func successors(of app: AppID) throws -> [UInt64: UInt64] { try ledger.successors(of: app) }

  public func images(of app: AppID) throws -> [StoredImage] { try ledger.images(of: app) }
}
