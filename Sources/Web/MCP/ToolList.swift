import Core

/// The tools, in the order in which a model would need them.
enum ToolList {
  static let all = [apps, verdict, report, metric, comparison, groups, group, incidents]

  private static let app = Tool.Parameter("app", "The bundle identifier, as list_apps has it.", isRequired: true)
  private static let days = [
    Tool.Parameter("from", "The first day, such as 2026-10-24."), Tool.Parameter("to", "The last day."),
  ]
  private static let environment = Tool.Parameter(
    "environment", "production (the default), testflight, or another that the app sends.")
  private static let parts = [
    Tool.Parameter("os", "Only one system, such as iOS 17.4.1."),
    Tool.Parameter("device_class", "Only one class of devices, such as iPhone 12 and older."),
    Tool.Parameter("device", "Only one model, such as iPhone15,2."),
    Tool.Parameter(
      "where", "Only one value of the app's attribute, such as experiment=new-cart, or region!=DE for all other values."
    ),
    environment,
  ]
  private static func release(_ default: String) -> Tool.Parameter {
    Tool.Parameter("release", "A version (4.2.0) or a build of it (4.2.0 (1234)). \(`default`)")
  }

  private static let partitions = ["by_release", "by_device_class", "by_os", "by_device", "by_label", "by_attribute"]

  private static let apps = Tool(
    name: "list_apps", title: "Apps",
    description:
      "Every app with the verdict on its newest release in use, its sessions and crash-free share. Begin here.",
    paths: ["apps"], parameters: [],
    excerpt: Excerpt(omitted: ["apps.crash_free_trend", "apps.main_release"], limits: ["apps": 200]))

  private static let verdict = Tool(
    name: "get_release_verdict", title: "Verdict on a release",
    description: """
      Whether a release is within its budgets: advice (ship, watch, hold, wait), and each budget with its verdict, value, \
      95 % interval, n and limit, since when it is broken, on which devices, and the same on the release before.
      """,
    paths: ["apps/{app}/judgement"],
    parameters: [app, release("Without it the newest in use is judged; all judges the whole app.")] + days + parts,
    excerpt: Excerpt(
      omitted: [
        "breakages", "judgement.budgets.result.window", "judgement.budgets.result.slice",
        "judgement.budgets.before.window", "judgement.budgets.before.slice", "judgement.budgets.before.budget",
        "judgement.budgets.before.target", "judgement.budgets.before.warn_target",
        "judgement.budgets.device_classes.result.window", "judgement.budgets.device_classes.result.budget",
        "judgement.budgets.device_classes.result.slice", "judgement.budgets.device_classes.result.target",
      ], limits: ["judgement.budgets.device_classes": 5, "releases": 10]))

  private static let report = Tool(
    name: "get_report", title: "Report of an app",
    description: """
      The numbers of an app over 28 days: sessions and users with their crash-free shares, every metric with its \
      percentiles and intervals, why iOS ended the app, releases with their adoption, how fast the error budget is used up. \
      Verdicts are those of get_release_verdict.
      """,
    paths: ["apps/{app}/report"], parameters: [app, release("Without it all of them together.")] + days + parts,
    excerpt: Excerpt(
      omitted: ["judgement", "budgets", "metrics.p10", "metrics.p75", "metrics.estimated", "metrics.n_eff"],
      limits: ["metrics": 80, "releases": 20]))

  private static let metric = Tool(
    name: "get_metric", title: "A metric",
    description: """
      One metric: its statistics, its course over time, and the same by release, class of devices, system, model, value \
      of the app's attribute and label (screen, host or view).
      """,
    paths: ["apps/{app}/metrics/{metric}"],
    parameters: [
      app, Tool.Parameter("metric", "A name of the report's metrics, such as launch.first_draw.", isRequired: true),
      release("Without it all of them together."), Tool.Parameter("label", "Only one screen, host or view."),
    ] + days + parts,
    excerpt: Excerpt(
      omitted: Set(
        ["distribution"]
          + partitions.flatMap { part in
            ["trend", "metric.name", "metric.unit", "metric.kind", "metric.weight"].map { "\(part).\($0)" }
          }),
      limits: [
        "by_release": 10, "by_device_class": 10, "by_os": 10, "by_device": 10, "by_label": 15, "by_attribute": 15,
      ]))

