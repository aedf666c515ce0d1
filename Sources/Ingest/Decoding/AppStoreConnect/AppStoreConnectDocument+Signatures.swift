import Core

extension AppStoreConnectDocument {
  /// Reads a page of `diagnosticSignatures`. Signatures of kinds that Plumb does not know are left out.
  mutating func readSignatures(_ root: JSONObject) throws(JSONError) {
    for element in try root.required("data").array() {
      try count(element)
      let item = try element.object()
      let fields = try item.required("attributes").object()
      guard let kind = AppStoreSignature.Kind(rawValue: try fields["diagnosticType"].name) else { continue }
      var found = AppStoreSignature(
        kind: kind, id: try item["id"].name, signature: try fields["signature"].name, weight: fields["weight"].amount)
      if let value = fields["insight"], !value.isNull {
        let insight = try value.object()
        found.trend = try Self.trend(insight["direction"].name)
        found.references = try references(insight["referenceVersions"])
      }
      answer.signatures.append(found)
      answer.signatureKinds.insert(kind)
    }
  }

  /// Reads the three lists of `xcodeOverview.signatures`.
  mutating func readTopSignatures(_ lists: JSONObject) throws(JSONError) {
    let all: [(AppStoreSignature.Kind, JSONValue?)] = [
      (.hangs, lists["topHangPoint"]), (.launches, lists["topLaunchPoint"]), (.diskWrites, lists["topDiskWritePoint"]),
    ]
    for (kind, list) in all {
      guard let list, !list.isNull else { continue }
      answer.signatureKinds.insert(kind)
      for element in try list.array() {
        try count(element)
        try answer.signatures.append(signature(kind, element.object()))
      }
    }
  }

  private mutating func signature(
    _ kind: AppStoreSignature.Kind, _ object: JSONObject
  ) throws(JSONError) -> AppStoreSignature {
    var found = AppStoreSignature(
      kind: kind, id: try object["signatureId"].name, signature: try object["signature"].name,
      weight: object["weight"].amount, count: object["count"]?.integerOrNil.flatMap { $0 >= 0 ? $0 : nil },
      version: latestVersion, file: try object["sourceFile"].name,
      line: object["lineNumber"]?.integerOrNil.flatMap { $0 > 0 ? $0 : nil },
      trend: Self.trend(try object["trendInfo"].name))
    if let value = object["metricsSummary"], !value.isNull {
      found.references = try references(value.object()["referenceVersions"])
    }
    return found
  }

  private mutating func references(_ value: JSONValue?) throws(JSONError) -> [AppStoreSignature.Reference] {
    guard let value, !value.isNull else { return [] }
    var found: [AppStoreSignature.Reference] = []
    for element in try value.array() {
      try count(element)
      let object = try element.object()
      let version = try object["version"].name
      if let value = object["value"].amount {
        found.append(AppStoreSignature.Reference(version: version, value: value))
      }
    }
    return found
  }

  /// `up` or `down`; empty for Apple's other words, which stand for no trend.
  private static func trend(_ word: String) -> String {
    let word = word.lowercased()
    return word == "up" || word == "down" ? word : ""
  }
}
