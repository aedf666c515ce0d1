import Dispatch
import Foundation
import Synchronization

/// Sends every file of the folders named, every prefix of it, and mutations of all of them down the road of a payload:
/// decoder, record, digest. Each must be read or refused with a reason, in time; a trap ends the process.
///
/// Built for release: in a debug build it would take an hour.
@main
struct Conformance {
  private static let mutations = 100_000

  static func main() throws {
    let folders = CommandLine.arguments.dropFirst()
    if folders.first == "cost", let number = folders.dropFirst().first.flatMap({ Int($0) }) {
      exit(Costs.measure(number) ? 0 : 1)
    }
    if folders.first == "costs" { exit(try Costs.measureAll() ? 0 : 1) }
    if folders.first == "fuzz", folders.count >= 3, let seconds = Double(Array(folders)[1]) {
      let folder = URL(fileURLWithPath: Array(folders)[2])
      let seed = folders.count > 3 ? UInt64(Array(folders)[3]) ?? 1 : 1
      let runs = try Fuzzing.run(folder, seconds: seconds, seed: seed)
      print(
        "\(runs) mutations of small inputs in \(Int(seconds)) s: \(Int(Double(runs) / seconds)) a second, none trapped")
      return
    }
    let files = try folders.flatMap { try Corpus.files(in: URL(fileURLWithPath: $0)) }
    guard !files.isEmpty else {
      print(
        "usage: conformance FOLDER… | conformance costs | conformance cost NUMBER | conformance fuzz SECONDS CORPUS [SEED]"
      )
      exit(64)
    }
    let each = mutations / files.count + 1
    let total = Mutex(Verdict())
    DispatchQueue.concurrentPerform(iterations: files.count) { index in
      let verdict = Trial(files[index]).run(mutations: each, seed: UInt64(index))
      total.withLock { $0.merge(verdict) }
    }
    let verdict = total.withLock { $0 }
    print("\(files.count) files, \(verdict.prefixes) prefixes, \(verdict.mutations) mutations:", terminator: " ")
    print("\(verdict.read) read, \(verdict.refused) refused, slowest \(verdict.slowest / 1_000_000) ms")
    for problem in verdict.problems.prefix(20) { print("✘ \(problem)") }
    if !verdict.problems.isEmpty { exit(1) }
  }
}
