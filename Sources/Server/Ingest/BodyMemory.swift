import HTTP
import Storage
import Synchronization

/// Memory for bodies: a pool for those that came with a valid key, an account for each app, and a small one for those
/// whose key is not known yet, an account for each address.
final class BodyMemory: Sendable {
  /// The greatest body that is taken without a valid key in the headers or the address.
  static let keylessBody = 64 << 10

  private let known = BodyPool(limit: 64 << 20)
  private let keyless = BodyPool(limit: 4 << 20)
  private let apps = Mutex<[AppID: BodyAccount]>([:])
  private let addresses = Mutex<[ClientAddress?: BodyAccount]>([:])

  func account(of app: AppID) -> BodyAccount {
    apps.withLock { apps in
      if let account = apps[app] { return account }
      let account = BodyAccount(in: known)
      apps[app] = account
      return account
    }
  }

  /// Addresses that hold nothing are forgotten when there are many.
  func account(of address: ClientAddress?) -> BodyAccount {
    let network = address?.network
    return addresses.withLock { addresses in
      if let account = addresses[network] { return account }
      if addresses.count >= 1024 { addresses = addresses.filter { $0.value.used > 0 } }
      let account = BodyAccount(in: keyless)
      addresses[network] = account
      return account
    }
  }
}
