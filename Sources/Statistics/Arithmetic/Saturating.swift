import Telemetry

/// The nearest whole number of steps, at most `Int64.max`. `value` is not negative.
func fixedPoint(_ value: Double, stepsPerUnit: Double, count: Int) -> Int64 {
  let steps = (value * stepsPerUnit).rounded()
  guard steps < 9.2e18 else { return .max }
  guard steps > 0 else { return 0 }
  return Int64(steps).saturatingMultiply(Int64(count))
}
