import Testing

@testable import Core

@Suite("Device classes")
struct DeviceClassTests {
  // Identifiers and chips as Apple's model pages and the device support files of Xcode list them.
  @Test(
    "a device model has its name, chip and class",
    arguments: [
      ("iPhone8,1", "iPhone 6s", "A9", "iPhone 12 and older"),
      ("iPhone12,8", "iPhone SE (2nd generation)", "A13", "iPhone 12 and older"),
      ("iPhone13,1", "iPhone 12 mini", "A14", "iPhone 12 and older"),
      ("iPhone13,4", "iPhone 12 Pro Max", "A14", "iPhone 12 and older"),
      ("iPhone14,5", "iPhone 13", "A15", "iPhone 13"),
      ("iPhone14,6", "iPhone SE (3rd generation)", "A15", "iPhone 13"),
      ("iPhone14,7", "iPhone 14", "A15", "iPhone 14"),
      ("iPhone15,2", "iPhone 14 Pro", "A16", "iPhone 14"),
      ("iPhone15,4", "iPhone 15", "A16", "iPhone 15"),
      ("iPhone16,2", "iPhone 15 Pro Max", "A17", "iPhone 15"),
      ("iPhone17,3", "iPhone 16", "A18", "iPhone 16"),
      ("iPhone17,5", "iPhone 16e", "A18", "iPhone 16"),
      ("iPhone18,3", "iPhone 17", "A19", "iPhone 17"),
      ("iPhone18,4", "iPhone Air", "A19", "iPhone 17"),
      ("iPod9,1", "iPod touch (7th generation)", "A10", "iPhone 12 and older"),
      ("iPad12,1", "iPad (9th generation)", "A13", "iPad A13 and older"),
      ("iPad13,18", "iPad (10th generation)", "A14", "iPad A14 and newer"),
      ("iPad13,4", "iPad Pro (11-inch, 3rd generation)", "M1", "iPad M1"),
      ("iPad16,6", "iPad Pro (13-inch, M4)", "M4", "iPad M4"),
      ("MacBookPro16,1", "MacBook Pro (16-inch, 2019)", "Intel", "Mac Intel"),
      ("MacBookPro18,3", "MacBook Pro (14-inch, M1 Pro)", "M1", "Mac Apple silicon"),
      ("Mac14,2", "MacBook Air (13-inch, M2)", "M2", "Mac Apple silicon"),
    ])
  func known(model: String, name: String, chip: String, deviceClass: String) {
    #expect(DeviceNames.marketingName(of: model) == name)
    #expect(DeviceNames.chip(of: model)?.name == chip)
    #expect(DeviceClass.of(model: model).name == deviceClass)
  }

  @Test(
    "a model newer than the table gets a class if its identifier implies one",
    arguments: [
      ("iPhone18,9", "iPhone 17"), ("iPhone19,1", "iPhone 18"), ("iPhone5,2", "iPhone 12 and older"),
      ("Mac99,1", "Mac Apple silicon"), ("MacBookPro11,5", "Mac Intel"), ("MacPro6,1", "Mac Intel"),
      ("iMac18,3", "Mac Intel"), ("VirtualMac2,1", "Mac Apple silicon"), ("AppleTV14,1", "Apple TV"),
      ("Watch7,5", "Apple Watch"), ("RealityDevice14,1", "Apple Vision"), ("iPad99,1", "other"),
    ])
  func newer(model: String, deviceClass: String) {
    #expect(DeviceNames.marketingName(of: model) == nil)
    #expect(DeviceClass.of(model: model).name == deviceClass)
  }

  @Test("simulators report the architecture of their host", arguments: ["arm64", "x86_64", "i386"])
  func simulator(model: String) {
    #expect(DeviceClass.of(model: model) == .simulator)
  }

  @Test(
    "any other text is in the class other, whatever it contains",
    arguments: [
      "", "iPhone", "iPhone,", "iPhone14", "iPhone14,", "iPhone,4", "14,2", "iPhone14,2,3", "iPhone-1,2",
      "iPhone99999999999999999999,1", "iPhone1,99999999999999999999", "Pixel 8", "iPhone１４,2", "\u{0}", "📱14,2",
    ])
  func others(model: String) {
    #expect(DeviceClass.of(model: model) == .other)
    #expect(DeviceNames.chip(of: model) == nil)
  }

  @Test("names of device classes are stable, because stored rows and budget files contain them")
  func names() {
    #expect(
      DeviceClass.all.map(\.name) == [
        "iPhone 12 and older", "iPhone 13", "iPhone 14", "iPhone 15", "iPhone 16", "iPhone 17", "iPad A13 and older",
        "iPad A14 and newer", "iPad M1", "iPad M2", "iPad M3", "iPad M4", "iPad M5", "Mac Apple silicon", "Mac Intel",
        "Apple TV", "Apple Watch", "Apple Vision", "simulator", "other",
      ])
  }

  @Test("a device class is found by its name in any case, even if newer than the list")
  func byName() {
    for known in DeviceClass.all { #expect(DeviceClass(name: known.name.uppercased()) == known) }
    #expect(DeviceClass(name: "iPhone 18") == DeviceClass.of(model: "iPhone19,1"))
    for wrong in ["iPhone 12", "iPhone 018", "iPhone 100", "iPhone +18", "iPhone ", "", "iPad M9"] {
      #expect(DeviceClass(name: wrong) == nil)
    }
  }

  @Test("the generation in a phone's name is its class, if it has one")
  func generationOfName() throws {
    for major in 8...18 {
      for minor in 1...8 {
        let model = "iPhone\(major),\(minor)"
        guard let name = DeviceNames.marketingName(of: model) else { continue }
        let number = name.dropFirst("iPhone ".count).prefix { $0.isNumber }
        guard let generation = Int(number) else { continue }
        let expected = generation <= 12 ? "iPhone 12 and older" : "iPhone \(generation)"
        #expect(DeviceClass.of(model: model).name == expected, "\(name)")
      }
    }
  }
}
