/// The size of a drawing and the margins that axes need, in units of its viewBox.
struct ChartFrame {
  var width: Double
  var height: Double
  var left: Double
  var right: Double
  var top: Double
  var bottom: Double

  /// On a card, about as wide as a phone.
  static let card = ChartFrame(width: 320, height: 156, left: 54, right: 10, top: 24, bottom: 20)
  /// One of several side by side.
  static let small = ChartFrame(width: 260, height: 120, left: 52, right: 8, top: 18, bottom: 20)
  /// Across a page on a phone.
  static let narrow = ChartFrame(width: 320, height: 260, left: 52, right: 32, top: 44, bottom: 22)
  /// Across a page on a screen.
  static let wide = ChartFrame(width: 960, height: 310, left: 60, right: 44, top: 44, bottom: 22)

  /// On a screen with a pointer that can rest on something; a phone has none.
  var isWide: Bool { width > 500 }

  var plotLeft: Double { left }
  var plotRight: Double { width - right }
  var plotTop: Double { top }
  var plotBottom: Double { height - bottom }
  var plotWidth: Double { plotRight - plotLeft }
  var plotHeight: Double { plotBottom - plotTop }
}
