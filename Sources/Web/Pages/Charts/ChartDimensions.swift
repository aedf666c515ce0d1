/// The size of a drawing and the margins that axes need, in units of its viewBox.
struct ChartDimensions {
  var width: Double
  var height: Double
  var left: Double
  var right: Double
  var top: Double
  var bottom: Double

  /// A chart on a card, about as wide as a phone.
  static let card = ChartDimensions(width: 320, height: 156, left: 54, right: 10, top: 24, bottom: 20)
  /// A chart on a card with names at the ends of its lines.
  static let namedCard = ChartDimensions(width: 320, height: 156, left: 54, right: 40, top: 24, bottom: 20)
  /// One of several small charts side by side.
  static let small = ChartDimensions(width: 260, height: 120, left: 52, right: 8, top: 18, bottom: 20)
  /// A chart as wide as a page on a phone.
  static let narrow = ChartDimensions(width: 320, height: 260, left: 52, right: 32, top: 44, bottom: 22)
  /// A chart as wide as a page on a computer screen.
  static let wide = ChartDimensions(width: 960, height: 310, left: 60, right: 44, top: 44, bottom: 22)

  /// The frame with margins that hold the labels of the vertical axis, and names at the ends of lines.
  func fitting(_ labels: [String], names: [String] = []) -> ChartDimensions {
    var frame = self
    frame.left = max(left, 8 + (labels.map(Label.width).max() ?? 0))
    frame.right = max(right, names.isEmpty ? 0 : 6 + (names.map(Label.width).max() ?? 0))
    return frame
  }

  /// Whether the chart is for a screen with a pointer, so that it supports hovering.
  var isWide: Bool { width > 500 }

  var plotLeft: Double { left }
  var plotRight: Double { width - right }
  var plotTop: Double { top }
  var plotBottom: Double { height - bottom }
  var plotWidth: Double { plotRight - plotLeft }
  var plotHeight: Double { plotBottom - plotTop }
}
