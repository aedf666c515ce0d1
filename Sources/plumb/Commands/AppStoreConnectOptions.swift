import ArgumentParser
import Core
import Foundation
import Outbound

/// The flags of `plumb import` for App Store Connect's API.
struct AppStoreConnectOptions: ParsableArguments {
  @Option(
    name: .customLong("app-store-connect"),
    help: "The .p8 file of a key of App Store Connect's API; only its owner may read it.")
  var keyFile: String?

  @Option(name: .customLong("key-id"), help: "The id of that key, such as 2X9R4HXF34.")
  var keyID: String?

  @Option(name: .customLong("issuer-id"), help: "The issuer id of a team's key; leave it out for a key of one person.")
  var issuerID: String?

  @Option(
    name: .customLong("apple-app-id"),
    help: "Apple's id of the app, such as 1613097210. Without it, the app is found by its bundle identifier.")
  var appleAppID: String?

  @Option(
    name: .customLong("api-url"),
    help: ArgumentHelp("Another address of the API, for tests: https, or http on this machine.", visibility: .hidden))
  var address: String = AppStoreConnectClient.address

  /// Throws if flags do not fit together.
  func check() throws {
    guard keyFile == nil else {
      if keyID == nil {
        throw ValidationError("--key-id is missing: the id of the key, which its file's name contains.")
      }
      return
    }
    let others = [("--key-id", keyID), ("--issuer-id", issuerID), ("--apple-app-id", appleAppID)]
    if let flag = others.first(where: { $0.1 != nil })?.0 {
      throw ValidationError("\(flag) needs --app-store-connect KEY.p8.")
    }
  }

  /// A client with the key. Throws an error in words if the key cannot be used.
  func client(clock: @escaping @Sendable () -> Timestamp) throws -> AppStoreConnectClient {
    let path = URL(fileURLWithPath: keyFile ?? "").path
    let credentials = try AppStoreConnectCredentials(
      file: path, keyID: keyID ?? "", issuerID: issuerID, environment: ProcessInfo.processInfo.environment)
    return try AppStoreConnectClient(credentials, address: address, now: clock)
  }
}
