import Foundation

/// Repeats one of the fixed loops, for `make bench-check` to count its instructions: with the same input, the same number
/// of turns and `SWIFT_DETERMINISTIC_HASHING=1` each run executes the same instructions, but for some thousands.
///
/// It is started in the folder of the package, where its bodies are.
@main
struct HotLoops {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.elementsEqual(["list"]) {
      for loop in HotLoop.all { print(loop.name, loop.turns) }
      return
    }
    // The store that the loop of pages reads, which would take long to fill under valgrind.
    if arguments.elementsEqual(["prepare"]) { return try FixedStore.write() }
    guard arguments.count == 2, let name = arguments.first, let turns = arguments.last.flatMap({ Int($0) }),
      let loop = HotLoop.all.first(where: { $0.name == name })
    else {
      print("usage: hot-loops list | hot-loops prepare | hot-loops NAME TURNS")
      exit(64)
    }
    let turn = try loop.prepare()
    for number in 0..<turns { try turn(number) }
  }
}
