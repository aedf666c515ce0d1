import App
import ArgumentParser
import Core
import Foundation
import Outbound
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
    let source = try APISource.source(server, clock, folder, tokenHint: "plumb token add agent")
    let mcp = MCPServer(version: BuildVersion.number, source: source)
    if isatty(FileHandle.standardInput.fileDescriptor) == 1 {
      Console.note("Waiting for JSON-RPC lines from an agent. Ctrl-D ends the command.")
    }
    var lines = LineReader(descriptor: FileHandle.standardInput.fileDescriptor, limit: MCPServer.longestLine)
    while let line = lines.next() {
      if let reply = mcp.reply(to: line) { Console.print(reply + [UInt8(ascii: "\n")]) }
    }
  }
}
