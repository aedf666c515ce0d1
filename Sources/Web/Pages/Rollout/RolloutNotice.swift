import Analysis
import Core
import Storage

/// The verdict on a rollout in one line, with what the release will cost and a link to its page.
struct RolloutNotice: Markup {
  var report: RolloutReport
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("p") { html in
      html.element("a", .href(links.href(.rollout(app: report.app, release: report.release)))) { html in
        html.text("Rollout of ")
        html.write(Name(report.release))
      }
      html.text(" ")
      html.write(RolloutBadge(report))
      html.text(" ")
      html.element("bdi", text: report.sentence)
      if let forecast = report.forecast {
        html.text(" ")
        html.element("bdi", text: forecast.sentence)
      }
    }
  }
}

extension AppStatus {
  /// The newest release, judged or waiting, if it is young and there is an older one to compare it with.
  var releaseInRollout: Release? {
    let named = releases.map(\.release).filter(\.isNamed)
    guard let newest = judgement.waiting.first ?? judgement.release, newest.stage != .replaced,
      newest.release.versionTitle == named.first?.versionTitle,
      named.contains(where: { $0.versionTitle != newest.release.versionTitle }),
      asOf.day().number - newest.firstSeen.number <= Self.daysOfRollout
    else { return nil }
    return newest.release
  }

  /// The age in days up to which a release counts as being rolled out: twice the days of a phased release.
  private static let daysOfRollout = 14
}
