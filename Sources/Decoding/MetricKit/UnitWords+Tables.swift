extension UnitWords {
  /// Times, in microseconds.
  static let durations: [(scale: Double, words: [String])] = [
    (
      1e6,
      [
        "sec", "secs", "s", "second", "seconds", "秒", "秒钟", "초", "Sek.", "sek.", "sek", "sekunde", "mp", "сек", "с",
        "δευτ.", "sn.", "sn", "שנ׳", "ث", "ثانیه", "سیکنڈ", "से॰", "से", "सेकेन्ड", "সেকেন্ড", "விநாடி", "సె.", "సెక.",
        "સેકંડ", "วิ", "giây", "dtk", "saat", "seg.", "វិនាទី", "წმ", "վրկ", "san", "son.",
      ]
    ),
    (
      1e3,
      [
        "ms", "millisec", "millisecs", "millisecond", "milliseconds", "毫秒", "ミリ秒", "밀리초", "мсек", "мс", "msn",
        "ملي ث", "میلی\u{200C}ثانیه", "ملی سیکنڈ", "मि॰से॰", "मिलिसे", "मि.से.", "மி.வி.", "మి.సె", "મિસે", "มิลลิวินาที",
        "mili giây", "md", "မီလီစက္ကန့်", "ម.វិ", "მწმ", "մվ", "msan",
      ]
    ),
    (1, ["µs", "μs", "us", "microseconds"]),
    (1e-3, ["ns", "nanoseconds"]),
    (6e7, ["min", "mins", "minute", "minutes"]),
    (3.6e9, ["h", "hr", "hrs", "hour", "hours"]),
  ]

  /// Amounts of data, in bytes. Prefixes are decimal, as MetricKit means them.
  static let sizes: [(scale: Double, words: [String])] = [
    (
      1,
      [
        "byte", "bytes", "B", "o", "octet", "octets", "t", "bæti", "bájt", "bajt", "bajtova", "bajtov", "byter", "Б",
        "байт", "bayt", "בייט", "بايت", "بایت", "बाइट", "বাইট", "பை.", "బై", "બાઇટ", "ไบต์", "bait", "baiti", "greep",
        "ბაიტი", "բայթ", "Բ", "字节", "位元組", "バイト", "바이트",
      ]
    ),
    (1e3, ["kB", "KB", "ko", "Ko", "kt", "кБ", "КБ", "千字节", "كيلوبايت", "కేబీ", "kilobaiti", "კბაიტი", "կԲ"]),
    (1e6, ["MB", "Mo", "Mt", "МБ", "MБ", "兆字节", "م.ب", "ఎమ్\u{200C}బి", "მეგაბაიტი", "ՄԲ"]),
    (1e9, ["GB", "Go", "Gt", "ГБ", "吉字节", "غ.ب", "జీబీ", "გიგაბაიტი", "ԳԲ"]),
    (1024, ["KiB"]), (1_048_576, ["MiB"]), (1_073_741_824, ["GiB"]),
  ]
}
