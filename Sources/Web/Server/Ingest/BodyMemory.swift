import Storage
import Synchronization

/// The memory for request bodies: a pool with an account per app for requests with a valid key, and a smaller pool with
/// an account per client address for requests whose key is not known yet.
final class BodyMemory: Sendable {
  /// The largest body, in bytes, that is accepted without a valid key in the headers or the path.
  static let keylessBody = 64 << 10

  private let known = BodyMemoryPool(limit: 64 << 20)
  private let keyless = BodyMemoryPool(limit: 4 << 20)
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

  /// The account of a client address. Unused accounts are removed if there are many.
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
