import Analysis
import Core
import Storage

/// The page of one group: its numbers, the affected users and devices, and its code.
enum GroupView {
  /// The page as UTF-8. `focus`: the id of the flame graph's node to draw at full width.
  static func render(_ model: GroupDetail, focus: String? = nil, _ context: PageContext) -> [UInt8] {
    let page =
      focus.map { Page.groupFocus(app: model.app, id: model.group.id, node: $0) }
      ?? Page.group(app: model.app, id: model.group.id)
    let layout = Layout(
      page: page, title: "\(ShortenedName.text(model.group.title)) · \(ShortenedName.text(model.app))",
      context: context,
      asOf: model.asOf)
    return layout.render { html in
      html.element("h1") { $0.write(CodeName(model.group.title)) }
      html.element("p", .class("summary")) { html in
        html.write(GroupBadge(status: model.group.status, isNew: GroupWords.isNew(model.group, in: model.window)))
        html.text(" " + sentence(model))
      }
      html.write(FilterBar(page: page, window: model.window, slice: model.slice, context: context))
      html.write(TicketLink(model: model, serverURL: context.serverURL))
      html.element("div", .class("pair")) { html in
        html.write(GroupFacts(model: model, context: context))
        html.write(RateSection(model: model))
      }
      if let causes = model.causes {
        let page = Page.group(app: model.app, id: model.group.id)
        html.write(
          CausesSection(
            app: model.app, [("Reports", causes)], slice: model.slice, target: page, links: layout.links))
      }
      if let code = model.code {
        html.write(
          FlameDifferenceSection(code, focus: focus, links: layout.links) { node in
            node.map { .groupFocus(app: model.app, id: model.group.id, node: $0) }
              ?? .group(app: model.app, id: model.group.id)
          })
      }
      if let flame = model.flame {
        html.write(HottestPath(flame: flame, ofWhole: GroupWords.ofWhole(model.slice)))
        html.write(FlameSection(model: model, flame: flame, focus: focus, links: layout.links))
      }
      html.write(ThreadSection(threads: model.threads, ofWhole: GroupWords.ofWhole(model.slice)))
      html.element("div", .class("pair")) { html in
        html.write(GroupLives(model: model, links: layout.links))
        html.write(
          NoteSection(
            app: model.app, group: model.group, canEdit: context.canEdit && context.linkStyle == .served,
            mountPath: context.mountPath))
      }
      html.element("div", .class("pair")) { html in
        html.write(GroupParts(heading: "By OS version", column: "OS version", parts: model.systems))
        html.write(GroupParts(heading: "By device", column: "Device", parts: model.devices))
      }
      html.write(GroupSamples(model: model, links: layout.links))
    }
  }

  private static func sentence(_ model: GroupDetail) -> String {
    let group = model.group
    let names =
      group.isSymbolic
      ? "" : " Its code is not symbolicated yet. Upload the build’s symbols to merge groups with the same cause."
    return "\(GroupWords.reports(group.diagnostics)) in this period: \(GroupWords.share(group, model.slice))\(names)"
  }
}

/// A table of facts about the group: when, in which releases, and how many users.
struct GroupFacts: Markup {
  var model: GroupDetail
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    let group = model.group
    html.element("section") { html in
      html.element("h2", text: "Impact")
      html.element("dl", .class("facts")) { html in
        fact("Kind", DiagnosticKindWords.title(group.kind), &html)
        if let hangs = group.hangs {
          fact("Class", HangWords.sentence(hangs), &html)
          fact("Reports by class", HangWords.counts(hangs), &html)
        }
        if let owner = group.note?.owner, !owner.isEmpty { fact("Owner", ShortenedName.text(owner), &html) }
        fact("Sessions affected", group.sessions.map(Decimal.grouped) ?? "not sent by clients", &html)
        fact("Users affected", users(group), &html)
        if let cost = group.cost, let releases = model.costs {
          fact(GroupWords.beyond(releases), GroupWords.cost(cost), &html)
          fact("At full adoption", GroupWords.atFullAdoption(cost, model.window), &html)
        }
        fact("First seen", group.firstSeen.iso, &html)
        fact("Last seen", group.lastSeen.iso, &html)
        fact("Introduced in", group.introduced.map { ShortenedName.text($0) } ?? Quantity.unknown, &html)
        html.element("div") { html in
          html.element("dt", text: "Trend")
          html.element("dd") { $0.write(GroupTrend(days: group.days, window: model.window)) }
        }
      }
      html.write(
        GroupDecisionForm(
          app: model.app, group: group, canDecide: context.canEdit && context.linkStyle == .served,
          mountPath: context.mountPath))
    }
  }

  private func fact(_ name: String, _ value: String, _ html: inout HTMLWriter) {
    html.element("div") { html in
      html.element("dt", text: name)
      html.element("dd", text: value)
    }
  }

  private func users(_ group: GroupSummary) -> String {
    guard let users = group.users else { return "not sent by clients" }
    guard group.userShare.estimate.value != nil else { return Decimal.grouped(users) }
    let interval = Quantity.interval(group.userShare.estimate, .ratio)
    return "\(Decimal.grouped(users)), \(Quantity.text(group.userShare.estimate, .ratio)) (\(interval)) of all users"
  }
}

