/// What one request has made the server hold in memory so far. Both can be written in three bytes each; real ones take
/// hundreds, so that a body of the largest allowed size stays far below.
struct DiagnosticLoad {
  private(set) var diagnostics = 0
  private(set) var frames = 0

  static let mostDiagnostics = 10_000
  static let mostFrames = 100_000

  /// How many frames may still come.
  var freeFrames: Int { Self.mostFrames - frames }

  /// Counts one more diagnostic; false when that is one too many.
  mutating func add(frames: Int) -> Bool {
    diagnostics += 1
    self.frames += frames
    return diagnostics <= Self.mostDiagnostics
  }
}
