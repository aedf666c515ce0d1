import Testing

@testable import Analysis
@testable import Core

@Suite("Clauses of budgets")
struct BudgetClauseTests {
  private static let start = "p90 screen.load <= 1 s, "

  @Test(
    "a condition on the OS version includes the versions that people mean",
    arguments: [
      ("iOS <17", ["iOS 16.7.2", "iOS 9.3"], ["iOS 17", "iOS 17.0", "iOS 18.1", "iPadOS 16.1", "iOS", "macOS 14.1"]),
      ("iOS <= 17", ["iOS 17.4.1", "iOS 17", "iOS 16.7"], ["iOS 18", "iOS 18.0.1"]),
      ("iOS > 17", ["iOS 18", "iOS 26.1"], ["iOS 17.6.1", "iOS 17", "iOS 16.9"]),
      ("iOS >= 17.2", ["iOS 17.2", "iOS 17.2.1", "iOS 17.10", "iOS 18"], ["iOS 17.1.9", "iOS 17", "iOS 16.9"]),
      ("iOS ≥17.2", ["iOS 17.2"], ["iOS 17.1"]),
      ("iOS 17", ["iOS 17", "iOS 17.0", "iOS 17.4.1"], ["iOS 16.7", "iOS 18", "iOS 170", "iOS 1.7"]),
      ("ios 17.4", ["iOS 17.4", "iOS 17.4.1"], ["iOS 17.40", "iOS 17.5", "iOS 17"]),
      ("iPadOS 17", ["iPadOS 17.1"], ["iOS 17.1", "iPadOS 16"]),
      ("macOS <15", ["macOS 14.6.1"], ["macOS 15.0", "macOS "]),
      ("visionOS 2", ["visionOS 2.0"], ["visionOS 1.3"]),
    ])
  func systems(condition: String, included: [String], excluded: [String]) throws {
    let match = try #require(try budget(Self.start + "on " + condition).systems.first)
    for system in included { #expect(match.matches(system), "\(condition): \(system)") }
    for system in excluded { #expect(!match.matches(system), "\(condition): \(system)") }
  }

  @Test("several `on` clauses combine: devices, and one or more conditions on one OS")
  func combined() throws {
    let found = try budget(Self.start + "on iOS >= 16, on iPhone12,*, on iOS <18")
    #expect(found.device == .pattern("iPhone12,*"))
    #expect(found.systems.map(\.text) == ["iOS >= 16", "iOS <18"])
  }

  @Test("a device can be given by its name, unless the name is also the start of a class")
  func names() throws {
    let third = try #require(try budget(Self.start + "on iphone se (3rd generation)").device)
    #expect(third == .named("iPhone SE (3rd generation)", models: ["iPhone14,6"]))
    #expect(third.matches(model: "iPhone14,6"))
    #expect(!third.matches(model: "iPhone14,5"))
    // Two models are called iPhone X; a name with a comma is quoted.
    #expect(try budget(Self.start + "on iPhone X").device == .named("iPhone X", models: ["iPhone10,3", "iPhone10,6"]))
    let pad = try budget(Self.start + "on \"iPad Pro (12.9-inch, 3rd generation)\"").device
    #expect(pad?.matches(model: "iPad8,7") == true)
    // The class of that name, which holds more than one model.
    #expect(try budget(Self.start + "on iPhone 13").device?.matches(model: "iPhone14,2") == true)
  }

  @Test("labels may have quotation marks")
  func labels() throws {
    #expect(try budget(Self.start + "label CartView").label == "CartView")
    #expect(try budget(Self.start + "label Cart View, over 7 d").label == "Cart View")
    #expect(try budget(Self.start + "label \"Cart, step 2\"").label == "Cart, step 2")
    #expect(try budget("p90 network.request <= 2 s, label api.example.com:443").label == "api.example.com:443")
  }

  @Test("a clause selects the newest releases, by number and adoption")
  func releases() throws {
    #expect(try budget(Self.start + "for last 3 releases").lastReleases == 3)
    #expect(try budget(Self.start + "for last release").lastReleases == 1)
    #expect(try budget(Self.start + "for last 1 release").lastReleases == 1)
    #expect(try budget(Self.start + "with adoption > 10 %").adoptionAbove == 0.1)
    #expect(try budget(Self.start + "with adoption >0.5%").adoptionAbove == 0.005)
    #expect(try budget(Self.start + "with adoption > 0.25").adoptionAbove == 0.25)
    #expect(try budget(Self.start + "with adoption > 0 %").isPerRelease)
    #expect(try !budget(Self.start + "over 7 d").isPerRelease)
    #expect(try budget(Self.start + "over 400 d").days == 400)
  }
}
