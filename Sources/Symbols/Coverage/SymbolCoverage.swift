public import Core

/// The number of an app's binaries in one build, and the binaries without symbols.
public struct SymbolCoverage: Sendable, Equatable {
  var release: Release
  /// The number of the app's binaries that occur in diagnostics.
  var binaries: Int
  /// The binaries without symbols, sorted by name.
  public var missing: [SeenImage]

  /// The number of binaries with symbols.
  var withSymbols: Int { binaries - missing.count }

  /// The coverage of a build in one line: `4.2.0 (1234): 2 of 3 binaries have symbols`.
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
      // A binary with uploaded symbols belongs to the app, whatever its name is.
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
  /// Whether the binary belongs to the app.
  var isOwn: Bool

  public init(release: Release, name: String, uuid: String, isOwn: Bool) {
    self.release = release
    self.name = name
    self.uuid = uuid
    self.isOwn = isOwn
  }
}

// The API's objects about symbols. Members are sorted by name.

/// The symbol coverage of all builds of an app.
public struct AppSymbolCoverage: APIObject {
  let app: String
  let builds: [SymbolCoverage]

  public init(app: String, _ builds: [SymbolCoverage]) { (self.app, self.builds) = (app, builds) }

  public static let fields = Fields<Self>("SymbolCoverage", "Which binaries of each build have symbols.") {
    Field.app(\.app)
    Field("builds", \.builds, "The builds with binaries in diagnostics.")
    Field.version(1)
  }

  public func json() -> [UInt8] { output.encoded() }
}

extension SymbolCoverage: APIObject {
  public static let fields = Fields<Self>(nil, "A build.") {
    Field("binaries", \.binaries, "The number of the app's binaries in diagnostics.")
    Field("build", \.release.build, "The build number.")
    Field("missing", \.missing, "The binaries without symbols.")
    Field("release", \.release.version, "The version.")
    Field("with_symbols", \.withSymbols, "The number of binaries with symbols.")
  }
}

extension SeenImage: APIObject {
  public static let fields = Fields<Self>(nil, "A binary.") {
    Field("name", \.name, "The binary's name.")
    Field("uuid", { UUIDText.dashed($0.uuid) }, "Its UUID.")
  }
}
