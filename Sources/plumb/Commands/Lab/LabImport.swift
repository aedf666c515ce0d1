import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Outbound
import Storage

/// `plumb import --lab`: adds runs of performance tests to a data folder, or sends them to a server.
struct LabImport {
  let app: String
  /// The names of the runs, by the parameter of the API.
  let parameters: [String: String]
  let target: Target

  enum Target {
    case folder(String, clock: @Sendable () -> Timestamp)
    case server(ServerOptions.Server)
  }

  private struct Problem: Decodable {
    let detail: String?
  }

  private struct Receipt: Decodable {
    let stored: Bool
    let unknown_tests: [String]?
  }

  /// Imports files and prints how many. Throws `ExitCode` if one was refused.
  func run(_ files: [String]) throws {
    let query: LabRunImport
    do { query = try LabRunImport { parameters[$0] } } catch { throw ValidationError(error) }
    let keep = try keeper(query)
    var (stored, known, refused) = (0, 0, 0)
    for file in files {
      do {
        let body = [UInt8](try ImportCommand.read(file))
        guard body.count <= LabRunImport.mostBytes else {
          throw UserFacingError("the file is larger than \(LabRunImport.mostBytes >> 20) MiB.")
        }
        let (isNew, unknownTests) = try keep(body)
        if isNew { stored += 1 } else { known += 1 }
        if !unknownTests.isEmpty {
          Console.complain("\(file): --map: it has no test \(unknownTests.joined(separator: ", ")).")
        }
      } catch {
        Console.complain("\(file): \(error)")
        refused += 1
      }
    }
    Console.print(
      "\(stored) of \(files.count) \(files.count == 1 ? "run" : "runs") imported"
        + (known > 0 ? ", \(known) already known" : "") + (refused > 0 ? ", \(refused) refused." : "."))
    if refused > 0 { throw ExitCode(1) }
  }

  /// The function that stores a file's content and returns whether it is new, and the mapped tests that it lacks.
  private func keeper(_ query: LabRunImport) throws -> ([UInt8]) throws -> (isNew: Bool, unknownTests: [String]) {
    switch target {
    case .folder(let path, let clock):
      let installation = try Installation.existing(path)
      let app = try installation.app(self.app)
      return { body in
        let run = try body.withUnsafeBytes { try query.run($0, at: clock()) }
        return (try installation.control.keep(run, of: app.id), query.unknownTests(run))
      }
    case .server(let server):
      let names = parameters.sorted { $0.key < $1.key }.map { "\($0)=\(PercentEncoding.encode($1))" }
      let address =
        "\(server.address)/api/v1/apps/\(PercentEncoding.encode(app))/lab-runs?\(names.joined(separator: "&"))"
      return {
        let receipt = try Self.send($0, to: address, server)
        return (receipt.stored, receipt.unknown_tests ?? [])
      }
    }
  }

  private static func send(_ body: [UInt8], to address: String, _ server: ServerOptions.Server) throws -> Receipt {
    var limits = WebClient.Limits()
    (limits.seconds, limits.usesProxy) = (60, true)
    let answer: WebClient.Answer
    do {
      answer = try WebClient(caFile: server.caFile, limits: limits).send(
        WebClient.Request(
          address, headers: [("Authorization", "Bearer \(server.token)"), ("Content-Type", "application/json")],
          body: body))
    } catch {
      throw UserFacingError("\(server.address) cannot be reached: \(error)")
    }
    guard answer.status == 200 else {
      let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body))
      throw UserFacingError("the server answered \(answer.status): \(problem?.detail ?? "it sent no reason")")
    }
    return try JSONDecoder().decode(Receipt.self, from: Data(answer.body))
  }
}
