public import Telemetry

extension Stem {
  /// What of a diagnostic tells its cause.
  public init(_ kind: DiagnosticKind, _ exception: ExceptionFacts, _ calls: CallTree) {
    let cause = calls.isEmpty ? Cause.withoutFrames(kind, exception) : Cause(kind, exception)
    let path = CallPath(cause.isOfMainThread ? Self.mainThread(of: calls) : calls)
    let places = path.frames()
    let found = places.enumerated().filter { path.owns($0.element) }
    // Everything runs below `main`: by itself it says nothing.
    let own = found.contains { !path.isEntry($0.element) } ? found : []
    let chosen = own.isEmpty ? Array(places.enumerated()) : own
    var frames: [Frame] = []
    for (index, (depth, place)) in chosen.prefix(Self.mostFrames).enumerated() {
      let isApart = index > 0 && Self.breaks(between: chosen[index - 1].offset, depth, places, calls)
      frames.append(
        Self.frame(calls, place, isReturn: path.calls(place), isEntry: path.isEntry(place), isApart: isApart))
    }
    // A stack that was cut ends with code of the app: whole ones begin in the system's.
    let isCut = places.last.map { path.owns($0) && !path.isEntry($0) } ?? false
    self.init(
      kind: kind, cause: cause, frames: frames, isOwn: !own.isEmpty,
      isCut: isCut && chosen.count <= Self.mostFrames)
  }

  /// Flags of watchdog reports are unreliable where there are none; the main thread is written first.
  private static func mainThread(of calls: CallTree) -> CallTree {
    if calls.threads.contains(where: { $0.isAttributed && !$0.range.isEmpty }) { return calls }
    var calls = calls
    if !calls.threads.isEmpty { calls.threads[0].isAttributed = true }
    return calls
  }

  /// Whether code of the system that calls back later lies between two frames of the path.
  private static func breaks(between inner: Int, _ outer: Int, _ places: [Int], _ calls: CallTree) -> Bool {
    places[(inner + 1)..<max(inner + 1, outer)].contains { place in
      let binary = calls.frames[place].binary
      return calls.binaries.indices.contains(binary) && !SystemBinaries.callsBack(calls.binaries[binary].name)
    }
  }

  private static func frame(
    _ calls: CallTree, _ place: Int, isReturn: Bool, isEntry: Bool, isApart: Bool
  ) -> Frame {
    let frame = calls.frames[place]
    let binary = calls.binaries.indices.contains(frame.binary) ? calls.binaries[frame.binary] : nil
    return Frame(
      binary: binary?.name ?? "", uuid: binary?.uuid ?? "", offset: frame.offset, isReturn: isReturn,
      function: frame.symbol?.function ?? "", isEntry: isEntry, isApart: isApart)
  }
}
