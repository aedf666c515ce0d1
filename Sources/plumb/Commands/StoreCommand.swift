import App
import ArgumentParser
import Logging

/// The command `plumb store`: moves rows between a data folder and ClickHouse.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Move rows between a data folder and ClickHouse.",
    discussion: """
      Example:
        plumb store copy --from plumb-data --to clickhouse://plumb@10.0.0.5:8123/plumb
      """,
    subcommands: [Copy.self])

  /// The command `plumb store copy`.
  struct Copy: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move rows and compare the totals of every metric.",
      discussion: """
        Example:
          systemctl stop plumb
          plumb store copy --from /var/lib/plumb/data \\
            --to clickhouse://plumb@10.0.0.5:8123/plumb
          systemctl start plumb

        Swap --from and --to to move the rows back. Sessions, crashes, groups and names stay in the folder, and the \
        folder stores the servers' addresses. Run the command again to resume an interrupted copy. Ingest nodes can \
        keep receiving payloads during the copy. Set the password as for `plumb serve`: \
        PLUMB_STORE_PASSWORD=file:/PATH.

        Exit status: 0 done, 2 not completed.
        """)

    @Option(help: "The data folder, or the ClickHouse server to move rows back from. Repeat the option for shards.")
    var from: [String]

    @Option(help: "The ClickHouse server to move rows to, or the data folder. Repeat the option for shards.")
    var to: [String]

    @Option(help: "The settings file. (default: plumb.yaml, if it exists)")
    var config: String?

    func run() throws {
      if let odd = (from + to).first(where: { $0.contains("://") && !Self.isServer($0) }) {
        throw ValidationError("\(odd): a server address must begin with clickhouse:// or clickhouse+https://.")
      }
      let isBack = from.allSatisfy(Self.isServer)
      guard (isBack ? to : from).count == 1, (isBack ? from : to).allSatisfy(Self.isServer),
        let path = (isBack ? to : from).first, !Self.isServer(path)
      else {
        throw ValidationError("Give a data folder for one of --from and --to, and ClickHouse servers for the other.")
      }
      let servers = try Settings(path: config).rowServers(flags: isBack ? from : to)
      var bar = ProgressBar("Copy", total: 1000)
      let logger = Logger(label: "store") { StreamLogHandler.standardError(label: $0) }
      do {
        let copy = try RowMove(path, logger: logger) { bar.show($0, of: $1) }
        if isBack {
          let result = try copy.runBack(from: servers)
          Console.print("The rows are in \(path). The totals of \(result.compared) metrics match.")
        } else if let servers {
          let result = try copy.run(to: servers)
          let done = "\(result.rows) rows moved. The totals of \(result.compared) metrics match."
          Console.print(result.compared == 0 ? "The rows were already moved." : done)
        }
      } catch {
        Console.complain("The copy was not completed: \(error)")
        throw ExitCode(2)
      }
    }

    private static func isServer(_ text: String) -> Bool {
      text.hasPrefix("clickhouse:") || text.hasPrefix("clickhouse+")
    }
  }
}
