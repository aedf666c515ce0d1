internal import Core

/// Converts an `ExportTraceServiceRequest` into reports. It stores the spans in which OpenTelemetry's Swift
/// instrumentation sends a MetricKit payload, and the hangs, launches and screens of AWS's distribution of the SDK.
/// Others are counted as rejected.
///
/// Source: opentelemetry-swift, Sources/Instrumentation/MetricKit/MetricKitInstrumentation.swift; aws-otel-swift,
/// Sources/AwsOpenTelemetryCore (Hang, AppLaunch, UIKit)
struct OTLPTracesReader {
  let context: DecodingContext
  let quota: DecodingQuota
  /// Reads hangs, and has the reports of all spans.
  private var logs: OTLPLogsReader

  init(context: DecodingContext, parser: JSONParser, quota: DecodingQuota) {
    self.context = context
    self.quota = quota
    logs = OTLPLogsReader(context: context, parser: parser, quota: quota)
  }

  var decoded: Decoded { logs.decoded }

  mutating func read(_ request: OTLPExportTraceServiceRequest) {
    for part in request.resourceSpans {
      // Parts without spans are skipped, because a hostile request can have one in every two bytes.
      guard part.scopeSpans.contains(where: { !$0.spans.isEmpty }) else { continue }
      let resource = OTLPLogResource(part.resource.attributes, context)
      for scope in part.scopeSpans { for span in scope.spans { read(span, of: resource) } }
    }
  }

  private mutating func read(_ span: OTLPSpan, of resource: OTLPLogResource) {
    switch span.name {
    case "MXMetricPayload": readPayload(span, of: resource.origin.overridden(by: span.attributes, context))
    // The diagnostics themselves arrive as log records.
    case "MXDiagnosticPayload": break
    case "device.hang":
      guard let duration = span.milliseconds else { return logs.collection.reject(Self.noDuration(span)) }
      logs.read(hang: span, milliseconds: duration, resource: resource)
    case "AppStart": readDuration(of: span, labelled: span.attributes.text("start.type"), resource)
    case "app.screen.time_to_first_appear":
      readDuration(of: span, labelled: span.attributes.text(OTLPLabel.keys("screen")), resource)
    default:
      logs.collection.reject(
        "only spans of MetricKit, hangs, launches and screens are stored "
          + "(found one named \(OTLPJSON.quoted(span.name.kept)))")
    }
  }

  /// Stores a span's duration as a custom metric under the span's name.
  private mutating func readDuration(of span: OTLPSpan, labelled label: String?, _ resource: OTLPLogResource) {
    guard let duration = span.milliseconds else { return logs.collection.reject(Self.noDuration(span)) }
    do {
      let measurement = try OTLPCustomValue(
        name: span.name, unit: "ms", shape: .level(isWhole: false), value: duration
      ).measurement(label: label ?? "", at: context.instant(nanoseconds: span.startTimeUnixNano), quota)
      try logs.collection.update(resource.origin.overridden(by: span.attributes, context)) {
        $0.measurements.append(measurement)
      }
    } catch let refusal as MetricRefusal {
      logs.collection.reject("\(span.name): \(refusal.message)")
    } catch {
      logs.collection.reject("\(error)")
    }
  }

  private static func noDuration(_ span: OTLPSpan) -> String {
    "\(span.name) needs startTimeUnixNano and a later endTimeUnixNano"
  }

