public import Foundation

/// One text as each tool packs it: gzip and both sorts of deflate by Python's zlib, zstd by its own command, brotli by
/// its own encoder. Kept as bytes, for the tools are not everywhere.
public enum PackedText {
  /// 1516 bytes.
  public static let plain = (0..<40).map { "A launch took \($0 * 37 % 2000) ms, a hang \($0 * 101 % 5000) ms.\n" }
    .joined()

  public static let gzip = data(
    """
    H4sIAAAAAAACA23UO04DQRCE4ZxT7AEQ6udMd+ijrBxgCbAD4P5YbDJlV7jSH33Vs6ftc/+9ni/bz+32scn29f267dtlv77/f7y9nCDwuRYqSp\
    oZa2NipFHVNXJxFkWtUUiwqHKNUpJEZrZGQwaLstdoymRRjzUqKabkvkYtTSnlwZKBh6D4AfdUBZirKUOPAnR1ZeqpoK6hjD0T2DWVuWeDuw5l\
    8MMAXqcy+TFAXksZ/RSg19amJyoPN8rs5wT7OyqzL8V7P27tqUqwNzdmXwX2Fsbs28De0ph9D7C3Ycy+G+xtGrNXccC3sqLZBH1ra/745eH1C8\
    0C/O/nqjQrGOAuS/84ZvjLOR7pc5YwgYfTv441bODpbAN1hxF8+KDZgBV8Ol0hBFbwcrpCBKzg7ccKf+mErPnsBQAA
    """)

  /// RFC 1950.
  public static let zlib = data(
    """
    eNpt1DtOA0EQhOGcU+wBEOrnTHfoo6wcYAmwA+D+WGwyZVe40h991bOn7XP/vZ4v28/t9rHJ9vX9uu3bZb++/3+8vZwg8LkWKkqaGWtjYqRR1T\
    VycRZFrVFIsKhyjVKSRGa2RkMGi7LXaMpkUY81Kimm5L5GLU0p5cGSgYeg+AH3VAWYqylDjwJ0dWXqqaCuoYw9E9g1lblng7sOZfDDAF6nMvkx\
    QF5LGf0UoNfWpicqDzfK7OcE+zsqsy/Fez9u7alKsDc3Zl8F9hbG7NvA3tKYfQ+wt2HMvhvsbRqzV3HAt7Ki2QR9a2v++OXh9QvNAvzv56o0Kx\
    jgLkv/OGb4yzke6XOWMIGH07+ONWzg6WwDdYcRfPig2YAVfDpdIQRW8HK6QgSs4O3HCn+1TrgX
    """)

  /// RFC 1951: what lies in zlib's wrapper, between its 2 bytes in front and 4 behind.
  public static let rawDeflate = zlib.dropFirst(2).dropLast(4)

  public static let brotli = data(
    """
    G+sFAMSy2XyNunhC5tlXomQVGDBA/3UjySygxZs1a6LmMKQ7CrvozTeMiJ2lLpP1Bz1yv04X19n5/8H5/h/nPp/7916L5xV6uVUEJzpMUJCkhh\
    GjgcCkJbKRpIVCrjYaWzaYxrYudtXoc1r6IuAsb5xkhIri8NNsnsmSQcwsmcTckkUslWxiVckhNkouseP4KfbYraI47Lpv4+Qzh8rijCrElSrF\
    LVWJu6pWEqYaJdFUqyRJDScZ1HSSQy0nJd0PdRJljoeDm5rO1paXi7Xf7ZNgwD1mxOY1
    """)

  public static let zstd = data(
    """
    KLUv/QRo/QYAko8jFKAbOlbfzyP9rnQp5ZYypeiOvat4AEFDQe73mds5r5f35X9PP/dzcv/bvW/t+2nPt/W5WJvPluuuuLiQiXzjMbtfsj21ul\
    U0zbneWVYrpVrnUlp8VCKajpXe11zPtC1OWdbx/hutXLGOCottIpENx+Z8W9NTZesAgWFBOBACCTQUhATBYDjIobB4EBJkEE+oERT19u+go1YH\
    ESQEq1wiTOoDpCmcyEY0Hwo2xBWKCQUP4gTNgYoB/SZwvcn/LxXI3LeSvxlDanTRq+tr5/U2DMU5Ob1LB5MGFgLwq7EFLO8=
    """)

  private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }
}
