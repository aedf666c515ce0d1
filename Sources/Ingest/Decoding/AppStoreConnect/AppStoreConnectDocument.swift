public import Core
/// A document of App Store Connect's API about performance: the response of `perfPowerMetrics` for an app or a build
/// (`xcodeMetrics`), of `performanceOverviews` (`xcodeOverview`), or of `diagnosticSignatures`. No device sends it, so
/// only `plumb import` reads it.
///
/// Sources: developer.apple.com/documentation/appstoreconnectapi/xcodemetrics, xcodeoverview and diagnosticsignature
public struct AppStoreConnectDocument: Sendable {
  public internal(set) var answer = AppStorePerformance()
  /// The number of points without a version or without a valid number.
  public internal(set) var rejected = 0
  /// The bundle identifier and version of the app that an overview names; empty in other documents.
  public internal(set) var bundleID = ""
  public internal(set) var latestVersion = ""
  /// The goals, insights, populations, signatures, parts and references so far, which are bounded together.
  private var notes = 0

  public var figures: [AppStoreFigure] { answer.figures }

  /// The most points of a document, several times what Apple stores for an app.
  static let mostFigures = 20_000
  /// The most goals, insights and signatures of a document, with what is listed in them.
  static let mostNotes = 20_000

  /// The kinds of documents. No payload has their keys.
  private enum Kind {
    case metrics
    case overview
    case signatures

    init?(_ root: JSONObject) {
      if root["productData"] != nil {
        self = .metrics
      } else if root["categories"] != nil, root["appMetadata"] != nil || root["signatures"] != nil {
        self = .overview
      } else if let data = root["data"]?.arrayOrNil, root["links"] != nil,
        data.isEmpty
          || data.contains(where: { $0.objectOrNil?["type"]?.textOrNil.map { $0 == "diagnosticSignatures" } ?? false })
      {
        self = .signatures
      } else {
        return nil
      }
    }
  }

  /// Whether bytes look like such a document. No payload has these keys.
  public static func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.first(where: { !isSpace($0) }) == UInt8(ascii: "{") else { return false }
    let head = bytes.prefix(mostBytesBeforeKey)
    if contains(#""productData""#, in: head) { return true }
    // The other keys are words that a payload could also have, though not in this place.
    let others: [StaticString] = [#""appMetadata""#, #""topHangPoint""#, #""diagnosticSignatures""#]
    guard others.contains(where: { contains($0, in: head) }) else { return false }
    let kind = try? parser.withDocument(bytes) { root throws(JSONError) in try Kind(root.object()) }
    return kind.flatMap { $0 } != nil
  }

  /// Files of payloads have megabytes: `firstRange(of:)`, which is generic, takes two seconds for one.
  private static func contains(_ key: StaticString, in bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    let key = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    guard bytes.count >= key.count else { return false }
    for start in 0...(bytes.count - key.count) where bytes[start] == key[0] && bytes[start + 1] == key[1] {
      if bytes[start..<start + key.count].elementsEqual(key) { return true }
    }
    return false
  }

  /// The key follows Apple's insights, a few kilobytes.
  private static let mostBytesBeforeKey = 4 << 20
  private static var parser: JSONParser { JSONParser(maximumDepth: 32) }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Reads a document. Throws `JSONError` with the key path of the value that differs from Apple's documentation.
  public init(_ bytes: UnsafeRawBufferPointer) throws {
    self = try Self.parser.withDocument(bytes) { root throws(JSONError) in
      var document = Self()
      let object = try root.object()
      switch Kind(object) {
      case .overview: try document.readOverview(object)
      case .signatures: try document.readSignatures(object)
      case .metrics, nil: try document.readMetrics(object)
      }
      return document
    }
  }

  private init() {}

  /// Counts one more goal, insight or listed value. Throws beyond the limit.
  mutating func count(_ value: JSONValue) throws(JSONError) {
    notes += 1
    guard notes <= Self.mostNotes else {
      throw value.failure("more than \(Self.mostNotes) goals, insights and signatures")
    }
  }

  /// Reads Apple's lists of metrics that became worse or better.
  mutating func readInsights(_ value: JSONValue?) throws(JSONError) {
    guard let value, !value.isNull else { return }
    let lists = try value.object()
    for (kind, list) in [(AppStoreInsight.Kind.regression, lists["regressions"]), (.trendingUp, lists["trendingUp"])] {
      guard let list, !list.isNull else { continue }
      for element in try list.array() {
        try count(element)
        try answer.insights.append(insight(kind, element.object()))
      }
    }
    answer.insightCategories.formUnion(answer.insights.map(\.category))
  }

  private mutating func insight(
    _ kind: AppStoreInsight.Kind, _ object: JSONObject
  ) throws(JSONError) -> AppStoreInsight {
    var populations: [AppStoreInsight.Population] = []
    if let list = object["populations"], !list.isNull {
      for element in try list.array() {
        try count(element)
        let part = try element.object()
        try populations.append(
          AppStoreInsight.Population(
            device: part["device"].name, percentile: Self.percentile(part["percentile"].name),
            delta: part["deltaPercentage"].signedAmount, latest: part["latestVersionValue"].amount,
            reference: part["referenceAverageValue"].amount, summary: part["summaryString"].name))
      }
    }
    return AppStoreInsight(
      kind: kind, category: try object["metricCategory"].name, metric: try object["metric"].name,
      latestVersion: try object["latestVersion"].name, referenceVersions: try versions(object["referenceVersions"]),
      summary: try object["summaryString"].name, maximum: object["maxLatestVersionValue"].amount,
      isHighImpact: object["highImpact"]?.booleanOrNil ?? false, subsystem: try object["subSystemLabel"].name,
      populations: populations)
  }

  /// A list of versions, which Apple documents as one text and also sends as an array.
  private mutating func versions(_ value: JSONValue?) throws(JSONError) -> [String] {
    guard let value, !value.isNull else { return [] }
    guard value.kind == .array else { return [try value.text().kept] }
    var found: [String] = []
    for element in try value.array() {
      try count(element)
      found.append(try element.text().kept)
    }
    return found
  }

  static func percentile(_ name: String) -> String { percentiles[name] ?? name }

  private static let percentiles = ["percentile.fifty": "p50", "percentile.ninety": "p90"]
}

extension JSONValue? {
  /// A text, cleaned like a name; empty if null or missing.
  var name: String {
    get throws(JSONError) {
      guard let value = self, !value.isNull else { return "" }
      return try value.text().kept
    }
  }

  /// A number from 0 up to the largest value; nil for anything else.
  var amount: Double? { signedAmount.flatMap { $0 >= 0 ? $0 : nil } }

  /// A number whose size is at most that of the largest value; nil for anything else.
  var signedAmount: Double? { self?.numberOrNil.flatMap { abs($0) <= DecodingLimits.value ? $0 : nil } }
}
