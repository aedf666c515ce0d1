import Core

extension AppStoreConnectDocument {
  /// The metric that a dataset is about.
  private struct Place {
    let platform: String
    let category: String
    let metric: String
    let unit: String
  }

  /// Reads `xcodeMetrics`.
  mutating func readMetrics(_ root: JSONObject) throws(JSONError) {
    try readInsights(root["insights"])
    for product in try root.required("productData").array() {
      let product = try product.object()
      let platform = try product["platform"].name
      for element in try product.required("metricCategories").array() {
        let category = try element.object()
        let name = try category["identifier"].name
        answer.insightCategories.insert(name)
        for element in try category.required("metrics").array() { try read(metric: element.object(), platform, name) }
      }
    }
  }

  /// Reads `xcodeOverview`: a digest of the metrics with Apple's goals, and the heaviest signatures.
  mutating func readOverview(_ root: JSONObject) throws(JSONError) {
    var platform = ""
    if let value = root["appMetadata"], !value.isNull {
      let app = try value.object()
      bundleID = try app["bundleId"].name
      latestVersion = try app["latestVersion"].name
      platform = try app["platform"].name
    }
    try readInsights(root["insights"])
    for element in try root.required("categories").array() {
      let category = try element.object()
      let name = try category["identifier"].name.uppercased()
      guard let sections = category["sections"], !sections.isNull else { continue }
      for element in try sections.array() { try read(metric: element.object(), platform, name) }
    }
    if let value = root["signatures"], !value.isNull { try readTopSignatures(value.object()) }
  }

  private mutating func read(metric: JSONObject, _ platform: String, _ category: String) throws(JSONError) {
    let place = Place(
      platform: platform, category: category, metric: try metric["identifier"].name,
      unit: try metric["unit"]?.object()["displayName"].name ?? "")
    if let goals = metric["goalKeys"], !goals.isNull {
      for element in try goals.array() {
        try count(element)
        let goal = try element.object()
        try answer.goals.append(
          AppStoreGoal(
            platform: platform, category: category, metric: place.metric, name: goal["goalKey"].name,
            low: goal["lowerBound"].amount, high: goal["upperBound"].amount, unit: place.unit))
      }
    }
    for dataset in try metric.required("datasets").array() { try read(dataset: dataset.object(), place) }
  }

  private mutating func read(dataset: JSONObject, _ place: Place) throws(JSONError) {
    let criteria = try dataset.required("filterCriteria").object()
    let device = try criteria["device"].name
    let name = try criteria["deviceMarketingName"].name
    let percentile = Self.percentile(try criteria["percentile"].name)
    if let value = dataset["recommendedMetricGoal"], !value.isNull {
      try count(value)
      let goal = try value.object()
      if let limit = goal["value"].amount {
        try answer.goals.append(
          AppStoreGoal(
            platform: place.platform, category: place.category, metric: place.metric, device: device,
            percentile: percentile, name: AppStoreGoal.recommended, high: limit, unit: place.unit,
            detail: goal["detail"].name))
      }
    }
    for element in try dataset.required("points").array() {
      let point = try element.object()
      let version = try point["version"].name
      guard let value = point["value"].amount, !version.isEmpty else {
        rejected += 1
        continue
      }
      guard answer.figures.count < Self.mostFigures else {
        throw element.failure("more than \(Self.mostFigures) points")
      }
      var figure = AppStoreFigure(
        AppStoreFigure.Key(
          platform: place.platform, category: place.category, metric: place.metric, device: device,
          percentile: percentile, version: version),
        deviceName: name.isEmpty ? device : name, unit: place.unit, value: value,
        errorMargin: point["errorMargin"].amount, goal: try point["goal"].name)
      figure.parts = try parts(point["percentageBreakdown"])
      answer.figures.append(figure)
    }
  }

  /// The shares by subsystem: one object, or an array of objects where there are several.
  private mutating func parts(_ value: JSONValue?) throws(JSONError) -> [AppStoreFigure.Part] {
    guard let value, !value.isNull else { return [] }
    guard value.kind == .array else { return try part(value).map { [$0] } ?? [] }
    var found: [AppStoreFigure.Part] = []
    for element in try value.array() {
      if let part = try part(element) { found.append(part) }
    }
    return found
  }

  private mutating func part(_ value: JSONValue) throws(JSONError) -> AppStoreFigure.Part? {
    try count(value)
    let object = try value.object()
    let label = try object["subSystemLabel"].name
    return object["value"].amount.map { AppStoreFigure.Part(label: label, share: $0) }
  }
}
