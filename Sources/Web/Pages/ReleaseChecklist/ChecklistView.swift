import Analysis
import Core
import Storage

/// The checklist page: topics answered by the data, and others to tick by hand.
enum ChecklistView {
  /// The page as UTF-8.
  static func render(_ list: ReleaseChecklist, _ context: PageContext) -> [UInt8] {
    let page = Page.checklist(app: list.app)
    let layout = Layout(
      page: page, title: "Checklist of " + ShortenedName.text(list.app), context: context,
      asOf: list.asOf,
      footer: "Based on all payloads up to no. \(Decimal.grouped(Int(list.digestedThrough))).")
    return layout.render { html in
      html.element("h1") { html in
        html.text("Release checklist")
        guard let release = list.release else { return }
        html.text(": ")
        html.write(Name(release))
      }
      html.element("p", .class("summary"), text: context.budgetError == nil ? sentence(list) : unjudged)
      if let note = list.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(
        FilterBar(
          page: page, window: list.window, slice: Slice(environment: list.environment, release: list.release),
          context: context))
      html.element("ol", .class("checklist")) { html in
        for item in list.items { html.element("li") { $0.write(ChecklistCard(item: item, links: layout.links)) } }
      }
      html.element("p", .class("meta"), text: "Ticks are not stored. Print the page to keep them.")
    }
  }

  private static let unjudged = "Nothing is judged: the budget file has an error. Test each topic on a device."

  private static func sentence(_ list: ReleaseChecklist) -> String {
    let answered = list.items.filter { $0.verdict != nil }
    let bad = answered.count { $0.verdict == .broken }
    let total = list.items.count
    guard !answered.isEmpty else {
      return "None of the \(SentenceWords.number(total)) topics has a verdict yet. Test each on a device."
    }
    let lead =
      "\(SentenceWords.capitalized(SentenceWords.number(answered.count))) of \(SentenceWords.number(total)) topics "
      + (answered.count == 1 ? "has a verdict" : "have a verdict")
    if bad == 0 { return lead + ", and none is broken. Check the boxes by hand." }
    return lead + "; \(SentenceWords.number(bad)) \(bad == 1 ? "is" : "are") broken. Check the boxes by hand."
  }
}

/// The card of one checklist topic: the results of its budgets, then what to test by hand.
struct ChecklistCard: Markup {
  var item: ReleaseChecklist.Item
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section", .class("card", item.verdict.style)) { html in
      html.element("header") { html in
        html.element("h2", text: item.topic.title)
        if let verdict = item.verdict {
          html.write(VerdictBadge(verdict))
        } else {
          html.element("span", .class("badge", "none"), text: "Test by hand")
        }
      }
      if !item.results.isEmpty { html.element("ul", .class("plain")) { results(&$0) } }
      html.element("ul", .class("boxes")) { html in
        for (index, text) in item.topic.boxes.enumerated() {
          let id = "\(item.topic.rawValue)-\(index)"
          html.element("li") { html in
            html.leaf("input", Attribute("type", literal: "checkbox"), Attribute("id", id))
            html.element("label", Attribute("for", id), text: text)
          }
        }
      }
      if let guide = item.topic.guide.flatMap(GuideLibrary.guide) {
        html.element("p", .class("meta")) { html in
          html.element("a", .href(links.href(.guide(guide.family)))) { $0.text("Guide: \(guide.title)") }
        }
      }
    }
  }

  private func results(_ html: inout HTMLWriter) {
    for result in item.results {
      let verdict = Optional(result.verdict)
      html.element("li") { html in
        html.element("span", .class("tone", verdict.style)) { html in
          html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
        }
        html.text(" ")
        if let app = links.origin.app {
          html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) { html in
            html.write(Name(Catalogue.metric(named: result.metric)?.title ?? result.metric))
          }
        }
        html.text(" ")
        html.number(result.estimate, result.unit)
        html.text(", \(verdict.word.lowercased()) (")
        html.write(Name(result.withGoal(BudgetWords.limit(result.budget))))
        html.text(")")
      }
    }
  }
}

extension ReleaseChecklist.Topic {
  /// The topic's name on pages.
  var title: String {
    switch self {
    case .crashes: "Crashes and exits"
    case .launch: "Launch"
    case .responsiveness: "Responsiveness"
    case .scrolling: "Scrolling and drawing"
    case .memory: "Memory"
    case .network: "Network"
    case .slowNetwork: "Slow network"
    case .energy: "Energy"
    case .disk: "Disk"
    case .criticalFlows: "Critical flows"
    }
  }

  /// The name of the topic's guide, such as `launch`; nil without one.
  var guide: String? {
    switch self {
    case .crashes: "crash-free"
    case .launch: "launch"
    case .responsiveness: "hangs"
    case .scrolling: "scrolling"
    case .memory: "memory"
    case .network, .slowNetwork: "network"
    case .energy: "energy"
    case .disk: "disk-writes"
    case .criticalFlows: "screen-load"
    }
  }

  /// Manual checks that data cannot replace, because few devices have the release yet.
  var boxes: [String] {
    switch self {
    case .crashes: ["The largest crash groups of the previous release are fixed or understood."]
    case .launch: ["A cold launch on the oldest phone we support draws its first frame within 2 s (Release build)."]
    case .responsiveness:
      [
        "The app responds at once to every tap in the critical flows.",
        "Time Profiler shows no I/O or decoding on the main thread.",
      ]
    case .scrolling: ["The longest list scrolls without a visible hitch on the oldest phone, with real data."]
    case .memory:
      [
        "Opening and leaving each large screen ten times releases its memory.",
        "The memory graph shows no retain cycles.",
      ]
    case .network: ["No request is sent twice on a cold launch.", "Responses are compressed and cached."]
    case .slowNetwork:
      [
        "Every critical flow works at 3G speed (Network Link Conditioner).",
        "When the connection is lost, the app shows what to do next.",
      ]
    case .energy: ["The energy log shows no location use, polling or timers during ten minutes in the background."]
    case .disk: ["Debug logging is off in the Release build."]
    case .criticalFlows: ["Each critical flow completes within 1 s in an app that is already running."]
    }
  }
}
