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
