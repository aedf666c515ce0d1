public import Core

extension AppStoreFigure: APIObject {
  public static let fields = Fields<Self>(
    "AppStoreFigure",
    "A figure from App Store Connect, in Apple's unit: one percentile for one version on one kind of device."
  ) {
    Field("platform", \.key.platform)
    Field("category", \.key.category, "Apple's category, such as LAUNCH.")
    Field("metric", \.key.metric, "Apple's identifier, such as launchTime.")
    Field("device", \.key.device)
    Field("device_name", \.deviceName)
    Field("percentile", \.key.percentile, "p50 or p90.")
    Field("version", \.key.version)
    Field("unit", \.unit)
    Field("value", \.value)
    Field("error_margin", \.errorMargin)
    Field("goal", { $0.goal.isEmpty ? nil : $0.goal }, "Apple's rating: good, fair or poor.")
    Field("parts", \.parts, "By subsystem; empty if Apple gives no shares.")
  }
}

extension AppStoreFigure.Part: APIObject {
  public static let fields = Fields<Self>("AppStorePart", "The share of a subsystem, in percent.") {
    Field("label", \.label)
    Field("share", \.share)
  }
}

extension AppStoreGoal: APIObject {
  public static let fields = Fields<Self>(
    "AppStoreGoal", "A goal of Apple's in Apple's unit, or the bounds of a class of values such as good."
  ) {
    Field("platform", \.platform)
    Field("category", \.category)
    Field("metric", \.metric)
    Field("device", { $0.device.isEmpty ? nil : $0.device }, "Null for all devices.")
    Field("percentile", { $0.percentile.isEmpty ? nil : $0.percentile }, "Null for all percentiles.")
    Field("name", \.name, "recommended, or the class: good, fair or poor.")
    Field("low", \.low)
    Field("high", \.high)
    Field("unit", \.unit)
    Field("detail", \.detail)
    Field("imported", { $0.imported.map { Timestamp(milliseconds: $0) } })
  }
}

extension AppStoreInsight: APIObject {
  public static let fields = Fields<Self>("AppStoreInsight", "Apple's remark on a metric, in Apple's unit.") {
    Field("kind", \.kind.rawValue, "regression or trending_up.")
    Field("category", \.category)
    Field("metric", \.metric)
    Field("latest_version", \.latestVersion)
    Field("reference_versions", \.referenceVersions)
    Field("summary", \.summary)
    Field("maximum", \.maximum, "The largest value of the latest version.")
    Field("high_impact", \.isHighImpact)
    Field("subsystem", \.subsystem)
    Field("populations", \.populations)
  }
}

extension AppStoreInsight.Population: APIObject {
  public static let fields = Fields<Self>("AppStorePopulation", "The change on one kind of device.") {
    Field("device", \.device)
    Field("percentile", \.percentile)
    Field("delta_percent", \.delta)
    Field("latest", \.latest)
    Field("reference", \.reference)
    Field("summary", \.summary)
  }
}

extension AppStoreSignature: APIObject {
  public static let fields = Fields<Self>(
    "AppStoreSignature", "A function that Apple found in many diagnostics of one kind."
  ) {
    Field("kind", \.kind.rawValue, "HANGS, LAUNCHES or DISK_WRITES.")
    Field("id", \.id)
    Field("signature", \.signature)
    Field("weight", \.weight, "The share of the diagnostics of this kind, in percent.")
    Field("count", \.count)
    Field("version", \.version)
    Field("file", \.file)
    Field("line", \.line)
    Field("trend", \.trend, "up, down or empty.")
    Field("references", \.references)
  }
}

extension AppStoreSignature.Reference: APIObject {
  public static let fields = Fields<Self>("AppStoreReference", "Apple's value of an earlier version.") {
    Field("version", \.version)
    Field("value", \.value)
  }
}
