/// A piece of work so frequent that its instructions are counted.
struct HotLoop {
  let name: String
  /// The number of turns in the shorter of the check's two runs.
  let turns: Int
  /// Prepares the loop's data, which is not counted, and returns one turn.
  let prepare: @Sendable () throws -> (_ turn: Int) throws -> Void

  static let all = decoding + records + [.digest, .apply, .applyFleet, .crashes, .pages]
}
