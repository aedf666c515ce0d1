public import Telemetry

/// How many of a build's own binaries have symbols.
public struct SymbolCoverage: Sendable, Equatable {
  public var release: Release
  /// The binaries of the app's own that crashed or were on a stack.
  public var binaries: Int
  /// Those without symbols, by name.
  public var missing: [SeenImage]

  /// How many have symbols.
  public var withSymbols: Int { binaries - missing.count }

  /// `4.2.0 (1234): 2 of 3 binaries have symbols`
  public var title: String {
    let name = release.build.isEmpty ? release.version : "\(release.version) (\(release.build))"
    let noun = binaries == 1 ? "binary has" : "binaries have"
    return "\(name.isEmpty ? "unknown build" : name): \(withSymbols) of \(binaries) \(noun) symbols"
  }

  /// One for each build of which binaries were seen, in the order of the first.
  public static func of(_ images: [SeenImage], hasSymbols: (String) -> Bool) -> [Self] {
    var found: [Self] = []
    var indices: [Release: Int] = [:]
    var seen: Set<SeenImage> = []
    for image in images where !image.uuid.isEmpty && seen.insert(image).inserted {
      // A binary with uploaded symbols is the app's own, whatever its name.
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

/// A binary that was loaded when something crashed, as reports of one build named it.
public struct SeenImage: Sendable, Hashable {
  public var release: Release
  /// `Shop`
  public var name: String
  /// 32 upper-case hexadecimal digits, or empty.
  public var uuid: String
  /// True for a binary of the app, false for one of the system, whose symbols cannot be uploaded.
  public var isOwn: Bool

  public init(release: Release, name: String, uuid: String, isOwn: Bool) {
    self.release = release
    self.name = name
    self.uuid = uuid
    self.isOwn = isOwn
  }
}
