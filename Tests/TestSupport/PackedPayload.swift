public import Foundation

/// Native documents with one session each, whose id tells the tool, packed by that tool.
public struct PackedPayload: Sendable {
  /// Values of Content-Encoding that say how it is packed.
  public var names: [String]
  public var data: Data

  public static let all = [gzip, zlib, rawDeflate, brotli, zstd]

  /// By Python's gzip.
  public static let gzip = PackedPayload(
    ["gzip", "GZIP", "x-gzip", " X-Gzip "],
    """
    H4sIAAAAAAACAx2LWQqAIBCG7/I/h0T05FUiwnIowWVoLCLx7i2v31JgmKEL5iNaT5Oz0FhSUHSZwJ6UbInR4KRdXIqv7FWnWtQGQvIhgR4K\
    /m+93ddKNvl4MehymSzqWB+WmbR5ZwAAAA==
    """)

  /// By Python's zlib.
  public static let zlib = PackedPayload(
    ["deflate", "Deflate"],
    """
    eNodi00KgCAQRu/yrUMiWnmViLAcaMBSGg1JvHvW9v0UmBCgC9Z0WkcLW2hs/lCUzREcKdl9QIebLmF/NjmqQfWoHYTkQwI9Ffzf43htrUQT\
    U8OgzJEs6lxfAE4iZQ==
    """)

  /// By Python's zlib without its wrapper.
  public static let rawDeflate = PackedPayload(
    ["deflate"],
    """
    HYtNCoAgEEbv8q1jiGjlVSLCciDBUhotQbx71vb9FOgQoArWdBrHizVQ2PxBnPURHJPsPqDDzZdYfzY50kA9agdh+ZBATQX/d+mnpRJ1TI2C\
    s41sUOf6Ag==
    """)

  /// By brotli's own encoder.
  public static let brotli = PackedPayload(
    ["br", "BR"],
    """
    G2QAAASizU37zc8j0fTTGhGaDkGV9DqJsAEH7oEv8gC07oPH8Lj2KUr8g1grNkj9zXc5roxxfo+ujVYUQurCWHXRwBS8uByObQNvST+Ct9g6\
    8H8rmblP
    """)

  /// By the command `zstd -19`.
  public static let zstd = PackedPayload(
    ["zstd", "identity, ZStd"],
    """
    KLUv/QRotQIA4sUSEZB9QAZKLuZDHv8ffTJ1/ZcS/fRn7T7dvrzFN1374Nm1+7kpb22zD/qLMAL58nI+W1t+8HQ6GxqkMekW4lxfnj3UIJNY\
    PS9PaXoeAgBbSXELJhTOGTYz
    """)

  /// By gzip, then in zlib's wrapper.
  public static let gzipThenDeflate = PackedPayload(
    [],
    """
    eJyT7+ZgAAEmZtluX64GBQG395/WOitFVU7tMJD12CAjpe24p/rat78iEmkvmr5axSw4ap1xY4f2qbTnDl7bTrwouKxpJ+fblxVgm8Wu+HOC\
    gz/r/+ly+SuPTvLZJcWeOv/EwnNfWX39JPwzgFYAAIWKKvo=
    """
  ).data

  /// 12 MiB of spaces, by the command `zstd`: no document at all.
  public static let spaces = PackedPayload(
    [],
    """
    KLUv/QRYVAAAECAgAQD7/znAAgIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIA\
    ECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQ\
    IAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAg\
    AgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIEQAAAABAP3/zQsQAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIA\
    ECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAgAQIAIAECACABAgAwAQ\
    IGz1z24=
    """
  ).data

  private init(_ names: [String], _ base64: String) {
    self.names = names
    data = Data(base64Encoded: base64) ?? Data()
  }
}
