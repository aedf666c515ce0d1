public import Core

/// The app, source, environment, release and device of a report.
public struct ReportContext: Sendable, Hashable {
  let app: Int32
  let source: Source
  let environment: String
  /// The report's release; `Release.mixed` if it spans several.
  public let release: Release
  let device: Device
  /// The values of the app's attributes that were sent, sorted by name, at most one of each name.
  let attributes: [AppAttribute]

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
    attributes = try Self.attributes(flags, &reader)
  }

  private static func attributes(_ flags: UInt8, _ reader: inout ByteReader) throws(DamagedBytes) -> [AppAttribute] {
    var count = flags & RecordFormat.attribute != 0 ? 1 : 0
    if flags & RecordFormat.attributes != 0 {
      count = try reader.count()
      guard (2...AppAttribute.mostOfApp).contains(count) else { throw DamagedBytes(offset: reader.remaining) }
    }
    var attributes: [AppAttribute] = []
    for _ in 0..<count {
      let name = try reader.string()
      guard let stated = AppAttribute(name: name, value: try reader.string()),
        attributes.last.map({ $0.name < stated.name }) ?? true
      else { throw DamagedBytes(offset: reader.remaining) }
      attributes.append(stated)
    }
    return attributes
  }
}
