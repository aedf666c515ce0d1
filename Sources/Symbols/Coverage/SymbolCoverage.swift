public import Core

/// The number of an app's binaries in one build, and those of them without symbols.
public struct SymbolCoverage: Sendable, Equatable {
  var release: Release
  /// The number of the app's binaries that occurred in diagnostics.
  var binaries: Int
  /// The binaries without symbols, sorted by name.
  public var missing: [SeenImage]

  /// The number of binaries with symbols.
  var withSymbols: Int { binaries - missing.count }

  /// The coverage of a build in a line: `4.2.0 (1234): 2 of 3 binaries have symbols`.
  public var title: String {
    let name = release.build.isEmpty ? release.version : "\(release.version) (\(release.build))"
    let noun = binaries == 1 ? "binary has" : "binaries have"
    return "\(name.isEmpty ? "unknown build" : name): \(withSymbols) of \(binaries) \(noun) symbols"
  }

  /// The coverage of each build in `images`, in the order in which builds first occur.
  public static func of(_ images: [SeenImage], hasSymbols: (String) -> Bool) -> [Self] {
    var found: [Self] = []
    var indices: [Release: Int] = [:]
    var seen: Set<SeenImage> = []
    for image in images where !image.uuid.isEmpty && seen.insert(image).inserted {
      // A binary with uploaded symbols is the app's, whatever its name.
      guard image.isOwn || hasSymbols(image.uuid) else { continue }
      let index = indices[image.release] ?? found.count
      if index == found.count { found.append(Self(release: image.release, binaries: 0, missing: [])) }
      indices[image.release] = index
      found[index].binaries += 1
      if !hasSymbols(image.uuid) { found[index].missing.append(image) }
    }
    return found.map { coverage in
      var coverage = coverage
      coverage.missing.sort { ($0.name, $0.uuid) < ($1.name, $1.uuid) }
      return coverage
    }
  }
}

/// A binary of one build that occurred in diagnostics.
public struct SeenImage: Sendable, Hashable {
  public var release: Release
  /// The name of the binary, such as `Shop`.
  public var name: String
  /// The build UUID as 32 upper-case hexadecimal digits; empty when unknown.
  public var uuid: String
  /// Whether the binary is the app's. Symbols of system binaries cannot be uploaded.
  var isOwn: Bool

  public init(release: Release, name: String, uuid: String, isOwn: Bool) {
    self.release = release
    self.name = name
    self.uuid = uuid
    self.isOwn = isOwn
  }
}

// The API's answers about symbols. Members are sorted by name.

/// What `plumb symbols list` shows.
public struct StoredSymbolList: APIObject {
  let symbols: [StoredSymbols]
  let limit: Int

  /// `limit`: the bytes that symbols may take on disk.
  public init(_ symbols: [StoredSymbols], limit: Int) { (self.symbols, self.limit) = (symbols, limit) }

  public static let fields = Fields<Self>("SymbolList", "What `plumb symbols list` shows.") {
    Field("bytes", { $0.symbols.reduce(0) { $0 + $1.size } }, "What they take on disk.")
    Field("limit", \.limit, "What they may take: `symbols-limit`.")
    Field.version(1)
    Field("symbols", \.symbols, "By name.")
  }

  public func json() -> [UInt8] { output.encoded() }
}

extension StoredSymbols: APIObject {
  public static let fields = Fields<Self>("StoredSymbols", "Symbols of one binary for one architecture.") {
    Field("arch", \.architecture, "`arm64`")
    Field("name", \.name, "Of the binary; empty when it is not known.")
    Field("size", \.size, "Bytes on disk.")
    Field("trouble", \.trouble, "Why they are not read any more; null when all is well.")
    Field("uploaded", \.uploaded.iso, "When they were stored.", schema: .dateTime)
    Field("used", \.used.iso, "When a name was last looked up in them, to the hour.", schema: .dateTime)
    Field("uuid", { UUIDText.dashed($0.uuid) }, "As `dwarfdump --uuid` prints it.")
  }
}

/// Which binaries of which build of an app have symbols.
public struct AppSymbolCoverage: APIObject {
  let app: String
  let builds: [SymbolCoverage]

  public init(app: String, _ builds: [SymbolCoverage]) { (self.app, self.builds) = (app, builds) }

  public static let fields = Fields<Self>("SymbolCoverage", "Which binaries of which build have symbols.") {
    Field.app(\.app)
    Field("builds", \.builds, "Builds whose diagnostics name binaries.")
    Field.version(1)
  }

  public func json() -> [UInt8] { output.encoded() }
}

extension SymbolCoverage: APIObject {
  public static let fields = Fields<Self>(nil, "A build.") {
    Field("binaries", \.binaries, "The app's own that were named.")
    Field("build", \.release.build, "The build number.")
    Field("missing", \.missing, "Those without.")
    Field("release", \.release.version, "The version.")
    Field("with_symbols", \.withSymbols, "Those of them that have symbols.")
  }
}

extension SeenImage: APIObject {
  public static let fields = Fields<Self>(nil, "A binary.") {
    Field("name", \.name, "Its name.")
    Field("uuid", { UUIDText.dashed($0.uuid) }, "Its UUID.")
  }
}

extension SymbolReceipt: APIObject {
  public static let fields = Fields<Self>("SymbolReceipt", "What became of an upload.") {
    Field("known", \.known, "Those that were there already, byte by byte.")
    Field("refused", \.refused, "Files that could not be taken.")
    Field("replaced", \.replaced, "Those that took the place of other bytes of the same UUID.")
    Field("stored", \.stored, "New ones.")
    Field("without_symbols", \.withoutSymbols, "Executables and libraries without debug information in it.")
  }

  public func json() -> [UInt8] { output.encoded() }
}

extension SymbolReceipt.Refusal: APIObject {
  public static let fields = Fields<Self>(nil, "A file.") {
    Field("name", \.name, "Its name; in a zip its path there.")
    Field("reason", \.reason, "Why not.")
  }
}
