public import Core

/// App Store Connect's power and performance metrics: the response of `perfPowerMetrics` for an app or a build. No
/// device sends it, so only `plumb import` reads it.
///
/// Source: developer.apple.com/documentation/appstoreconnectapi/get-v1-apps-_id_-perfpowermetrics
public struct AppStoreConnectDocument: Sendable {
  public private(set) var figures: [AppStoreFigure] = []
  /// The number of points without a version or without a valid number.
  public private(set) var rejected = 0

  /// The most points of a document, several times what Apple stores for an app.
  static let mostFigures = 20_000

  /// Whether bytes look like such a document. No payload has this key.
  public static func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let key = Array(#""productData""#.utf8)
    guard bytes.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{"), bytes.count >= key.count else { return false }
    return bytes.prefix(mostBytesBeforeKey).firstRange(of: key) != nil
  }

  /// The key follows Apple's insights, a few kilobytes.
  private static let mostBytesBeforeKey = 4 << 20

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Reads a document. Throws `JSONError` with the key path of the value that differs from Apple's documentation.
  public init(_ bytes: UnsafeRawBufferPointer) throws {
    self = try JSONParser(maximumDepth: 32).withDocument(bytes) { root throws(JSONError) in
      var document = Self()
      for product in try root.object().required("productData").array() { try document.read(product: product.object()) }
      return document
    }
  }

  private init() {}

  private mutating func read(product: JSONObject) throws(JSONError) {
    let platform = try product["platform"].name
    for element in try product.required("metricCategories").array() {
      let category = try element.object()
      for element in try category.required("metrics").array() {
        let metric = try element.object()
        let place = Place(
          platform: platform, category: try category["identifier"].name, metric: try metric["identifier"].name,
          unit: try metric["unit"]?.object()["displayName"].name ?? "")
        for dataset in try metric.required("datasets").array() { try read(dataset: dataset.object(), place) }
      }
    }
  }

  private struct Place {
    let platform: String
    let category: String
    let metric: String
    let unit: String
  }

  private mutating func read(dataset: JSONObject, _ place: Place) throws(JSONError) {
    let criteria = try dataset.required("filterCriteria").object()
    let device = try criteria["device"].name
    let name = try criteria["deviceMarketingName"].name
    let percentile = try criteria["percentile"].name
    for element in try dataset.required("points").array() {
      let point = try element.object()
      let version = try point["version"].name
      guard let value = point["value"]?.numberOrNil, value >= 0, value <= DecodingLimits.value, !version.isEmpty else {
        rejected += 1
        continue
      }
      guard figures.count < Self.mostFigures else {
        throw element.failure("more than \(Self.mostFigures) points")
      }
      let margin = point["errorMargin"]?.numberOrNil
      figures.append(
        AppStoreFigure(
          AppStoreFigure.Key(
            platform: place.platform, category: place.category, metric: place.metric, device: device,
            percentile: Self.percentiles[percentile] ?? percentile, version: version),
          deviceName: name.isEmpty ? device : name, unit: place.unit, value: value,
          errorMargin: margin.flatMap { $0 >= 0 && $0 <= DecodingLimits.value ? $0 : nil },
          goal: try point["goal"].name))
    }
  }

  private static let percentiles = ["percentile.fifty": "p50", "percentile.ninety": "p90"]
}

extension JSONValue? {
  /// A text, cleaned like a name; empty if null or missing.
  fileprivate var name: String {
    get throws(JSONError) {
      guard let value = self, !value.isNull else { return "" }
      return try value.text().kept
    }
  }
}
