import Foundation
import TestSupport

/// Where the programs are that receive.
enum Receivers {
  /// The program of that name beside these tests.
  static func path(_ name: String) -> String { Checkout.path("Tests/NotificationsTests/Receivers/\(name)") }

  /// Alertmanager; nil when it is not installed.
  static let alertmanager = Program.find("prometheus-alertmanager")

  /// The Python that has aiosmtpd; nil when it is not installed.
  static let mailPython = Program.python(with: "aiosmtpd")
}
