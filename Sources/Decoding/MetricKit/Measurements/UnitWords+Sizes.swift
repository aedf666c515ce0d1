// Written by Tests/DecodingTests/Reference/make_unit_words.py. A word that is missing belongs there.

extension UnitWords {
  /// Amounts of data, in bytes. MetricKit's prefixes are decimal.
  static let sizes: [(scale: Double, words: [String])] = [
    (
      1,
      [
        "byte", "bytes", "B", "o", "octet", "octets", "Б", "байт", "字节", "位元組", "バイト", "바이트", "bayt", "byter", "Byte",
        "t", "bæti", "bájt", "bajt", "bajtova", "bajtov", "בייט", "بايت", "بایت", "बाइट", "বাইট", "பை.", "బై", "બાઇટ", "ไบต์",
        "bait", "baiti", "greep", "ბაიტი", "բայթ", "Բ",
      ]
    ),
    (1e3, ["kB", "KB", "ko", "Ko", "kt", "кБ", "КБ", "千字节", "كيلوبايت", "కేబీ", "kilobaiti", "კბაიტი", "կԲ"]),
    (1e6, ["MB", "Mo", "Mt", "МБ", "兆字节", "MБ", "م.ب", "ఎమ్\u{200C}బి", "მეგაბაიტი", "ՄԲ"]),
    (1e9, ["GB", "Go", "Gt", "ГБ", "吉字节", "غ.ب", "జీబీ", "გიგაბაიტი", "ԳԲ"]),
    (1024, ["KiB"]),
    (1_048_576, ["MiB"]),
    (1_073_741_824, ["GiB"]),
  ]
}
