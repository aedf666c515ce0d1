import Core
import Foundation
import Outbound
import SQLiteStore
import Storage
import Web

/// A standby's client for its primary. Each request blocks for at most a minute.
struct StandbyClient: Sendable {
  private let server: PrimaryClient.Server
  private let web: WebClient
  /// The address at which the primary reaches this standby.
  private let own: String

  /// The largest answer in bytes: a batch of the journal, or `control.db`.
  static let largestAnswer = 256 << 20
  /// The largest part of a file in an answer, in bytes.
  static let portion = 4 << 20
  /// Seconds between two questions whether the primary has made the copy.
  private static let copyInterval = 0.5

  init(_ server: PrimaryClient.Server, own: String) {
    (self.server, self.own) = (server, own)
    var limits = WebClient.Limits()
    limits.seconds = 60
    limits.bytes = Self.largestAnswer
    web = WebClient(caFile: server.caFile, limits: limits)
  }

  var address: String { server.address }
  var caFile: String? { server.caFile }

  /// What the journal lacks after `position`. `erasures`: the deletions in the copy.
  func frame(after position: Int64, check: UInt64?, erasures: Int) throws -> StandbyFrame {
    let check = check.map { "&check=\($0)" } ?? ""
    let body = try body(
      "records?after=\(position)&erasures=\(erasures)\(check)&address=\(PercentEncoding.encode(own))")
    do {
      return try body.withUnsafeBytes { try StandbyFrame($0) }
    } catch {
      throw PrimaryClient.Failure(description: "\(address) sent records that cannot be read: \(error)")
    }
  }

  /// The content of `control.db`.
  func control() throws -> [UInt8] {
    let body = try body("control")
    return try body.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: Self.largestAnswer) }
  }

  /// Asks for a copy of the folder, and waits until the primary has made it.
  func manifest(_ isStopping: () -> Bool) throws -> BackupManifest {
    while true {
      let answer = try send("copy", body: [])
      if answer.status == 200 { return try BackupManifest.decode(Data(answer.body), of: address) }
      guard answer.status == 202 else { throw failure(answer) }
      Thread.sleep(forTimeInterval: Self.copyInterval)
      if isStopping() { throw CancellationError() }
    }
  }

  /// The paths and sizes of the primary's symbols and budgets.
  func files() throws -> [BackupManifest.Entry] {
    try BackupManifest.decode(Data(body("files")), of: address).files
  }

  /// Writes a file to `path`. `ofCopy`: whether it is the copy's, or the current one. Throws if its size differs.
  func download(_ entry: BackupManifest.Entry, ofCopy: Bool, to path: String, _ isStopping: () -> Bool) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BackupError("\(path) cannot be written: \(String(cString: strerror(errno))).") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var done = 0
    while done < entry.size {
      if isStopping() { throw CancellationError() }
      let part = try body(
        "\(ofCopy ? "copy" : "files")?from=\(done)&path=\(PercentEncoding.encode(entry.path))")
      guard !part.isEmpty, part.count <= entry.size - done else {
        throw BackupError("\(address) sent \(entry.path) with another size. This will be retried.")
      }
      try file.write(contentsOf: Data(part))
      done += part.count
    }
    try FileChecksum.setModified(entry.modified, of: descriptor)
    try file.synchronize()
  }

  private func body(_ target: String) throws -> [UInt8] {
    let answer = try send(target)
    guard answer.status == 200 else { throw failure(answer) }
    return answer.body
  }

  private func send(_ target: String, body: [UInt8]? = nil) throws(PrimaryClient.Failure) -> WebClient.Answer {
    do {
      return try server.token.use { token throws(WebClient.Failure) in
        try web.send(
          WebClient.Request(
            address + "/api/v1/standby/" + target,
            headers: [("Authorization", "Bearer \(token)"), ("Plumb-Version", BuildVersion.replication)], body: body))
      }
    } catch {
      throw PrimaryClient.Failure(description: "\(address) cannot be reached: \(error)", isUnreachable: true)
    }
  }

  private func failure(_ answer: WebClient.Answer) -> PrimaryClient.Failure {
    PrimaryClient.failure(answer, of: address)
  }
}
