/// The guides of this folder, shipped inside the binary: documentation and dashboard read the same texts.
public enum GuideTexts {
  /// Each guide in markdown by the name of its family, in the order people read them.
  public static let all: [(family: String, markdown: String)] = [
    ("crash-free", text(PackageResources.crash_free_md)),
    ("launch", text(PackageResources.launch_md)),
    ("screen-load", text(PackageResources.screen_load_md)),
    ("tap-to-response", text(PackageResources.tap_to_response_md)),
    ("hangs", text(PackageResources.hangs_md)),
    ("scrolling", text(PackageResources.scrolling_md)),
    ("swiftui", text(PackageResources.swiftui_md)),
    ("images", text(PackageResources.images_md)),
    ("memory", text(PackageResources.memory_md)),
    ("network", text(PackageResources.network_md)),
    ("energy", text(PackageResources.energy_md)),
    ("disk-writes", text(PackageResources.disk_writes_md)),
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
