import Analysis
import Core

/// A name from code or a sentence with one, such as `EXC_CRASH in Store.load(page:)`. A narrow column wraps it after
/// punctuation, never within a word.
struct CodeName: Markup {
  var text: String

  init(_ text: String) { self.text = text }

  func write(to html: inout HTMLWriter) {
    let isCut = text.unicodeScalars.count > ShortenedName.longest
    let shown = isCut ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(ShortenedName.longest))) + "…" : text
    html.element("bdi", .class("code-name"), .title(isCut ? text : nil)) { html in
      var start = shown.startIndex
      for index in shown.unicodeScalars.indices where Self.isBreak(shown.unicodeScalars[index]) {
        let end = shown.unicodeScalars.index(after: index)
        // Wraps only before a letter, so that no line begins with punctuation.
        guard end < shown.endIndex, shown.unicodeScalars[end].properties.isAlphabetic else { continue }
        html.text(String(shown[start..<end]))
        html.literal("<wbr/>")
        start = end
      }
      html.text(String(shown[start...]))
    }
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", ":", "(", ",", "_", "/", "<": true
    default: false
    }
  }
}

/// The time of a page or its numbers. A static export ignores it when it compares files.
struct TimeElement: Markup {
  var moment: Timestamp

  init(_ moment: Timestamp) { self.moment = moment }

  func write(to html: inout HTMLWriter) {
    html.element("time", .class("made"), Attribute("datetime", moment.iso), text: DateTime.text(moment))
  }
}

/// A time of the data, in UTC. The page's script adds the reader's local time on hover.
struct DateTime: Markup {
  var moment: Timestamp

  init(_ moment: Timestamp) { self.moment = moment }

  func write(to html: inout HTMLWriter) {
    html.element("time", Attribute("datetime", moment.iso), text: Self.text(moment))
  }

  /// `2026-11-20 22:10 UTC`. Without seconds, which no reader compares.
  static func text(_ moment: Timestamp) -> String {
    let iso = moment.iso
    guard iso.utf8.count >= 16 else { return iso }
    return "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC"
  }
}

/// A bar filled to a share, 0 to 1. It illustrates a number beside it.
struct ShareBar: Markup {
  var share: Double?

  init(_ share: Double?) { self.share = share }

  func write(to html: inout HTMLWriter) {
    let filled = share.map { $0.isFinite ? min(1, max(0, $0)) : 0 } ?? 0
    html.element(
      "svg", .class("bar"), Attribute("viewBox", literal: "0 0 100 6"),
      Attribute("preserveAspectRatio", literal: "none"), Attribute("aria-hidden", literal: "true")
    ) { html in
      html.leaf("rect", .class("track"), Attribute("width", 100), Attribute("height", 6))
      html.leaf("rect", .class("fill"), Attribute("width", filled * 100), Attribute("height", 6))
    }
  }
}
