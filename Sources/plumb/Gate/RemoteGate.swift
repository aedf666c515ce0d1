import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Outbound

/// The release gate of a server: sends the parameters and the budget file.
struct RemoteGate {
  let server: ServerOptions.Server

  /// The command that prints a token for a gate.
  static let tokenHint = "plumb token add gate"

  private struct Problem: Decodable {
    let detail: String?
    /// The invalid parameter; nil if the server could not evaluate.
    let parameter: String?
  }

  /// Evaluates with a route below `/api/v1/gate`.
  func judge(_ judgement: String, _ parameters: [String: String?], budgets: String?) throws -> GateAnswer {
    let yaml = try budgets.map(Self.read)
    var query = parameters.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
    if let budgets { query.append("name=\(PercentEncoding.encode(budgets))") }
    var limits = WebClient.Limits()
    // Evaluating many apps takes time, and a build server may need a proxy.
    (limits.seconds, limits.bytes, limits.usesProxy) = (300, 16 << 20, true)
    let request = WebClient.Request(
      "\(server.address)/api/v1/gate/\(judgement)?\(query.joined(separator: "&"))",
      headers: [("Authorization", "Bearer \(server.token)"), ("Content-Type", "application/yaml")], body: yaml ?? [])
    let found: WebClient.Answer
    do {
      found = try WebClient(caFile: server.caFile, limits: limits).send(request)
    } catch {
      throw UserFacingError("\(server.address) cannot be reached: \(error)")
    }
    if found.status == 200 { return try GateAnswer(json: found.body) }
    let problem = try? JSONDecoder().decode(Problem.self, from: Data(found.body))
    if found.status == 401 {
      throw UserFacingError(
        "\(server.address): the server answered 401: the token is unknown, has expired or lacks the scope read. "
          + "`\(Self.tokenHint)` on the server prints a new one.")
    }
    guard let detail = problem?.detail else {
      throw UserFacingError(
        "\(server.address): the server answered \(found.status): it sent no reason. Check that it is a Plumb server.")
    }
    guard found.status == 400 || found.status == 409 else {
      throw UserFacingError("\(server.address): the server answered \(found.status): \(detail)")
    }
    if let parameter = problem?.parameter { throw ValidationError(InvalidQuery(detail: detail, parameter: parameter)) }
    throw UserFacingError(detail)
  }

  private static func read(_ path: String) throws -> [UInt8] {
    let data: Data?
    do { data = try FileHandle(forReadingAtPath: path).map { try $0.readToEnd() ?? Data() } } catch { data = nil }
    guard let data else { throw UserFacingError("\(path) (--budgets) cannot be read.") }
    guard data.count <= BudgetFile.maximumSize else {
      throw UserFacingError("\(path): the budget file is larger than 1 MiB.")
    }
    return Array(data)
  }
}
