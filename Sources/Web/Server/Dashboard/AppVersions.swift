import Core
public import Storage
import Synchronization

/// The versions of the apps' data.
public struct AppVersions: Sendable {
  /// The version of an app's data, which differs after every change.
  struct Version: Sendable, Equatable {
    let common: UInt64
    let own: UInt64
  }

  private let common: UInt64
  private let own: [AppID: UInt64]

  /// Creates the versions. `common`: the version of data that all apps share, such as budget files.
  public init(common: UInt64, own: [AppID: UInt64]) {
    self.common = common
    self.own = own
  }

  subscript(app: AppID) -> Version { Version(common: common, own: own[app] ?? 0) }
}
