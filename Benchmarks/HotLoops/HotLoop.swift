/// A piece of work that requests cause so often that its instructions are counted.
struct HotLoop {
  let name: String
  /// How often the guard repeats it in the shorter of its two runs.
  let turns: Int
  /// Makes what the loop works on, which is not counted, and returns one turn of it.
  let prepare: @Sendable () throws -> (_ turn: Int) throws -> Void

  static let all = decoding + records + [.digest, .apply, .applyFleet, .pages]
}
