import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Outbound
import Web

/// Addresses of the API, read from a data folder or from a server, for commands.
enum APISource {
  /// `tokenHint`: the command that prints a token for the server.
  static func source(
    _ server: ServerOptions, _ clock: ClockOptions, _ folder: FolderOptions, tokenHint: String
  ) throws -> MCPServer.Source {
    let settings = try folder.settings()
    guard let server = try server.server(settings, folder, clock, tokenHint: tokenHint) else {
      let api = try FolderAPI(try Installation.existing(try folder.path()), settings) { Console.complain($0) }
      return { path, parameters in
        do {
          return try api.json(at: path, parameters, now: clock.now).map { .found($0) } ?? .missing
        } catch let error as InvalidQuery {
          return .refused(error.detail)
        }
      }
    }
    var limits = WebClient.Limits()
    (limits.seconds, limits.bytes, limits.usesProxy) = (60, 16 << 20, true)
    let client = WebClient(caFile: server.caFile, limits: limits)
    let base = server.address
    let authorization = (name: "Authorization", value: "Bearer \(server.token)")
    return { path, parameters in
      let query = parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
      let target = path.map { PercentEncoding.encode($0) }.joined(separator: "/") + (query.isEmpty ? "" : "?" + query)
      let answer: WebClient.Answer
      do throws(WebClient.Failure) {
        answer = try client.send(.init("\(base)/api/v1/\(target)", headers: [authorization]))
      } catch {
        return .refused("\(base) cannot be reached: \(error)")
      }
      switch answer.status {
      case 200: return .found(answer.body)
      case 401: return .refused("The server answered 401: the token is unknown or has expired.")
      case 404: return .missing
      default: return .refused("The server answered \(answer.status)\(Self.detail(answer.body)).")
      }
    }
  }

  /// The detail of a problem response, after a colon; empty without one.
  private static func detail(_ body: [UInt8]) -> String {
    struct Problem: Decodable { let detail: String }
    return (try? JSONDecoder().decode(Problem.self, from: Data(body))).map { ": \($0.detail.prefix(1_000))" } ?? ""
  }
}
