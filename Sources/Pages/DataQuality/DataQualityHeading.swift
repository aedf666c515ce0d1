import HTML
import Health
import Storage
import Telemetry
import Wording

/// The answer in one sentence, and the days it is about.
struct DataQualityHeading: Markup {
  var quality: DataQuality
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("h1") { html in
      html.text("Data quality of ")
      html.write(Name(quality.app))
    }
    html.element("p", .class("summary"), text: sentence)
    html.element("ul", .class("slice")) { html in
      html.element("li", text: "received \(quality.window.from.iso) to \(quality.window.to.iso)")
      if let last = quality.lastReceived { html.element("li", text: "last payload \(last.iso)") }
      html.write(DataLinks(page: .dataQuality(app: quality.app), links: links))
      html.write(IdleFilters(page: .dataQuality(app: quality.app), filter: links.filter))
    }
  }

  private var sentence: String {
    guard quality.received > 0 else { return "Nothing was received in these days." }
    let received = "\(Decimal.grouped(quality.received)) received, \(Decimal.grouped(quality.accepted)) counted"
    let rejected = quality.total(.rejected) + quality.total(.limited)
    return rejected == 0
      ? received + ". Nothing was rejected." : received + ", \(Decimal.grouped(rejected)) rejected or refused."
  }
}
