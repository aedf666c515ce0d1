public import Telemetry

/// Of how many of a build's own binaries there are symbols.
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
    var places: [Release: Int] = [:]
    var seen: Set<SeenImage> = []
    for image in images where !image.uuid.isEmpty && seen.insert(image).inserted {
      // One of which somebody has symbols is the app's own, whatever it is called.
      guard image.isOwn || hasSymbols(image.uuid) else { continue }
      let place = places[image.release] ?? found.count
      if place == found.count { found.append(Self(release: image.release, binaries: 0, missing: [])) }
      places[image.release] = place
      found[place].binaries += 1
      if !hasSymbols(image.uuid) { found[place].missing.append(image) }
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
  /// It belongs to the app and not to the system: somebody can have its symbols.
  public var isOwn: Bool

  public init(release: Release, name: String, uuid: String, isOwn: Bool) {
    self.release = release
    self.name = name
    self.uuid = uuid
    self.isOwn = isOwn
  }
}
