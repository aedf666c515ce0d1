import Core
import Dispatch
import Outbound
import Storage
import Synchronization

/// The statement of a server that it belongs to an epoch, signed with the installation's secret. It stays valid,
/// because epochs only grow.
struct EpochClaim: Equatable {
  var epoch: Epoch
  /// The address of the server with the epoch.
  var address: String

  /// Whether `address` is one, and not a description.
  var isAddressed: Bool { address.hasPrefix("http://") || address.hasPrefix("https://") }

  /// The longest address, in bytes.
  static let longestAddress = 500

  func encoded(_ secret: [UInt8]) -> [UInt8] {
    JSONOutput.object([
      ("epoch", .integer(epoch.number)), ("promotion", .string(epoch.promotion ?? "")), ("address", .string(address)),
      ("proof", .string(Hex.encode(proof(secret)))),
    ]).encoded()
  }

  private func proof(_ secret: [UInt8]) -> [UInt8] {
    HMACSHA256(key: secret).code(Array("plumb epoch \(epoch.number) \(epoch.promotion ?? "") \(address)".utf8))
  }

  init(_ epoch: Epoch, address: String) {
    self.epoch = Epoch(number: epoch.number, promotion: epoch.promotion)
    self.address = address
  }

  /// Decodes a claim; nil unless it has a valid signature.
  init?(_ body: [UInt8], _ secret: [UInt8]) {
    let found = body.withUnsafeBytes { bytes in
      try? JSONParser(maximumDepth: 4).withDocument(bytes) { root in
        let members = try root.object()
        return (
          number: Int64(try members.required("epoch").integer()),
          promotion: try members.required("promotion").text().string,
          address: try members.required("address").text().string,
          proof: try members.required("proof").text().string
        )
      }
    }
    guard let found, found.number >= 0, found.address.utf8.count <= Self.longestAddress,
      found.promotion.utf8.count <= Epoch.longestPromotion
    else { return nil }
    let promotion = found.promotion.isEmpty ? nil : found.promotion
    self.init(Epoch(number: found.number, promotion: promotion), address: found.address)
    guard ConstantTime.equal(Array(found.proof.utf8), Array(Hex.encode(proof(secret)).utf8)) else { return nil }
  }

  /// Sends the claim to several servers at once, except to its own address, and returns the valid answers.
  func exchange(with addresses: [String], secret: [UInt8], caFile: String?) -> [EpochClaim] {
    let others = addresses.filter { $0 != address }
    let answers = Mutex<[EpochClaim]>([])
    DispatchQueue.concurrentPerform(iterations: others.count) { index in
      guard let theirs = try? exchange(with: others[index], secret: secret, caFile: caFile) else { return }
      answers.withLock { $0.append(theirs) }
    }
    return answers.withLock(\.self)
  }

  /// Sends the claim to a server and returns that server's claim. Throws if there is no valid answer.
  func exchange(
    with address: String, within seconds: Int = 2, secret: [UInt8], caFile: String?
  ) throws(PrimaryClient.Failure) -> EpochClaim {
    var limits = WebClient.Limits()
    limits.seconds = seconds
    let answer: WebClient.Answer
    do {
      answer = try WebClient(caFile: caFile, limits: limits).send(
        WebClient.Request(
          address + "/api/v1/epoch", headers: [("Content-Type", "application/json")], body: encoded(secret)))
    } catch {
      throw PrimaryClient.Failure(description: "\(address) cannot be reached: \(error)", isUnreachable: true)
    }
    guard answer.status == 200, let claim = EpochClaim(answer.body, secret) else {
      throw PrimaryClient.Failure(
        description: "\(address) answered \(answer.status) without an epoch of this installation")
    }
    return claim
  }
}
