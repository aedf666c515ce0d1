import App
import ArgumentParser
import Core
import Storage

/// The command `plumb nodes`: lists and forgets the ingest nodes of a primary.
struct NodesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes", abstract: "List or forget the ingest nodes of this primary.",
    discussion: "Example:\n  plumb nodes list", subcommands: [List.self, Forget.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the nodes with their progress and last contact.",
      discussion: """
        Example:
          plumb nodes list --json

        The progress is the last record of the node's journal that this primary has received.
        """)

    @Flag(help: "Print JSON, one node per line.")
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
      abstract: "Forget a retired node, but keep its records.",
      discussion: "Example:\n  plumb nodes forget 9f3c2a7be01d4856")

    @Argument(help: "The node's id in `plumb nodes list`.")
    var node: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).forgetNode(node)
      Console.print("forgot \(node)")
    }
  }
}
