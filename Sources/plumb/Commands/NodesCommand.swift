import App
import ArgumentParser
import Core
import Storage

/// The command `plumb nodes`: the ingest nodes that a primary knows.
struct NodesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes", abstract: "The ingest nodes whose records this installation counts.",
    discussion: "Example:\n  plumb nodes list", subcommands: [List.self, Forget.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the nodes, how far their journals are here, and when they sent records last.",
      discussion: "Example:\n  plumb nodes list --json")

    @Flag(help: "As JSON, one node a line.")
    var json = false

    @OptionGroup var folder: FolderOptions

    func run() throws {
      for node in try Installation.existing(try folder.path()).ingestNodes() {
        Console.print(
          json
            ? JSONOutput.object([
              ("node", .string(node.id.text)), ("name", .string(node.name)), ("position", .integer(node.position)),
              ("heard", .string(node.heard.iso)),
            ]).encoded() + [UInt8(ascii: "\n")]
            : Array("\(node.id.text)  \(node.name)  through \(node.position)  \(node.heard.iso)\n".utf8))
      }
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget a node that is gone for good. Its records stay.",
      discussion: "Example:\n  plumb nodes forget 9f3c2a7be01d4856")

    @Argument(help: "The node, as `plumb nodes list` shows it.")
    var node: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).forgetNode(node)
      Console.print("forgot \(node)")
    }
  }
}
