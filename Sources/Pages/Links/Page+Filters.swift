extension Page {
  /// What narrows the numbers of this page.
  var filters: [FilterPart] {
    switch self {
    case .app, .sessions, .exits, .budgets, .groups, .group, .groupFocus: FilterPart.slice
    case .metric: FilterPart.slice + [.label]
    case .release: [.environment]
    case .checklist: [.to, .environment, .release]
    case .dataQuality: FilterPart.window
    case .newest, .compare: FilterPart.window + [.environment]
    case .data(let page, _), .table(let page, _): page.filters
    case .overview, .setup, .diagnostics, .diagnosticBody, .alerts, .guides, .guide, .login, .logout: []
    }
  }

  /// What an address takes along: a page keeps what does not narrow it, for the page after it. The API refuses what it does
  /// not know.
  var keptFilters: [FilterPart] {
    switch self {
    case .data, .table, .diagnosticBody: filters
    default: FilterPart.allCases
    }
  }
}
