import Analysis
import Core
import Storage

/// A wall: a tile for each app, worst first, in type that is legible from three metres. The header `Refresh` reloads
/// the page without a script.
enum WallView {
  /// The maximum number of tiles on a screen of 1920 × 1080. The worst apps are shown, and the number of others.
  static let mostTiles = 12

  static func render(_ wall: WallModel, at page: Page, _ context: PageContext) -> [UInt8] {
    let links = Links(context, from: page)
    let tiles = wall.tiles.enumerated().sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
      .map(\.element)
    var html = HTMLWriter(capacity: 16 * 1024)
    html.literal("<!DOCTYPE html>\n")
    html.element(
      "html", Attribute("lang", literal: "en"), wall.isLight ? .class("wall") : .class("wall", "dark")
    ) { html in
      head(wall, links, context, &html)
      html.element("body") { html in
        html.element("main") { html in
          html.element("h1", .class("unseen"), text: "Apps")
          if tiles.isEmpty { html.element("p", text: "No apps yet.") }
          html.element("ul", .class("tiles", columns(min(tiles.count, mostTiles)))) { html in
            for tile in tiles.prefix(mostTiles) { html.element("li") { $0.write(TileView(tile: tile, links: links)) } }
          }
        }
        html.element("footer") { html in
          if tiles.count > mostTiles { html.text("\(tiles.count - mostTiles) more apps. ") }
          html.text("Data as of ")
          html.write(TimeElement(wall.asOf))
          html.text(". ")
          html.element("a", .href(links.href(.overview)), text: "All pages")
        }
      }
    }
    html.literal("\n")
    return html.bytes
  }

  private static func head(_ wall: WallModel, _ links: Links, _ context: PageContext, _ html: inout HTMLWriter) {
    html.element("head") { html in
      html.literal("<meta charset=\"utf-8\"/>")
      html.literal("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>")
      html.literal("<meta name=\"referrer\" content=\"same-origin\"/>")
      let only = wall.tiles.count == 1 ? wall.tiles.first.map { context.name(of: $0.app) } : nil
      html.element("title", text: "\(only ?? "All apps") · Plumb")
      html.leaf("link", Attribute("rel", literal: "stylesheet"), .href(links.asset(context.stylesheet)))
      html.leaf("link", Attribute("rel", literal: "icon"), .href(links.asset(context.icon)))
    }
  }

  /// The CSS class for the number of columns that makes tiles about as wide as high.
  private static func columns(_ tiles: Int) -> StaticString {
    switch tiles {
    case 0...1: "one"
    case 2...4: "two"
    case 5...9: "three"
    default: "four"
    }
  }
}

/// One app on a wall.
private struct TileView: Markup {
  var tile: WallTile
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("article", .class("tile", tile.judgement.style)) { html in
      html.element("h2") { html in
        html.element("a", .href(links.href(.app(tile.app)))) { $0.write(AppName(app: tile.app, links: links)) }
      }
      html.element("p", .class("judgement")) { html in
        html.element("span", Attribute("aria-hidden", literal: "true"), text: tile.judgement.symbol)
        html.text(" " + tile.judgement.word)
      }
      html.element("p", .class("figure")) { html in
        html.number(tile.crashFree, .ratio)
        html.literal(" ")
        html.element("small", text: "crash-free")
      }
      worst(&html)
      release(&html)
      html.element("p", .class("last")) { html in
        guard let last = tile.lastReceived else { return html.text("No payload yet") }
        html.text("Last payload ")
        html.write(DateTime(last))
      }
    }
  }

  private func worst(_ html: inout HTMLWriter) {
    guard let worst = tile.worst else { return }
    let verdict = Optional(worst.verdict)
    html.element("p", .class("tone", verdict.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
      let title = Catalogue.metric(named: worst.metric)?.title ?? worst.metric
      html.text(" \(ShortenedName.text(title, limit: 32)) ")
      html.element("strong") { $0.number(worst.estimate, worst.unit) }
      html.element("span", .class("unseen"), text: ", " + verdict.word)
    }
  }

  private func release(_ html: inout HTMLWriter) {
    guard let release = tile.release else { return }
    html.element("p") { html in
      html.write(Name(ShortenedName.text(release, limit: 24)))
      if tile.adoption != nil { html.text(" · \(Quantity.share(tile.adoption)) adoption") }
    }
  }
}

/// What a wall shows of one app.
struct WallTile: Sendable {
  var app: String
  /// The judgement in one or two words, with the symbol and the CSS class of its colour.
  var judgement: (word: String, symbol: String, style: StaticString)
  /// The judged release.
  var release: String?
  /// The release's share of the last day's sessions, or of payloads without sessions.
  var adoption: Double?
  var crashFree: Estimate
  /// The worst result of another budget; nil without any.
  var worst: BudgetResult?
  var lastReceived: Timestamp?
  /// The sort order: the worst is 0.
  var severity: Int

  init(_ summary: AppSummary, lastReceived: Timestamp?) {
    app = summary.id
    let judged = summary.status?.judgement
    let verdict = summary.budgetError == nil ? summary.verdict : .warning
    let word = summary.budgetError == nil ? judged?.word ?? verdict.word : "Not judged"
    judgement = (word, verdict.symbol, verdict.style)
    severity = verdict.severity
    release = judged?.release?.release.title
    adoption = judged?.release?.adoption
    crashFree = judged?.crashFree?.result.estimate ?? .unknown
    worst = judged?.results.filter { !$0.metric.contains("crash_free") }
      .min { (Optional($0.verdict).severity, -$0.excess) < (Optional($1.verdict).severity, -$1.excess) }
    self.lastReceived = lastReceived
  }
}

extension BudgetResult {
  /// How many times the limit the value is, or the limit the value where higher is better; 0 if unknown.
  fileprivate var excess: Double {
    guard let value, let target, value > 0, target > 0 else { return 0 }
    return direction == .lower ? value / target : target / value
  }
}
