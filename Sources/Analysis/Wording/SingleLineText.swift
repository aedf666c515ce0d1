/// Keeps text from devices on one line: removes control characters, line separators and bidirectional marks.
enum SingleLineText {
  static func text(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isControl(scalar) { scalars.append(scalar) }
    return String(scalars)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || (0x2028...0x202e).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }
}
