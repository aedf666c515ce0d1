public import Core
import Ingest
public import Outbound
import SQLiteStore
public import Storage

/// Fetches an app's metrics, overview and signatures from App Store Connect and stores them in one transaction.
///
/// A run that fails stores nothing. Running again stores the same numbers once, because each replaces itself.
public struct AppStoreImport {
  private let installation: Installation
  private let app: App

  public init(_ installation: Installation, _ app: App) { (self.installation, self.app) = (installation, app) }

  /// What was stored, and the number of values that were not.
  public struct Result: Sendable {
    public var answer = AppStorePerformance()
    public var rejected = 0
  }

  /// Fetches and stores. `appleID`: Apple's id of the app; nil to look it up by the bundle identifier. Throws
  /// `AppStoreConnectError` or `UserFacingError`.
  public func run(_ client: AppStoreConnectClient, appleID: String?, at now: Timestamp) throws -> Result {
    guard let lock = try FolderLock(path: installation.folder.appStoreLock) else {
      throw UserFacingError("Another import from App Store Connect is running. Run this one when it has ended.")
    }
    return try withExtendedLifetime(lock) {
      let result = try fetch(client, appleID ?? client.appID(of: app.bundleID))
      try installation.control.keep(result.answer, of: app.id, at: now)
      return result
    }
  }

  private func fetch(_ client: AppStoreConnectClient, _ id: String) throws -> Result {
    var result = Result()
    func add(_ body: [UInt8]) throws -> AppStoreConnectDocument {
      do {
        let document = try body.withUnsafeBytes { try AppStoreConnectDocument($0) }
        result.answer.merge(document.answer)
        result.rejected += document.rejected
        return document
      } catch let error as JSONError {
        throw AppStoreConnectError("App Store Connect's response is not what Apple documents: \(error)")
      }
    }
    let overview = try client.overview(of: id).map(add)
    if let overview { try check(overview) }
    let metrics = try add(try client.metrics(of: id))
    let version = overview.map(\.latestVersion) ?? ""
    if let version = version.isEmpty ? metrics.figures.last?.key.version : version {
      // A signature that the overview also has keeps the overview's count and place in the code.
      let known = result.answer.signatures
      for page in try client.signatures(of: id, version: version) { _ = try add(page) }
      result.answer.keepDetails(of: known, version: version)
    }
    return result
  }

  /// Refuses the overview of another app, which a wrong id would return.
  private func check(_ overview: AppStoreConnectDocument) throws {
    guard overview.bundleID.isEmpty || overview.bundleID == app.bundleID else {
      throw AppStoreConnectError("Apple's id belongs to \(overview.bundleID), not to \(app.bundleID).")
    }
  }
}

extension AppStorePerformance {
  /// Adds the version, and what an overview says of the same signatures.
  fileprivate mutating func keepDetails(of known: [AppStoreSignature], version: String) {
    func key(_ signature: AppStoreSignature) -> String { "\(signature.kind.rawValue) \(signature.key)" }
    let known = Dictionary(known.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    for index in signatures.indices {
      signatures[index].version = version
      guard let other = known[key(signatures[index])] else { continue }
      signatures[index].count = other.count
      (signatures[index].file, signatures[index].line) = (other.file, other.line)
      if signatures[index].trend.isEmpty { signatures[index].trend = other.trend }
      if signatures[index].references.isEmpty { signatures[index].references = other.references }
    }
  }
}
