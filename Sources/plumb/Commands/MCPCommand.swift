import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Outbound
import Storage
import Web

/// The command `plumb mcp`: serves tools for language models over standard input and output.
struct MCPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp", abstract: "Serve agents over the Model Context Protocol (MCP).",
    discussion: """
      Example:
        plumb mcp --server https://plumb.example.com --token "$PLUMB_TOKEN"

      The agent starts this command and uses its standard input and output. Configure the agent with:
        {"mcpServers": {"plumb": {"command": "plumb",
          "args": ["mcp", "--server", "https://plumb.example.com"],
          "env": {"PLUMB_TOKEN": "plumb_…"}}}}

      `plumb token add agent` makes a read token. All tools are read-only. With --server, the token limits what the \
      agent can read; with --data, the agent can read the whole folder. See docs/agents.md.
      """)

  @OptionGroup var server: ServerOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var folder: FolderOptions

  func run() throws {
    let mcp = MCPServer(version: BuildVersion.number, source: try source(try folder.settings()))
    if isatty(FileHandle.standardInput.fileDescriptor) == 1 {
      Console.note("Waiting for JSON-RPC lines from an agent. Ctrl-D ends the command.")
    }
    var lines = LineReader(descriptor: FileHandle.standardInput.fileDescriptor, limit: MCPServer.longestLine)
    while let line = lines.next() {
      if let reply = mcp.reply(to: line) { Console.print(reply + [UInt8(ascii: "\n")]) }
    }
  }

  private func source(_ settings: Settings) throws -> MCPServer.Source {
    guard let server = try server.server(settings, folder, clock, tokenHint: "plumb token add agent") else {
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