  private static let comparison = Tool(
    name: "compare_releases", title: "Compare two releases or groups",
    description: """
      What is better, worse or unknown in the head release against the base, within classes of devices and days on which \
      both were in use; the worst first. Or two values of the app's attribute, such as an experiment's arms. Metrics whose verdict is not_enough_data tell nothing yet.
      """,
    paths: ["apps/{app}/compare"],
    parameters: [
      app,
      Tool.Parameter(
        "base", "The release to compare with, such as 4.1.0, or a value: experiment=control.", isRequired: true),
      Tool.Parameter("head", "The newer release, or a value: experiment=new-cart.", isRequired: true),
      Tool.Parameter("label", "Only one screen, host or view."),
      release("Only where values of the attribute are compared."),
    ] + days + parts,
    excerpt: Excerpt(
      omitted: ["metrics.raw_difference", "labels.raw_difference", "labels.classes"],
      limits: ["metrics": 40, "labels": 20, "metrics.classes": 8]))

  private static let groups = Tool(
    name: "list_groups", title: "Crashes and hangs",
    description: """
      Crashes, hangs and the like by what caused them, those with the most diagnostics first: title, state, how many, in \
      which share and rate of sessions, since which release. get_group has the stack of one.
      """,
    paths: ["apps/{app}/groups"],
    parameters: [
      app,
      Tool.Parameter(
        "kind",
        "Only crash, hang, cpu_exception, disk_write_exception, launch_failure, memory_exception or error."),
      release("Without it all of them."), Tool.Parameter("limit", "The most to list, 1 to 50 (20).", .integer),
    ] + days + parts, defaults: ["limit": "20"],
    excerpt: Excerpt(omitted: ["groups.days", "groups.user_share", "groups.symbolic"]))

  private static let group = Tool(
    name: "get_group", title: "A crash or hang",
    description: """
      One group: the stack of the thread that crashed (innermost frame first; own marks the app's code), whom it hits, its \
      rate by release, systems, devices. For hangs, CPU use and disk writes also the tree of calls.
      """,
    paths: ["apps/{app}/groups/{group}"],
    parameters: [app, Tool.Parameter("group", "Its id, as list_groups has it.", isRequired: true)] + days + parts,
    excerpt: Excerpt(
      omitted: ["group.days", "group.user_share", "ticket_template"],
      limits: [
        "threads": 1, "threads.frames": 60, "samples": 5, "systems": 10, "devices": 10, "releases": 20,
        "calls.nodes": 80,
      ]))

  private static let incidents = Tool(
    name: "list_incidents", title: "Incidents",
    description:
      "What is broken for certain, with its evidence, and what was in the last weeks; of one app, or of all.",
    paths: ["apps/{app}/alerts", "alerts"],
    parameters: [Tool.Parameter("app", "The bundle identifier; all apps without it.")],
    excerpt: Excerpt(limits: ["open": 30, "past": 15]))
}

/// What a tool shows of an answer of the API: a model that reads it has little room, and pays for all of it.
///
/// Members without a value are left out. Lists and texts are cut; a list that was cut has the number of what is missing
/// beside it, as `metrics_left_out`.
struct Excerpt: Sendable {
  /// The members that are left out, named by their path without places in lists: `judgement.budgets.before`.
  var omitted: Set<String> = []
  /// The most elements of lists, by their path; of others, `mostElements`.
  var limits: [String: Int] = [:]

  private static let mostElements = 50
  private static let longestText = 1_000

  /// The part of a document that is shown.
  func of(_ value: JSONValue) -> JSONOutput { part(value, "") }

  private func part(_ value: JSONValue, _ path: String) -> JSONOutput {
    if let object = value.objectOrNil { return .object(members(object, path)) }
    if let array = value.arrayOrNil {
      return .array(array.prefix(limits[path] ?? Self.mostElements).map { part($0, path) })
    }
    return value.scalar(longestText: Self.longestText)
  }

  private func members(_ object: JSONObject, _ path: String) -> [(String, JSONOutput)] {
    var members: [(String, JSONOutput)] = []
    for (key, value) in object where !value.isNull {
      let name = key.string
      let inner = path.isEmpty ? name : "\(path).\(name)"
      guard !omitted.contains(inner) else { continue }
      members.append((name, part(value, inner)))
      guard let array = value.arrayOrNil else { continue }
      let missing = array.reduce(0) { count, _ in count + 1 } - (limits[inner] ?? Self.mostElements)
      if missing > 0 { members.append((name + "_left_out", .count(missing))) }
    }
    return members
  }
}

extension JSONValue {
  /// The value as output; null for an object or array.
  func scalar(longestText: Int = .max) -> JSONOutput {
    if let text = textOrNil { return .string(Self.cut(text.string, longestText)) }
    if let truth = booleanOrNil { return .bool(truth) }
    if let integer = integerOrNil { return .integer(Int64(integer)) }
    return numberOrNil.map(JSONOutput.number) ?? .null
  }

  private static func cut(_ text: String, _ longest: Int) -> String {
    text.utf8.count <= longest ? text : text.prefix(longest) + "…"
  }
}
