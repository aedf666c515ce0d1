import Analysis
import Core

/// An app's name: its icon, if any, and its title or else its bundle identifier.
struct AppName: Markup {
  var app: String
  var links: Links
  /// Whether to show the bundle identifier beside the title.
  var showsIdentifier = false

  func write(to html: inout HTMLWriter) {
    let identity = links.identities[app]
    if let tag = identity?.iconTag {
      html.leaf(
        "img", .class("app-icon"), Attribute("src", links.icon(of: app, tag: tag)), Attribute("alt", literal: ""),
        Attribute("width", 24), Attribute("height", 24))
    }
    html.write(Name(identity?.title ?? app))
    guard showsIdentifier, identity?.title != nil else { return }
    html.literal(" ")
    html.element("small") { $0.write(Name(app)) }
  }
}

extension Links {
  /// The address of an app's icon. Its tag makes browsers reload a changed icon.
  func icon(of app: String, tag: String) -> String {
    switch style {
    case .served: asset(AppIdentity.iconPath.filled([app], PathEncoding.percent)) + "?v=" + tag
    case .files: asset(AppIdentity.iconPath.filled([app], PathEncoding.file))
    }
  }
}

extension PageContext {
  /// The name of an app, for a title.
  func name(of app: String) -> String { ShortenedName.text(identities[app]?.title ?? app) }
}

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

extension HTMLWriter {
  /// Writes a number for display, with its exact value on hover.
  mutating func number(_ value: Double?, _ unit: MetricUnit, isAtLeast: Bool = false) {
    let text = Quantity.text(value, unit)
    guard let exact = Quantity.exact(value, unit) else { return self.text(text) }
    element("span", .title(exact), text: isAtLeast ? "≥\u{A0}" + text : text)
  }

  /// Writes a number with as many decimals as its interval needs, and its exact value on hover.
  mutating func number(_ estimate: Estimate?, _ unit: MetricUnit) {
    let text = Quantity.text(estimate, unit)
    guard let exact = Quantity.exact(estimate?.value, unit) else { return self.text(text) }
    element("span", .title(exact), text: text)
  }

  /// Writes the interval of a number.
  mutating func interval(_ estimate: Estimate, _ unit: MetricUnit) {
    element("span", .class("ci"), text: Quantity.interval(estimate, unit))
  }

  /// Writes a number with its interval below, into a cell.
  mutating func estimate(_ estimate: Estimate?, _ unit: MetricUnit) {
    number(estimate, unit)
    guard let estimate, estimate.low != nil || estimate.high != nil else { return }
    literal(" ")
    interval(estimate, unit)
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

/// A verdict as a word with a symbol.
struct VerdictBadge: Markup {
  var verdict: Verdict?

  init(_ verdict: Verdict?) { self.verdict = verdict }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("badge", verdict.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
      html.text(" " + verdict.word)
    }
  }
}
