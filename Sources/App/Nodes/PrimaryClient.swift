import Core
import Outbound
import Storage
import Synchronization
import Web

/// An ingest node's client for its primary. Each request blocks for at most a minute.
///
/// It may know several addresses, of a primary and its standbys. After a failure it goes on to the next one.
final class PrimaryClient: Sendable {
  /// The primary's address and credentials.
  struct Server: Sendable {
    /// The address without a slash at its end.
    var address: String
    var token: Secret
    var caFile: String?
  }

  /// The error of a request, as a sentence without a full stop.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// Whether the primary rejected the body, so that sending it again cannot succeed.
    var isAboutBody = false
    /// Whether no answer arrived.
    var isUnreachable = false
  }

  /// The primary's response to a frame.
  enum RelayAnswer: Equatable {
    /// `refused`: the numbers of refused records, by reason.
    case taken(position: Int64, refused: [String: Int])
    case elsewhere(position: Int64)
  }

  private let server: Server
  private let addresses: [String]
  private let name: String
  private let web: WebClient
  private let state = Mutex((index: 0, epoch: Epoch(number: 0), later: Int64(0)))

  /// `name`: the node's name on the primary. `others`: addresses that the primary may have later.
  init(_ server: Server, others: [String] = [], name: String) {
    (self.server, self.name) = (server, name)
    addresses = [server.address] + others
    var limits = WebClient.Limits()
    limits.seconds = 60
    limits.bytes = 32 << 20
    web = WebClient(caFile: server.caFile, limits: limits)
  }

  /// The address in use.
  var address: String { addresses[state.withLock { $0.index }] }

  /// The epoch of the primary that last took records. Primaries of earlier epochs, and others of this one, are refused.
  var epoch: Epoch { state.withLock { $0.epoch } }

  /// Notes the epoch of a primary. Returns false for an earlier one, and for another primary of the same one.
  @discardableResult func note(_ other: Epoch) -> Bool {
    state.withLock { state in
      guard other.number >= max(state.epoch.number, state.later), !state.epoch.isRival(of: other) else { return false }
      if other.number > state.epoch.number || state.epoch.promotion == nil { state.epoch = other }
      return true
    }
  }

  /// Notes that a primary of a later epoch exists, which has not taken records of this node yet.
  func note(later number: Int64) { state.withLock { $0.later = max($0.later, number) } }

  /// The addresses that are not in use.
  var alternatives: [String] { addresses.filter { $0 != address } }

  /// The epochs for a query: the latest one that is known, and the one in which records were taken.
  private var known: String {
    let (epoch, later) = state.withLock { ($0.epoch, $0.later) }
    let promotion = later > epoch.number ? nil : epoch.promotion
    return "epoch=\(max(epoch.number, later))&promotion=\(promotion ?? "")&acknowledged=\(epoch.number)"
  }

  /// The configuration with its tag; nil if its tag is still `known`.
  func configuration(known: String?) throws(Failure) -> (configuration: NodeConfiguration, tag: String)? {
    let answer = try send(
      "/api/v1/nodes/configuration?\(self.known)", headers: known.map { [("If-None-Match", $0)] } ?? [],
      accepting: known == nil ? [200] : [200, 304])
    if answer.status == 304 { return nil }
    do {
      return (try NodeConfiguration(answer.body), EntityTag.of(answer.body))
    } catch {
      throw Failure(description: "\(address) sent an invalid configuration: \(error)")
    }
  }

  /// Relays a frame that follows the sequence `after`.
  func relay(_ frame: RelayFrame, of node: NodeID, after: Int64) throws(Failure) -> RelayAnswer {
    let target =
      "/api/v1/nodes/\(node.text)/records?after=\(after)&\(known)&name=\(PercentEncoding.encode(name))"
    let answer = try send(
      target, headers: [("Content-Type", "application/octet-stream")], body: frame.encoded(),
      accepting: [200, 409])
    do {
      return try answer.body.withUnsafeBytes { bytes in
        try JSONParser(maximumDepth: 8).withDocument(bytes) { root in
          let members = try root.object()
          let position = Int64(try members.required("position").integer())
          let theirs = Epoch(
            number: Int64(try members["epoch"]?.integer() ?? 0),
            promotion: try members["promotion"]?.text().string)
          guard note(theirs) else {
            throw Failure(description: "it was replaced by another primary of epoch \(epoch.number)")
          }
          if answer.status == 409 { return .elsewhere(position: position) }
          // A primary of an earlier version sends only the total.
          guard let reasons = try members["reasons"]?.array() else {
            let refused = try members.required("refused").integer()
            return .taken(position: position, refused: refused > 0 ? ["were refused by the primary": refused] : [:])
          }
          var refused: [String: Int] = [:]
          for item in reasons {
            let item = try item.object()
            refused[try item.required("reason").text().string] = try item.required("records").integer()
          }
          return .taken(position: position, refused: refused)
        }
      }
    } catch {
      useNext(after: address)
      throw Failure(
        description: "\(address) sent an unexpected response; check that it is the primary's address: \(error)")
    }
  }

  private func send(
    _ target: String, headers: [(name: String, value: String)], body: [UInt8]? = nil, accepting accepted: Set<Int>
  ) throws(Failure) -> WebClient.Answer {
    let address = address
    let answer: WebClient.Answer
    do {
      answer = try server.token.use { token throws(WebClient.Failure) in
        try web.send(
          WebClient.Request(address + target, headers: headers + [("Authorization", "Bearer \(token)")], body: body))
      }
    } catch {
      useNext(after: address)
      throw Failure(description: "\(address) cannot be reached: \(error)", isUnreachable: true)
    }
    guard !accepted.contains(answer.status) else { return answer }
    let failure = Self.failure(answer, of: address)
    // A damaged body stays damaged, whichever server it is sent to.
    if !failure.isAboutBody { useNext(after: address) }
    throw failure
  }

  /// Goes on to the next address, unless another thread has done so since `address` failed.
  private func useNext(after address: String) {
    state.withLock { if addresses[$0.index] == address { $0.index = ($0.index + 1) % addresses.count } }
  }

  /// Whether another address may answer when this one does not.
  var hasAlternatives: Bool { addresses.count > 1 }

  static func failure(_ answer: WebClient.Answer, of address: String) -> Failure {
    let detail = answer.body.withUnsafeBytes { bytes in
      try? JSONParser(maximumDepth: 8).withDocument(bytes) { try $0.object()["detail"]?.text().string }
    }
    let reason = detail.flatMap { $0 }.map { ": " + String($0.prefix(300)) } ?? ""
    return Failure(
      description: "\(address) answered \(answer.status)\(reason)",
      isAboutBody: answer.status == 400 || answer.status == 413)
  }
}
