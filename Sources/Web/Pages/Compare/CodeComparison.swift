public import Analysis
public import Core
import Storage

/// What changed in the code behind hangs, CPU exceptions and disk writes between the two sides of a comparison.
struct CodeComparison: TableConvertible {
  let app: String
  let base: String
  let head: String
  let window: Window
  let kinds: [CodeChanges]

  static let fields = Fields<Self>("CodeComparison") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("base", \.base)
    Field("head", \.head)
    Field("window", \.window)
    Field("kinds", \.kinds, "Each kind of diagnostics with call trees of both sides.")
  }

  static let table = AnswerTable<Self> { $0.kinds.flatMap(\.named) }
}

extension CodeChanges: APIObject {
  public static let fields = Fields<Self>("CodeChanges", "What changed in the code behind one kind of diagnostics.") {
    Field("kind", \.kind)
    Field(
      "unit", \.flame.unit,
      "`seconds` and `megabytes` are per 1,000 hours in the foreground; `share` is of the side's cost.")
    Field("diagnostics", \.flame.headDiagnostics, "The number of call trees.")
    Field("base_diagnostics", \.flame.baseDiagnostics)
    Field("hours", \.flame.headHours, "Hours in the foreground for which the call trees stand; null if unknown.")
    Field("base_hours", \.flame.baseHours)
    Field("tested", \.flame.tested, "The number of functions with enough data to be tested.")
    Field("changes", \.named, "Largest first.")
  }

  fileprivate var named: [NamedCodeChange] {
    flame.changes.map { NamedCodeChange(diagnostics: kind, change: $0, flame: flame) }
  }
}

/// A change with the names of its functions.
private struct NamedCodeChange: APIObject {
  let diagnostics: DiagnosticKind
  let change: FlameDifference.Change
  let flame: FlameDifference

  private var caller: String? {
    let parent = flame.nodes[change.node].parent
    return parent >= 0 ? flame.nodes[parent].name : nil
  }

  static let fields = Fields<Self>("CodeChange") {
    Field("diagnostics", \.diagnostics)
    Field("kind", \.change.kind)
    Field("function", { $0.flame.nodes[$0.change.node].name })
    Field("binary", { $0.flame.nodes[$0.change.node].binary })
    Field("caller", \.caller, "The function that calls it; null for an outermost function.")
    Field("from", { row in row.change.origin.map { row.flame.nodes[$0].name } }, "Where the cost moved from.")
    Field(
      "callers", { row in row.change.callers.map { row.flame.nodes[$0].name } },
      "The callers that share the change, outermost first.")
    Field("itself", \.change.isOwnCost, "Whether the function itself changed, and not what it calls.")
    Field("unit", \.flame.unit)
    Field("value", \.change.head)
    Field("base", \.change.base)
    Field("difference", \.change.difference.value)
    Field("low", \.change.difference.low)
    Field("high", \.change.difference.high)
    Field("p", \.change.pValue)
  }
}
