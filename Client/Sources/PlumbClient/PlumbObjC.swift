#if canImport(ObjectiveC)
  public import Foundation

  /// The client for Objective-C, as `PLMPlumb`:
  ///
  ///     [PLMPlumb startWithServer:url key:@"KEY" requiringConsent:NO];
  @objc(PLMPlumb)
  public final class PlumbObjC: NSObject {
    /// Starts the client with the default options, like ``Plumb/start(server:key:options:)``.
    @objc @discardableResult
    public static func start(server: URL, key: String, requiringConsent: Bool) -> Bool {
      Plumb.start(server: server, key: key, consent: requiringConsent ? .required : .notRequired)
    }

    /// Stores whether the person agrees, like ``Plumb/setConsent(_:)``.
    @objc @discardableResult
    public static func setConsent(granted: Bool) -> Bool { Plumb.setConsent(granted ? .granted : .refused) }

    /// Replaces the user by a new random one, like ``Plumb/resetUser()``.
    @objc public static func resetUser() { Plumb.resetUser() }
  }
#endif
