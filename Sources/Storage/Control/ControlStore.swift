/// The store of the configuration (apps with their ingest keys, users, access tokens, silences) and of alert state.
/// Several processes share it: a server reads while a command changes it.
public protocol ControlStore: AppDirectory, UserDirectory, TokenDirectory, SilenceDirectory, IncidentStore,
  GroupDecisions, GroupNotes, AppStoreFigures, LabRuns, AuditLog
{
  /// A number that grows with every change of apps, keys, users and tokens by any process. Logins do not change it.
  func version() throws -> Int64
}
