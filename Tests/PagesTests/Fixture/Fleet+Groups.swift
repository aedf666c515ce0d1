@testable import Analysis
@testable import Core
@testable import Statistics
@testable import Ingest
@testable import Storage
@testable import Web

extension Fleet {
  /// Crashes, or the one group of hangs.
  static func groupList(_ text: String? = nil, kind: DiagnosticKind = .crash) -> GroupList {
    var noted = summary(text, "3f2a9c01d4e5b678", "EXC_BAD_ACCESS in CartViewController.checkout()", .crash)
    noted.note = note(text)
    let regressed = GroupStatus.regressed(release: text ?? "4.2.0")
    let crashes = [
      noted, summary(text, "00000000000000fd", "EXC_BREAKPOINT in JSONReader.value(for:)", .crash, regressed),
      summary(text, "00000000000000ff", "EXC_CRASH in Shop + 0x1f40", .crash, .resolved(release: text ?? "4.2.1")),
      summary(text, "00000000000000fe", "SIGABRT", .crash, .ignored),
    ]
    let hangs = [summary(text, "0123456789abcdef", "Hang in FeedParser.parse(data:)", .hang, regressed)]
    let groups = kind == .crash ? crashes : hangs
    return GroupList(
      app: text ?? app, window: Window(days: 4, endingOn: lastDay), slice: Slice(environment: text ?? "production"),
      kind: kind,
      kinds: [
        KindTotal(kind: .crash, groups: 4, diagnostics: 68, namesSessions: true),
        KindTotal(kind: .hang, groups: 1, diagnostics: 17, namesSessions: false),
      ], groups: groups, total: groups.count, diagnostics: 17 * groups.count, sessions: 1_987,
      newest: ReleaseRates(
        release: text ?? "4.3.0", sessions: 500,
        rates: ["3f2a9c01d4e5b678": rate, "00000000000000fd": reports, "0123456789abcdef": reports]),
      costs: CostReleases(release: text ?? "4.3.0", base: text ?? "4.2.0"), asOf: asOf)
  }

  static func note(_ text: String? = nil) -> GroupNote {
    GroupNote(
      owner: text.map { "x" + $0 } ?? "Ana",
      text: text.map { "x" + $0 } ?? "Only with an empty cart.\nFix is in review.", author: text ?? "zoe",
      changed: asOf)
  }

  static let rate = GroupRate(
    estimate: Estimate(value: 12, low: 5.5, high: 22.5), counted: .sessions, count: 6, sessions: 500)
  static let reports = GroupRate(estimate: Estimate(value: 4), counted: .diagnostics, count: 2, sessions: 500)

