import Foundation
import PlumbClient

/// Calls of the client, whose instructions and allocations `make client-cost` counts: `list` prints the names and turns,
/// `NAME TURNS` runs one.
let loops: [(name: String, turns: Int, body: (Int) -> Void)] = {
  let latency = Metric("cart.latency", unit: .milliseconds)
  let searches = Metric("searches", unit: .count)
  return [
    ("measure", 5000, { turn in Plumb.measure(Double(turn % 997), latency) }),
    ("measure-label", 5000, { turn in Plumb.measure(Double(turn % 997), latency, label: "Add to cart") }),
    ("count", 5000, { _ in Plumb.count(1, searches) }),
    ("interaction", 5000, { _ in Plumb.startInteraction("Add to cart")?.stop() }),
    (
      "request", 5000,
      { turn in
        Plumb.recordRequest(
          host: "api.example.com", endpoint: "GET /products/{id}", seconds: Double(turn % 97) / 100, bytes: 20_000)
      }
    ),
  ]
}()

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first.flatMap { Int($0) }) {
case ("list", _): for loop in loops { print(loop.name, loop.turns) }
case ("prepare", _): break
case (let name, let turns?):
  guard let loop = loops.first(where: { $0.name == name }), let server = URL(string: "http://127.0.0.1:9") else {
    exit(64)
  }
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plumb-cost-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  var options = PlumbOptions()
  options.folder = folder
  guard Plumb.start(server: server, key: "KEY", options: options) else { exit(1) }
  // Enough values for a histogram with all its buckets, as in an app that runs for a while.
  for turn in 0..<2000 { loop.body(turn) }
  for turn in 0..<turns { loop.body(turn) }
default: exit(64)
}
