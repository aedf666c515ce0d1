import Foundation

/// Repeats one of the fixed loops, so that `make bench-check` can count its instructions. With the same input, number
/// of turns and `SWIFT_DETERMINISTIC_HASHING=1`, each run executes the same instructions, except a few thousand.
///
/// Start it in the folder of the package, which has its bodies.
@main
struct HotLoops {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.elementsEqual(["list"]) {
      for loop in HotLoop.all { print(loop.name, loop.turns) }
      return
    }
    // Writes the store for the loop of pages, which would take long under valgrind.
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
