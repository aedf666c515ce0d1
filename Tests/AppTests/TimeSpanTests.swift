import Testing

@testable import App

@Test("a time span is a whole number and a unit, from a second to ten years")
func timeSpans() {
  let milliseconds = ["1s": 1000, "5m": 300_000, "2h": 7_200_000, "1d": 86_400_000, "3650d": 315_360_000_000]
  for (text, expected) in milliseconds { #expect(DurationSetting(text)?.milliseconds == Int64(expected), "\(text)") }
  for text in ["", "m", "5", "0m", "-1m", "1.5h", "3651d", "1w", "5 m"] {
    #expect(DurationSetting(text) == nil, "\(text)")
  }
}
