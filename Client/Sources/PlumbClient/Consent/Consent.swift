import Foundation

/// A person's decision about the vitals of this installation.
public enum Consent: String, Sendable {
  /// No decision yet. ``PlumbOptions/consent`` defines whether data is sent until there is one.
  case unknown
  /// Data is recorded and sent.
  case granted
  /// Nothing is recorded or sent. Data that waited is deleted.
  case refused
}

/// Whether data may leave the device before a person has decided.
public enum ConsentRequirement: Sendable {
  /// Data is sent unless the person refuses.
  case notRequired
  /// Data waits on the device, within ``QueueLimits``, until the person agrees.
  case required
}

/// The decision, in a file that the next launch reads. An Apple TV may delete the app's files but not its defaults, so the
/// decision is there as well.
struct ConsentStore {
  private(set) var decision: Consent
  private let isRequired: Bool
  private let file: URL

  init(file: URL, requirement: ConsentRequirement) {
    self.file = file
    let kept = ((try? String(contentsOf: file, encoding: .utf8)) ?? Self.inDefaults).flatMap(Consent.init)
    decision = kept ?? .unknown
    // A file that cannot be read may contain a refusal, so nothing is sent until the next decision.
    isRequired = requirement == .required || (kept == nil && FileManager.default.fileExists(atPath: file.path))
  }

  /// Whether data may be recorded on the device.
  var allowsRecording: Bool { decision != .refused }

  /// Whether data may leave the device.
  var allowsSending: Bool { decision == .granted || (decision == .unknown && !isRequired) }

  /// Returns false if the decision cannot be stored. It then holds for this process only.
  mutating func set(_ decision: Consent) -> Bool {
    self.decision = decision
    Self.inDefaults = decision.rawValue
    if (try? Data(decision.rawValue.utf8).write(to: file, options: .atomic)) != nil { return true }
    // An earlier agreement must not outlive a refusal.
    try? FileManager.default.removeItem(at: file)
    return false
  }

  #if os(tvOS)
    private static var inDefaults: String? {
      get { UserDefaults.standard.string(forKey: "plumb-client.consent") }
      set { UserDefaults.standard.set(newValue, forKey: "plumb-client.consent") }
    }
  #else
    private static var inDefaults: String? {
      get { nil }
      set {}
    }
  #endif
}
