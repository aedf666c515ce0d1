public import Analysis
public import Core

/// The nodes are one flat list, because call trees can be deeper than JSON parsers allow.
extension FlameDifference: APIObject {
  public static let fields = Fields<Self>(
    "FlameDifference", "What functions cost on two sides, and which differences are not chance."
  ) {
    Field(
      "unit", \.unit, "`seconds` and `megabytes` are per 1,000 hours in the foreground; `share` is of the side's cost.")
    Field("diagnostics", \.headDiagnostics)
    Field("base_diagnostics", \.baseDiagnostics)
    Field("hours", \.headHours, "Hours in the foreground for which the call trees stand; null if unknown.")
    Field("base_hours", \.baseHours)
    Field("tested", \.tested, "The number of functions with enough data to be tested.")
    Field("p", \.pValue, "The p-value of the whole graph; null if it was not tested.")
    Field("changes", \.changes, "Largest first.")
    Field("nodes", \.nodes)
  }
}

extension FlameDifference.Node: APIObject {
  public static let fields = Fields<Self>("FlameDifferenceNode") {
    Field("id", \.id)
    Field("caller", \.parent, schema: .integer(from: -1))
    Field("name", \.name)
    Field("binary", \.binary)
    Field("own", \.isOwn)
    Field("value", \.head)
    Field("base", \.base)
    Field("difference", \.difference.value)
    Field("low", \.difference.low, "The lower bound of the difference's 95 % interval.")
    Field("high", \.difference.high)
    Field("p", \.pValue, "The p-value of this function alone; null if it was not tested.")
    Field("changed", \.isColoured, "Whether the difference is not chance, and not merely that of other functions.")
  }
}

extension FlameDifference.Change: APIObject {
  public static let fields = Fields<Self>("FlameChange", "A difference with one origin.") {
    Field("kind", \.kind)
    Field("node", \.node, "The index of the function in `nodes`.", schema: .integer(from: 0))
    Field("callers", \.callers, "The callers that share the change, outermost first.")
    Field("itself", \.isOwnCost, "Whether the function itself changed, and not what it calls.")
    Field("from", \.origin, "The function that the cost moved from.")
    Field("value", \.head)
    Field("base", \.base)
    Field("difference", \.difference.value)
    Field("low", \.difference.low)
    Field("high", \.difference.high)
    Field("share_difference", \.shareDifference, "The difference of the mean share of a diagnostic's cost.")
    Field("p", \.pValue)
  }
}
