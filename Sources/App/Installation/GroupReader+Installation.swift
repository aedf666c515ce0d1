import Health
import Issues
import SQLiteStore
import Storage
import Telemetry

extension GroupReader {
  /// The reader of an installation's groups. `symbols`: the source of function names; `limits`: how many bodies of
  /// diagnostics are kept.
  init(
    _ installation: Installation, _ store: SQLiteStore, _ health: HealthReader, symbols: any SymbolSource,
    limits: SampleLimits = SampleLimits()
  ) {
    self.init(store: store, health: health, states: installation.control, symbols: symbols, limits: limits) {
      try DiagnosticSignature.callTree($0.calls)
    }
  }
}

extension Settings {
  /// The limits on stored bodies of diagnostics: the settings `samples-newest`, `samples-typical` and `samples-limit`.
  func sampleLimits() throws -> SampleLimits {
    let standard = SampleLimits()
    return SampleLimits(
      newest: try whole("samples-newest", 1...1_000) ?? standard.newest,
      typical: try whole("samples-typical", 0...1_000) ?? standard.typical,
      bytes: try bytes("samples-limit", default: standard.bytes))
  }

  private func whole(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(key, flag: nil) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Failure("\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(text).")
    }
    return number
  }
}
