import TestSupport

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import Storage

extension Fleet {
  /// Hangs of two releases. `isSlower`: whether parsing takes three times as long in the head, and an animation is gone.
  static func flameDifference(_ text: String? = nil, isSlower: Bool = true) -> FlameDifference {
    var random = SeededRandom(seed: 3)
    let trees = (0..<240).map { number in
      let isHead = number < 120
      let factor = isHead && isSlower ? 3.0 : 1
      let parse = Int((20 + 20 * random.uniform()) * factor)
      let animate = isHead && isSlower ? 0 : Int(10 + 10 * random.uniform())
      let decode = Int(30 + 20 * random.uniform())
      let names = ["main", "FeedViewController.reload()", "FeedParser.parse(data:)", "ImageDecoder.decode()", "fade()"]
      let samples = [parse + decode + animate, parse + decode, parse, decode, animate]
      var tree = CallTree(binaries: [.init(name: text ?? "Shop", uuid: "")])
      for (index, caller) in [-1, 0, 1, 1, 0].enumerated() where samples[index] > 0 {
        tree.frames.append(
          .init(
            caller: caller, binary: 0, samples: samples[index], symbol: .init(function: (text ?? "") + names[index])))
      }
      tree.threads = [.init(range: tree.frames.indices, isAttributed: true)]
      return CostedTree(calls: tree, cost: Double(samples[0]) * 10, cluster: UInt64(number))
    }
    return FlameDifference(
      head: Array(trees.prefix(120)), base: Array(trees.suffix(120)), kind: .hang, exposure: (5_000, 5_000),
      symbols: NoSymbols())
  }
}
