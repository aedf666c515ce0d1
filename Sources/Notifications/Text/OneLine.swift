extension String {
  /// This text as one line that reads the way it is stored: breaks and runs of white space become one space, and
  /// characters that show nothing or turn the order of others around become U+FFFD.
  ///
  /// It works on scalars: `\r\n` is one `Character`, and a combining mark behind a line feed makes one `Character` of
  /// the two.
  var oneLine: String {
    var result = String.UnicodeScalarView()
    var isSpacePending = false
    for scalar in unicodeScalars {
      if scalar.properties.isWhitespace {
        isSpacePending = !result.isEmpty
        continue
      }
      if isSpacePending { result.append(" ") }
      isSpacePending = false
      result.append(scalar.isDeceptive ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Controls, and what only changes how its neighbours are shown: marks of direction (U+202A to U+202E, U+2066 to
  /// U+2069), tags, zero widths. Joiners are left alone, for emoji and several scripts are written with them.
  fileprivate var isDeceptive: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    case .format: value != 0x200C && value != 0x200D
    default: false
    }
  }
}
