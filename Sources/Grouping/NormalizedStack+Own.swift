import Telemetry

extension NormalizedStack {
  /// The frames that tell its cause, by what is known of their binaries now.
  struct Decisive {
    var frames: [Frame]
    /// They are the app's own.
    var isOwn: Bool
    /// The outermost frame that was kept is one of them.
    var holdsLast: Bool
  }

  /// The app's own frames; those of binaries without a name where there are none; else all, which are the system's.
  ///
  /// `own`: names of binaries that the team calls its own. `hasSymbols`: whether there are symbols for a UUID.
  func decisive(_ own: Set<String>, _ hasSymbols: (String) -> Bool) -> Decisive {
    let isKnown = frames.map { frame in
      frame.isOwn(own) || (!frame.uuid.isEmpty && hasSymbols(frame.uuid))
    }
    if frames.indices.contains(where: { isKnown[$0] && !frames[$0].isEntry }) { return decisive(isKnown) }
    let isUnnamed = frames.indices.map { isKnown[$0] || frames[$0].owner == .unnamed }
    if frames.indices.contains(where: { isUnnamed[$0] && !frames[$0].isEntry }) { return decisive(isUnnamed) }
    return Decisive(frames: frames, isOwn: isOwn && frames.contains { $0.owner != .system }, holdsLast: true)
  }

  private func decisive(_ isChosen: [Bool]) -> Decisive {
    var chosen: [Frame] = []
    var isApart = false
    for (frame, isOwn) in zip(frames, isChosen) {
      isApart = isApart || frame.isApart
      guard isOwn else {
        isApart = isApart || !SystemBinaries.callsBack(frame.binary)
        continue
      }
      var frame = frame
      frame.isApart = isApart && !chosen.isEmpty
      chosen.append(frame)
      isApart = false
    }
    return Decisive(frames: chosen, isOwn: true, holdsLast: isChosen.last ?? true)
  }

  /// How many of its frames are known to be the app's own, among them those of binaries called `own`. It grows when symbols
  /// say so.
  public func ownFrames(_ own: Set<String> = []) -> Int { frames.count { $0.isOwn(own) } }
}

extension NormalizedStack.Frame {
  fileprivate func isOwn(_ own: Set<String>) -> Bool { owner == .app || hadSymbols || own.contains(binary) }
}
