import Analysis
import Core

/// A line with a link to the rollout of the newest release while that release is young. It computes no evidence.
struct RolloutNotice: Markup {
  var status: AppStatus
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let release = status.releaseInRollout else { return }
    html.element("p") { html in
      html.element("a", .href(links.href(.rollout(app: status.app, release: release.title)))) { html in
        html.write(Name(release.title))
        html.text(" is being rolled out: see whether it may continue")
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
