import Core

/// The tools, in the order in which a model needs them.
enum ToolList {
  static let all = [apps, verdict, report, metric, comparison, groups, group, explanation, incidents]

  private static let app = Tool.Parameter("app", "The bundle identifier, from list_apps.", isRequired: true)
  private static let days = [
    Tool.Parameter("from", "The first day, such as 2026-10-24."), Tool.Parameter("to", "The last day."),
  ]
  private static let environment = Tool.Parameter(
    "environment", "production (the default), testflight, or another environment of the app.")
  private static let parts = [
    Tool.Parameter("os", "Only this OS version, such as iOS 17.4.1."),
    Tool.Parameter("device_class", "Only this device class, such as iPhone 12 and older."),
    Tool.Parameter("device", "Only this model, such as iPhone15,2."),
    Tool.Parameter(
      "where", "Only this value of the app's attribute, such as experiment=new-cart, or region!=DE for all others."
    ),
    environment,
  ]
  private static func release(_ default: String) -> Tool.Parameter {
    Tool.Parameter("release", "A version (4.2.0) or a build (4.2.0 (1234)). \(`default`)")
  }

  private static let partitions = ["by_release", "by_device_class", "by_os", "by_device", "by_label", "by_attribute"]

  private static let apps = Tool(
    name: "list_apps", title: "Apps",
    description:
      "All apps, each with the verdict on its newest release in use, its sessions and crash-free share. Start here.",
    paths: ["apps"], parameters: [],
    excerpt: Excerpt(omitted: ["apps.crash_free_trend", "apps.main_release"], limits: ["apps": 200]))

  private static let verdict = Tool(
    name: "get_release_verdict", title: "Verdict on a release",
    description: """
      Whether a release is within its budgets: advice (ship, watch, hold, wait), and for each budget its verdict, \
      value, 95 % interval, n and limit, when it broke, on which devices, and its result for the previous release.
      """,
    paths: ["apps/{app}/judgement"],
    parameters: [app, release("By default the newest release in use; all for the whole app.")] + days + parts,
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
      The data of an app over 28 days: sessions and users with their crash-free shares, every metric with its \
      percentiles and intervals, why iOS ended the app, releases with their adoption, and burn rates of the error \
      budget. For verdicts, use get_release_verdict.
      """,
    paths: ["apps/{app}/report"], parameters: [app, release("By default all releases together.")] + days + parts,
    excerpt: Excerpt(
      omitted: ["judgement", "budgets", "metrics.p10", "metrics.p75", "metrics.estimated", "metrics.n_eff"],
      limits: ["metrics": 80, "releases": 20]))

  private static let metric = Tool(
    name: "get_metric", title: "A metric",
    description: """
      One metric: its statistics, its trend, and the same by release, device class, OS version, model, value of the \
      app's attribute, and label (screen, host or view).
      """,
    paths: ["apps/{app}/metrics/{metric}"],
    parameters: [
      app, Tool.Parameter("metric", "The name of a metric of the report, such as launch.first_draw.", isRequired: true),
      release("By default all releases together."), Tool.Parameter("label", "Only this screen, host or view."),
    ] + days + parts,
    excerpt: Excerpt(
      omitted: Set(
        ["distribution"]
          + partitions.flatMap { part in
            ["trend", "metric.name", "metric.unit", "metric.kind", "metric.weight"].map { "\(part).\($0)" }
          }),
      limits: [
        "by_release": 10, "by_device_class": 10, "by_os": 10, "by_device": 10, "by_label": 15, "by_attribute": 30,
      ]))

  private static let comparison = Tool(
    name: "compare_releases", title: "Compare two releases or groups",
    description: """
      Whether each metric of the head release is better, worse or unknown compared with the base release, within \
      device classes and days on which both were in use; worst first. Or compares two values of an attribute, \
      such as the arms of an experiment. Metrics with the verdict not_enough_data have no result yet.
      """,
    paths: ["apps/{app}/compare"],
    parameters: [
      app,
      Tool.Parameter(
        "base", "The release to compare with, such as 4.1.0, or a value: experiment=control.", isRequired: true),
      Tool.Parameter("head", "The newer release, or a value: experiment=new-cart.", isRequired: true),
      Tool.Parameter("label", "Only this screen, host or view."),
      release("Only for comparing values of an attribute."),
      Tool.Parameter("split", "The percentage of users that head should have, for comparing values."),
    ] + days + parts,
    excerpt: Excerpt(
      omitted: ["metrics.raw_difference", "labels.raw_difference", "labels.classes"],
      limits: ["metrics": 40, "labels": 20, "metrics.classes": 8]))

  private static let groups = Tool(
    name: "list_groups", title: "Crashes and hangs",
    description: """
      Crashes, hangs and other diagnostics grouped by cause, most diagnostics first: title, state, number, share of \
      sessions, rate, and the release that introduced the group. For its stack, use get_group.
      """,
    paths: ["apps/{app}/groups"],
    parameters: [
      app,
      Tool.Parameter(
        "kind",
        "Only crash, hang, cpu_exception, disk_write_exception, launch_failure, memory_exception or error."),
      release("By default all releases."), Tool.Parameter("limit", "The maximum number, 1 to 50 (20).", .integer),
    ] + days + parts, defaults: ["limit": "20"],
    excerpt: Excerpt(omitted: ["groups.days", "groups.user_share", "groups.symbolic"]))

  private static let group = Tool(
    name: "get_group", title: "A crash or hang",
    description: """
      One group: the stack of the crashed thread (innermost frame first; own marks the app's code), its impact, its \
      rate by release, OS versions and devices. For hangs, CPU use and disk writes also the call tree.
      """,
    paths: ["apps/{app}/groups/{group}"],
    parameters: [app, Tool.Parameter("group", "The id, from list_groups.", isRequired: true)] + days + parts,
    excerpt: Excerpt(
      omitted: ["group.days", "group.user_share", "ticket_template"],
      limits: [
        "threads": 1, "threads.frames": 60, "samples": 5, "systems": 10, "devices": 10, "releases": 20,
        "calls.nodes": 80,
      ]))

  private static let explanation = Tool(
    name: "explain_group", title: "A crash or hang, explained",
    description: """
      Everything about one group as a Markdown document of at most 8,000 tokens: impact, stack with the app's own \
      frames, what changed, releases and devices, samples, and similar groups with their resolution. Text from outside \
      is in fenced blocks.
      """,
    paths: ["apps/{app}/groups/{group}/explain"],
    parameters: [
      app, Tool.Parameter("group", "The id, from list_groups.", isRequired: true),
      Tool.Parameter("tokens", "The most tokens of the document, from 3000 to 8000.", .integer),
    ] + days + parts,
    excerpt: Excerpt(), document: "markdown")

  private static let incidents = Tool(
    name: "list_incidents", title: "Incidents",
    description:
      "Open incidents with their evidence, and past incidents of the last weeks, of one app or of all apps.",
    paths: ["apps/{app}/alerts", "alerts"],
    parameters: [Tool.Parameter("app", "The bundle identifier; by default all apps.")],
    excerpt: Excerpt(limits: ["open": 30, "past": 15]))
}