  /// A crash with its threads, or a hang with its graph.
  static func groupPage(_ text: String? = nil, hang: Bool = false) -> GroupDetail {
    let group =
      hang
      ? summary(text, "0123456789abcdef", "Hang in FeedParser.parse(data:)", .hang)
      : summary(text, "3f2a9c01d4e5b678", "EXC_BAD_ACCESS in CartViewController.checkout()", .crash)
    let line = { (name: String, isOwn: Bool) in
      ThreadText.Line(name: text ?? name, binary: text ?? "Shop", isOwn: isOwn, source: (text ?? "Cart.swift") + ":42")
    }
    return GroupDetail(
      app: text ?? app, window: Window(days: 4, endingOn: lastDay), slice: Slice(environment: text ?? "production"),
      group: group,
      costs: CostReleases(release: text ?? "4.3.0", base: text ?? "4.2.0"),
      releases: [
        .init(
          release: (text ?? "4.1.0") + " (1)", firstDay: lastDay - 9, lastDay: lastDay - 4, diagnostics: 2,
          isRegression: false),
        .init(
          release: (text ?? "4.2.0") + " (2)", firstDay: lastDay - 3, lastDay: lastDay, diagnostics: 15,
          isRegression: true),
      ],
      rates: [
        .init(release: (text ?? "4.3.0") + " (3)", rate: hang ? reports : rate),
        .init(
          release: (text ?? "4.2.0") + " (2)",
          rate: GroupRate(
            estimate: Estimate(value: 0, low: 0, high: 0.6), counted: hang ? .diagnostics : .sessions, count: 0,
            sessions: 6_000)),
      ],
      systems: [
        .init(name: text ?? "iOS 26.1", diagnostics: 12, useShare: 0.31, isMoreThanUse: true),
        .init(name: text ?? "iOS 18.6.2", diagnostics: 5, useShare: 0.42),
      ],
      devices: [.init(name: text ?? "iPhone15,2", title: text ?? "iPhone 14 Pro", diagnostics: 17)],
      causes: CauseList(
        metric: "crash", window: Window(days: 28, endingOn: lastDay),
        causes: [
          NamedCause(
            names: [.init(dimension: .os, value: text ?? "iOS 26.1")],
            ratio: RatioInterval(value: 5.3, low: 1.9, high: 15), useShare: 0.31, eventShare: 0.706,
            explained: RatioInterval(value: 0.57, low: 0.33, high: 0.66))
        ], tested: 9),
      samples: diagnostics.diagnostics.enumerated().map { GroupSample($1, isTypical: $0 == 0, isOldest: $0 == 1) },
      threads: hang
        ? []
        : [
          ThreadText(
            number: 3, isAttributed: true, lines: [line("Cart.checkout()", true), line("UIKitCore + 0x40", false)]),
          ThreadText(number: 0, isAttributed: false, lines: [line("main", true)], omitted: 12),
        ], flame: hang ? FlameGraph([tree(text)], NoSymbols()) : nil, asOf: asOf)
  }

  static func impact(_ text: String? = nil) -> TopCrashGroups {
    TopCrashGroups(
      release: text ?? "4.2.0", window: Window(days: 4, endingOn: lastDay), sessions: 1_987, crashFree: share(0.992),
      previous: text ?? "4.1.0", previousCrashFree: share(0.997),
      crashed: 50, basis: .sessions,
      parts: [
        .init(
          group: summary(text, "3f2a9c01d4e5b678", "EXC_BAD_ACCESS in CartViewController.checkout()", .crash),
          share: 0.84,
          without: share(0.9987), isNew: true)
      ], crashedInParts: 42)
  }

  private static func summary(
    _ text: String?, _ id: String, _ title: String, _ kind: DiagnosticKind, _ status: GroupStatus = .open
  ) -> GroupSummary {
    GroupSummary(
      id: id, title: text ?? title, kind: kind, isSymbolic: false, diagnostics: 17, sessions: 17, users: 15,
      share: share(0.0086), shareBasis: kind == .crash ? .sessions : .diagnostics, userShare: share(0.07),
      cost: GroupCost(
        unit: .users, beyondBase: Estimate(value: 12, low: kind == .crash ? 3.2 : -1, high: 20.8),
        atFullAdoption: 1_247.6),
      firstSeen: lastDay - 2, lastSeen: lastDay, introduced: text ?? "4.2.0 (1234)", status: status, days: [5, 2, 6, 4])
  }

  private static func share(_ value: Double) -> RatioEstimate {
    RatioEstimate(
      estimate: Estimate(value: value, low: value * 0.9, high: min(1, value * 1.001)), n: 1_987, nEffective: 1_987,
      basis: .clusters)
  }

  /// `main` called two functions, one of them code of the system.
  private static func tree(_ text: String?) -> CallTree {
    let names = ["main", "FeedViewController.reload()", "FeedParser.parse(data:)", "Theme.resolve()"]
    let callers = [-1, 0, 1, 0]
    let samples = [100, 80, 70, 15]
    var tree = CallTree(binaries: [
      .init(name: text ?? "Shop", uuid: ""), .init(name: "libsystem_kernel.dylib", uuid: ""),
    ])
    for index in names.indices {
      tree.frames.append(
        .init(
          caller: callers[index], binary: 0, offset: UInt64(index), samples: samples[index],
          symbol: .init(function: (text ?? "") + names[index])))
    }
    tree.frames.append(.init(caller: 2, binary: 1, offset: 64, samples: 30))
    tree.threads = [.init(range: tree.frames.indices, isAttributed: true)]
    return tree
  }
}
