public import Core

/// A change of one row of numbers, with names instead of ids, so that the changes of all nodes add up in one store.
///
/// The changes of a row may be added in any order; their sum is the row.
public struct Fact: Sendable {
  public var scope: FactScope
  public var metric: MetricReference
  /// The label; empty for the sum over all labels.
  public var label: String
  public var source: Source
  public var bin: TimeBin
  public var change: Change

  /// The value that is added to a row.
  public enum Change: Sendable, Equatable {
    /// An aggregate of any kind except users. An aggregate of sessions may be negative.
    case sum(Aggregate)
    /// A user, by hash, who joins the row's set (`by` 1) or leaves it (−1). A user is a member while the sum is above
    /// 0.
    case member(user: UInt64, of: UserSetName, by: Int64)
  }

  /// The sets of users in a row.
  public enum UserSetName: Sendable, Equatable {
    case all
    case crashed
  }

  public init(
    scope: FactScope, metric: MetricReference, label: String = "", source: Source, bin: TimeBin, change: Change
  ) {
    self.scope = scope
    self.metric = metric
    self.label = label
    self.source = source
    self.bin = bin
    self.change = change
  }
}

/// The names that a row of numbers belongs to: all names of a cell, or some of them if the row is a sum over the
/// others.
public struct FactScope: Hashable, Sendable {
  public var kind: SliceKind
  public var app: AppID
  public var environment: String
  /// The release; empty for a kind that is a sum over releases. The same applies to the other names.
  public var release: Release
  public var os: String
  public var model: String
  public var deviceClass: String
  /// The values of the app's attributes, sorted by name. A rollup by attribute has one; a kind that is a sum over values
  /// has none.
  public var attributes: [AppAttribute]

  public init(
    _ kind: SliceKind, app: AppID, environment: String, release: Release, os: String, model: String,
    deviceClass: String, attributes: [AppAttribute]
  ) {
    self.kind = kind
    self.app = app
    self.environment = environment
    self.release = kind.has(.release) ? release : Release(version: "")
    self.os = kind.has(.os) ? os : ""
    self.model = kind.has(.device) ? model : ""
    self.deviceClass = kind.has(.deviceClass) ? deviceClass : ""
    self.attributes = kind.has(.attribute) ? attributes : []
  }
}