/// A table of the releases in which the group was ever seen.
struct GroupLives: Markup {
  var model: GroupDetail
  var links: Links

  func write(to html: inout HTMLWriter) {
    // Names in parentheses are placeholders, not releases.
    let introduced = model.releases.firstIndex { $0.release.utf8.first != UInt8(ascii: "(") }
    html.element("section") { html in
      html.element("h2", text: "Releases")
      html.write(
        Table.cards(
          "Every release with this group, newest first", of: model.releases.enumerated().reversed(), isShort: true
        ) {
          Column.head("Release") { entry, html in
            html.write(Name(entry.element.release))
            if entry.offset == introduced { html.element("small", text: " introduced") }
            if entry.element.isRegression {
              html.text(" ")
              html.element("span", .class("badge broken"), text: "regressed")
            }
          }
          Column("First seen") { $1.element("span", .class("date"), text: $0.element.firstDay.iso) }
          Column("Last seen") { $1.element("span", .class("date"), text: $0.element.lastDay.iso) }
          Column.count("Reports", \.element.diagnostics)
        })
    }
  }
}

/// A table of a group's diagnostics by the members of a dimension.
struct GroupParts: Markup {
  var heading: String
  var column: String
  var parts: [GroupDetail.Part]

  private static let most = 12

  func write(to html: inout HTMLWriter) {
    guard !parts.isEmpty else { return }
    let total = parts.reduce(0) { $0.saturatingAdd($1.diagnostics) }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table("\(heading) in this period", of: shown) {
          Column.head(column) { part, html in
            html.write(Name(part.title.isEmpty ? "unknown" : part.title))
            guard part.title != part.name else { return }
            html.literal(" ")
            html.element("small") { $0.write(Name(part.name)) }
          }
          Column.count("Reports", \.diagnostics)
          Column.number("Share of reports") { part, html in
            if part.isMoreThanUse {
              html.element("strong", Attribute("title", literal: "more than its use"), text: "▲ ")
            }
            html.text(Quantity.text(Double(part.diagnostics) / Double(max(1, total)), .ratio))
          }
          Column.number("Share of use") { Quantity.text($0.useShare, .ratio) }
        })
    }
  }

  /// The largest parts, and the others together.
  private var shown: [GroupDetail.Part] {
    let others = parts.dropFirst(Self.most)
    guard !others.isEmpty else { return parts }
    let rest = others.reduce(0) { $0.saturatingAdd($1.diagnostics) }
    let uses = others.compactMap(\.useShare)
    return parts.prefix(Self.most)
      + [
        GroupDetail.Part(
          name: "\(others.count) others", diagnostics: rest, useShare: uses.isEmpty ? nil : uses.reduce(0, +))
      ]
  }
}

