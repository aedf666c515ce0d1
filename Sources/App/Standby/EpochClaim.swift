import Core
import Outbound
import Storage

/// The statement of a server that it belongs to an epoch, signed with the installation's secret. It stays valid,
/// because epochs only grow.
struct EpochClaim: Equatable {
  var number: Int64
  /// The address of the server with the epoch.
  var address: String

  /// The longest address, in bytes.
  static let longestAddress = 500

  func encoded(_ secret: [UInt8]) -> [UInt8] {
    JSONOutput.object([
      ("epoch", .integer(number)), ("address", .string(address)), ("proof", .string(Hex.encode(proof(secret)))),
    ]).encoded()
  }

  private func proof(_ secret: [UInt8]) -> [UInt8] {
    HMACSHA256(key: secret).code(Array("plumb epoch \(number) \(address)".utf8))
  }

  init(number: Int64, address: String) { (self.number, self.address) = (number, address) }

  /// Decodes a claim; nil unless it has a valid signature.
  init?(_ body: [UInt8], _ secret: [UInt8]) {
    let found = body.withUnsafeBytes { bytes in
      try? JSONParser(maximumDepth: 4).withDocument(bytes) { root in
        let members = try root.object()
        return (
          number: Int64(try members.required("epoch").integer()),
          address: try members.required("address").text().string,
          proof: try members.required("proof").text().string
        )
      }
    }
    guard let found, found.number >= 0, found.address.utf8.count <= Self.longestAddress else { return nil }
    self.init(number: found.number, address: found.address)
    guard ConstantTime.equal(Array(found.proof.utf8), Array(Hex.encode(proof(secret)).utf8)) else { return nil }
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
