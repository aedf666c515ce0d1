public import Core

/// The app, source, environment, release and device of a report.
public struct RecordOrigin: Sendable, Hashable {
  let app: Int32
  let source: Source
  let environment: String
  /// The report's release; `Release.mixed` if it spans several.
  public let release: Release
  let device: Device
  /// The value of the app's attribute; nil if not sent or if the app has no attribute.
  let attribute: AppAttribute?

  /// Decodes the bytes of `ReportReader.origin`.
  init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBytes) {
    var reader = ByteReader(bytes)
    app = Int32(truncatingIfNeeded: try reader.count())
    guard let source = Source(rawValue: try reader.byte()) else { throw DamagedBytes(offset: 1) }
    self.source = source
    let flags = try reader.byte()
    environment = try reader.string()
    let version = try reader.string()
    let build = try reader.string()
    release = flags & RecordFormat.mixedRelease != 0 ? .mixed : Release(version: version, build: build)
    let model = try reader.string()
    let name = try reader.string()
    let number = try reader.string()
    device = Device(
      model: model, system: OperatingSystem(name: name, version: number, build: try reader.string()))
    guard flags & RecordFormat.attribute != 0 else {
      attribute = nil
      return
    }
    let key = try reader.string()
    guard let stated = AppAttribute(name: key, value: try reader.string()) else {
      throw DamagedBytes(offset: reader.remaining)
    }
    attribute = stated
  }
}
