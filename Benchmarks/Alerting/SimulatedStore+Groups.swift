import Core
import Storage

/// Groups, as the real store returns them. A slice with an OS version or device has none, because there are no rows.
extension SimulatedStore: GroupStore {
  func stacks(_ query: GroupQuery) throws -> CallTreeSamples { CallTreeSamples(diagnostics: 0, stacks: []) }

  func groups(_ query: GroupQuery) throws -> [GroupCount] { isKnown(query) ? groups.groups(query) : [] }

  func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount] {
    part == .day && isKnown(query) ? groups.counts(query) : []
  }

  func lifetimes(of app: AppID, group: Int64?) throws -> [GroupLifetime] {
    groups.lifetimes().filter { group == nil || group == $0.group }
  }

  func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions {
    // A simulated session has one crash.
    let counts = isKnown(query) ? self.groups.groups(query) : []
    let alone = Dictionary(uniqueKeysWithValues: counts.map { ($0.group.fingerprint, $0.sessions) })
    return GroupSessions(together: groups.reduce(0) { $0 + (alone[$1] ?? 0) }, alone: alone)
  }

  func reportsByAge(_ query: GroupQuery, sample: Int) throws -> [ReportsByAge] { [] }

  func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup? { nil }
  func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [GroupSample] { [] }
  func successors(of app: AppID) throws -> [UInt64: UInt64] { [:] }
  func images(of app: AppID) throws -> [StoredImage] { [] }

  private func isKnown(_ query: GroupQuery) -> Bool {
    let slice = query.slice
    return slice.environment == "production" && slice.os == nil && slice.device == nil && slice.deviceClass == nil
      && (query.kind ?? .crash) == .crash
  }
}
