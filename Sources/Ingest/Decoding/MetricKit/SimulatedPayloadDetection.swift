import Core

/// Recognises the sample payloads of Xcode's "Simulate MetricKit Payloads", which carry the app's own name. All their
/// signposts are Xcode's two test signposts.
enum SimulatedPayloadDetection {
  static func isSimulated(signposts: JSONArray) throws -> Bool {
    if signposts.isEmpty { return false }
    for signpost in signposts where try !isTestSignpost(signpost.object()) { return false }
    return true
  }

  static func isTestSignpost(_ signpost: JSONObject) throws -> Bool {
    guard let name = try signpost["signpostName"]?.text(), let category = try signpost["signpostCategory"]?.text()
    else { return false }
    return (name == "TestSignpostName1" && category == "TestSignpostCategory1")
      || (name == "TestSignpostName2" && category == "TestSignpostCategory2")
  }
}
