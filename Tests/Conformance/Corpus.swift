import Foundation
import Ingest

/// A payload to try, and how its address says it is to be read.
struct Sample: Sendable {
  let name: String
  let bytes: [UInt8]
  let format: PayloadFormat
  /// Broken on purpose.
  let isGarbage: Bool
}

/// The payloads of a folder: everything in `sentry` is an envelope, everything in `otlp` a request of metrics, logs or traces,
/// by the name of the file; all else is told apart by what it holds.
enum Corpus {
  static func files(in folder: URL) throws -> [Sample] {
    let root = folder.standardizedFileURL.path
    let found = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return try found.sorted().compactMap { name in
      let path = root + "/" + name
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
        let format = format(of: name)
      else { return nil }
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      return Sample(name: name, bytes: bytes, format: format, isGarbage: name.contains("garbage"))
    }
  }

  private static func format(of name: String) -> PayloadFormat? {
    let parts = name.split(separator: "/").map(String.init)
    guard let file = parts.last, !file.hasSuffix(".headers.json"), !file.hasSuffix(".md") else { return nil }
    if parts.contains("sentry") { return file.hasSuffix(".json") ? .sentryStore : .sentryEnvelope }
    guard parts.contains("otlp") else {
      return [".json", ".ips", ".crash"].contains { file.hasSuffix($0) } ? .sniffed : nil
    }
    let encoding: OTLPEncoding = file.hasSuffix(".json") ? .json : .protobuf
    if file.hasPrefix("traces") { return .otlpTraces(encoding) }
    return file.hasPrefix("logs") ? .otlpLogs(encoding) : .otlpMetrics(encoding)
  }
}
