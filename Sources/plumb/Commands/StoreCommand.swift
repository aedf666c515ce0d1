import App
import ArgumentParser
import Logging

/// The command `plumb store`: where the rows of a folder are.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Move the rows of a data folder to ClickHouse, or back.",
    discussion: """
      Example:
        plumb store copy --from /var/lib/plumb/data --to clickhouse://plumb@10.0.0.5:8123/plumb
      """,
    subcommands: [Copy.self])

  /// The command `plumb store copy`.
  struct Copy: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move the rows of a data folder to ClickHouse, or back, and compare the totals of every metric.",
      discussion: """
        Example:
          systemctl stop plumb
          plumb store copy --from /var/lib/plumb/data --to clickhouse://plumb@10.0.0.5:8123/plumb
          systemctl start plumb

        And back:
          plumb store copy --from clickhouse://plumb@10.0.0.5:8123/plumb --to /var/lib/plumb/data

        Sessions, crashes, groups and names stay in the folder, and the folder remembers the servers. A copy that was
        interrupted goes on when it is started again. Ingest nodes go on receiving meanwhile. The password is named as
        for `plumb serve`: PLUMB_STORE_PASSWORD=file:/PATH.

        Exit status: 0, 2 when it was not carried out to its end.
        """)

    @Option(help: "The data folder, or on the way back a server with its rows.")
    var from: [String]

    @Option(help: "The server that gets the rows, repeated for shards; on the way back the data folder.")
    var to: [String]

    @Option(help: "The settings file. (default: plumb.yaml, if there is one)")
    var config: String?

    func run() throws {
      if let odd = (from + to).first(where: { $0.contains("://") && !Self.isServer($0) }) {
        throw ValidationError("\(odd): the address of a server begins with clickhouse:// or clickhouse+https://.")
      }
      let isBack = from.allSatisfy(Self.isServer)
      guard (isBack ? to : from).count == 1, (isBack ? from : to).allSatisfy(Self.isServer),
        let path = (isBack ? to : from).first, !Self.isServer(path)
      else {
        throw ValidationError("One of --from and --to is a data folder, the other one ClickHouse servers.")
      }
      let servers = try Settings(path: config).rowServers(flags: isBack ? from : to)
      var bar = ProgressBar("Copy", total: 1000)
      let logger = Logger(label: "store") { StreamLogHandler.standardError(label: $0) }
      do {
        let copy = try StoreCopy(path, logger: logger) { bar.show($0, of: $1) }
        if isBack {
          let result = try copy.runBack(from: servers)
          Console.print("the rows are in \(path); totals of \(result.compared) metrics are as before")
        } else if let servers {
          let result = try copy.run(to: servers)
          let done = "\(result.rows) rows moved; totals of \(result.compared) metrics are as before"
          Console.print(result.compared == 0 ? "the rows are there already: nothing was left to move" : done)
        }
      } catch {
        Console.complain("not carried out to its end: \(error)")
        throw ExitCode(2)
      }
    }

    private static func isServer(_ text: String) -> Bool {
      text.hasPrefix("clickhouse:") || text.hasPrefix("clickhouse+")
    }
  }
}