  private mutating func readPayload(_ span: OTLPSpan, of origin: OTLPOrigin) {
    let (day, isAssumed) = day(of: span)
    var measurements: [Measurement] = []
    var rejected = 0
    var keys: Set<String> = []
    for attribute in span.attributes {
      guard let field = OTLPPayloadAttribute(attribute.key), let number = Self.number(attribute.value) else { continue }
      let mapping: MetricMapping
      do throws(MetricRefusal) {
        // A payload has each of its numbers once.
        guard keys.insert(attribute.key).inserted else { throw MetricRefusal("\(attribute.key) occurs twice") }
        mapping = try field.mapping
      } catch {
        rejected += 1
        continue
      }
      let value = number * field.scale * mapping.factor
      guard value.isFinite, value >= 0, value <= DecodingLimits.value else {
        rejected += 1
        continue
      }
      guard quota.take(.measurements), !mapping.isOwn || quota.take(.series) else {
        return logs.collection.reject(DecodingQuota.tooMany(.measurements))
      }
      let isSum = mapping.reference.kind == .counter
      measurements.append(Measurement(mapping.reference, at: .day(day), isSum ? .counter(value) : .samples([value])))
    }
    do throws(DecodingFailure) {
      try logs.collection.update(origin) { report in
        report.isMixedRelease = origin.release == .mixed
        report.measurements += measurements
        report.rejectedSamples = report.rejectedSamples.saturatingAdd(rejected)
        if isAssumed { report.assumedTimes += 1 }
      }
    } catch {
      logs.collection.reject("\(error)")
    }
  }

  private static func number(_ value: OTLPAnyValue) -> Double? {
    switch value.value {
    case .intValue(let number): Double(number)
    case .doubleValue(let number): number
    default: nil
    }
  }

  /// The device's calendar day that a payload covers. The payload begins at that day's midnight, as an instant.
  private func day(of span: OTLPSpan) -> (day: CalendarDay, isAssumed: Bool) {
    var begin = span.attributes.number("metrickit.timestamp_begin").flatMap { TimestampParsing.timestamp($0) }
    if begin == nil, span.startTimeUnixNano > 0 { begin = context.instant(nanoseconds: span.startTimeUnixNano) }
    guard let begin, begin > DiagnosticTime.earliest else { return (context.today, true) }
    let stated = PayloadDay.day(beginning: begin)
    let day = context.clamp(stated)
    return (day, day != stated)
  }
}

extension OTLPSpan {
  /// The span's duration; nil if a time is missing or the end is before the start.
  fileprivate var milliseconds: Double? {
    guard startTimeUnixNano > 0, endTimeUnixNano >= startTimeUnixNano else { return nil }
    return Double(endTimeUnixNano - startTimeUnixNano) / 1e6
  }
}

/// An attribute of the span with a number of a MetricKit payload.
///
/// The instrumentation writes seconds and bytes, and for each histogram only an estimate of its average. Such an
/// average keeps its own name, so that it is not part of a percentile. MetricKit's own averages (suspended memory,
/// luminance) are catalogue metrics.
struct OTLPPayloadAttribute {
  let key: String
  private let unit: String
  /// The factor to the unit in which MetricKit counts.
  let scale: Double

  /// Nil for an attribute that describes the payload, and for other namespaces.
  init?(_ key: String) {
    let parts = key.utf8.prefix(DecodingLimits.metricNameBytes)
      .split(separator: UInt8(ascii: "."), maxSplits: 2).map { String(Substring($0)) }
    guard parts.count == 3, parts[0] == "metrickit", parts[1] != "metadata" else { return nil }
    self.key = key
    unit = key == "metrickit.cpu.cpu_time" ? "s" : Self.units[parts[1]] ?? ""
    // MetricKit counts thousands of instructions, and the instrumentation omits the unit.
    scale = key == "metrickit.cpu.instruction_count" ? 1000 : 1
  }

  private static let units = [
    "app_launch": "s", "app_responsiveness": "s", "app_time": "s", "gpu": "s", "location_activity": "s",
    "network_transfer": "By", "diskio": "By", "memory": "By", "animation": "ms/s",
  ]

  /// The form of the stored value: a sum if it adds up over days, otherwise one sample of the day.
  var mapping: MetricMapping {
    get throws(MetricRefusal) {
      let metric = OTLPMetricNames.catalogued(key).flatMap { Catalogue.metric(named: $0) }
      return try MetricMapping(
        name: key, unit: ClientUnit(ucum: unit), metric?.kind == .counter ? .counter : .level(isWhole: false))
    }
  }
}
