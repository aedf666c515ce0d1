// Written by Tests/DecodingTests/Reference/make_unit_words.py. A word that is missing belongs there.

extension UnitWords {
  /// Times, in microseconds.
  static let durations: [(scale: Double, words: [String])] = [
    (
      1e6,
      [
        "sec", "secs", "secs.", "sec.", "s", "second", "seconds", "сек.", "сек", "с", "sek", "sek.", "seg.", "δευτ.",
        "sn", "sn.", "mp", "秒", "秒钟", "초", "ث", "วิ", "giây", "dtk", "Sek.", "שנ׳", "ثانیه", "سیکنڈ", "से॰", "সেকেন্ড", "से",
        "விநாடி", "సె.", "సెక.", "સેકંડ", "saat", "វិនាទី", "सेकेन्ड", "sekunde", "s.", "წმ", "վրկ", "san", "son.",
      ]
    ),
    (
      1e3,
      [
        "ms", "millisec", "millisecs", "millisecond", "milliseconds", "мс", "мсек", "毫秒", "ミリ秒", "밀리초", "msn", "msan",
        "md", "ملي ث", "میلی\u{200C}ثانیه", "ملی سیکنڈ", "मि॰से॰", "मिलिसे", "மி.வி.", "మి.సె", "મિસે", "มิลลิวินาที", "mili giây",
        "မီလီစက္ကန့်", "ម.វិ", "मि.से.", "ms.", "მწმ", "մվ",
      ]
    ),
    (1, ["µs", "μs", "us", "microseconds"]),
    (1e-3, ["ns", "nanoseconds"]),
    (6e7, ["min", "mins", "minute", "minutes"]),
    (3.6e9, ["h", "hr", "hrs", "hour", "hours"]),
  ]
}