/// A table of the diagnostics whose bodies are stored.
struct GroupSamples: Markup {
  var model: GroupDetail
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !model.samples.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Full samples")
      html.element(
        "p", .class("meta"),
        text: "Full samples of the newest reports are kept, of the newest reports with the most common stack, and of "
          + "the oldest. Others are only counted." + GroupWords.ofWhole(model.slice))
      let (first, rest) = shown
      html.write(table(first))
      if !rest.isEmpty {
        html.element("details") { html in
          html.element("summary", text: "\(rest.count) more")
          html.write(table(rest))
        }
      }
    }
  }

  /// The maximum number of samples shown at once.
  private static let most = 5

  /// The newest sample, the newest typical one and the oldest are always among those shown first.
  private var shown: (first: [GroupSample], rest: [GroupSample]) {
    let marked = Set([typical, model.samples.first { $0.isOldest }?.diagnostic.number].compactMap { $0 })
    var left = Self.most - marked.count
    let isFirst = model.samples.map { sample in
      if marked.contains(sample.diagnostic.number) { return true }
      left -= 1
      return left >= 0
    }
    let pairs = zip(model.samples, isFirst)
    return (pairs.filter(\.1).map(\.0), pairs.filter { !$0.1 }.map(\.0))
  }

  private var typical: Int64? { model.samples.first { $0.isTypical }?.diagnostic.number }

  private func table(_ samples: [GroupSample]) -> DiagnosticTable {
    var marks: [Int64: String] = [:]
    func mark(_ number: Int64?, _ text: String) {
      if let number { marks[number] = marks[number].map { "\($0), \(text)" } ?? text }
    }
    mark(model.samples.first?.diagnostic.number, "newest")
    mark(typical, "most common stack")
    mark(model.samples.first { $0.isOldest }?.diagnostic.number, "oldest")
    let list = DiagnosticList(app: model.app, kind: nil, diagnostics: samples.map(\.diagnostic), next: nil)
    return DiagnosticTable(list: list, links: links, marks: marks)
  }
}

/// The threads of a sample. The crashed thread is first and open.
struct ThreadSection: Markup {
  var threads: [ThreadText]
  /// A note that the sample ignores the filters; empty without filters.
  var ofWhole = ""

  func write(to html: inout HTMLWriter) {
    guard !threads.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Threads")
      html.element(
        "p", .class("meta"),
        text: "From the newest sample with the most common stack. The app’s own code comes first." + ofWhole)
      if let thread = threads.first { ownCode(thread, &html) }
      for (index, thread) in threads.enumerated() {
        html.element("details", .class("thread"), index == 0 ? .flag("open") : Attribute("open", nil)) { html in
          html.element("summary", text: Self.title(thread))
          html.element("ol", .class("frames")) { html in
            for line in thread.lines { frame(line, &html) }
          }
          if thread.omitted > 0 {
            html.element("p", .class("meta"), text: "\(Decimal.grouped(thread.omitted)) more frames.")
          }
        }
      }
      html.element("details") { html in
        html.element("summary", text: "Copy as text")
        html.element("pre", .class("copy"), text: Self.text(threads))
      }
    }
  }

  /// The app's own frames of the crashed thread, for a stack that also has others.
  private func ownCode(_ thread: ThreadText, _ html: inout HTMLWriter) {
    let own = thread.lines.filter(\.isOwn)
    guard !own.isEmpty, own.count < thread.lines.count else { return }
    html.element("h3", text: "The app’s code")
    html.element("ol", .class("frames")) { html in
      for line in own.prefix(Self.mostOwn) { frame(line, &html) }
    }
  }

  /// The maximum number of the app's frames that are listed on their own: the innermost.
  private static let mostOwn = 8

  private func frame(_ line: ThreadText.Line, _ html: inout HTMLWriter) {
    html.element("li", line.isOwn ? .class("own") : Attribute("class", nil)) { html in
      html.element("code") { $0.write(Name(line.name)) }
      html.text(" ")
      html.element("small") { html in
        html.write(Name(line.binary))
        if !line.source.isEmpty {
          html.text(" ")
          html.write(Name(line.source))
        }
      }
    }
  }

  private static func title(_ thread: ThreadText) -> String {
    thread.isAttributed ? "Thread \(thread.number) (crashed)" : "Thread \(thread.number)"
  }

  /// The threads as plain text, to paste into an issue.
  static func text(_ threads: [ThreadText]) -> String {
    threads.map { thread in
      let lines = thread.lines.enumerated().map { index, line in
        "\(index)  \(ShortenedName.text(line.binary))  \(ShortenedName.text(line.name))"
          + (line.source.isEmpty ? "" : "  (\(ShortenedName.text(line.source)))")
      }
      return ([title(thread) + ":"] + lines).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
