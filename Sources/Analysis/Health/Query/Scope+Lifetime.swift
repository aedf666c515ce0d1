package import Core
package import Storage

extension Scope {
  /// The releases that ever had data in the environment.
  package var knownReleases: [KnownRelease] {
    inventory.releases.filter { $0.environment == slice.environment && $0.release != .mixed }
  }

  /// The scope of one release over its lifetime up to the window's last day, starting at `from` if that is set. Rows by
  /// release are stored for 400 days, so a longer lifetime is cut.
  package func lifetime(of release: ReleaseReport, from: CalendarDay?) -> Scope {
    var slice = slice
    slice.release = release.release.title
    let first = from ?? max(release.firstSeen, window.to - 399)
    return with(window: Window(from: min(first, window.to), to: window.to), slice: slice)
  }

  /// The parts of a window that correspond to the points of a trend.
  package func steps(in window: Window) -> [Window] { window.steps(of: step ?? TrendStep.days(for: window)) }
}

extension Window {
  /// The window, extended into the past to at least the default length of a page.
  package func widened(unless isFixed: Bool) -> Window {
    isFixed || days >= Scope.defaultDays ? self : Window(days: Scope.defaultDays, endingOn: to)
  }
}
