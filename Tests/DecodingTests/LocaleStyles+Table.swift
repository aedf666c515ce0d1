// Written by Reference/make_unit_words.py.

extension LocaleStyle {
  /// locale|number|second|millisecond|byte|kilobyte|megabyte|gigabyte, where `_` is U+00A0, `~` U+202F,
  /// `>` U+200F and `#` the number; `one/other` where one is written differently.
  static let table = """
    en|1,234,567.89|# sec|# ms|# byte|# kB|# MB|# GB
    en-US|1,234,567.89|# sec|# ms|# byte|# kB|# MB|# GB
    en-GB|1,234,567.89|# sec/# secs|# ms|# byte|# kB|# MB|# GB
    en-CA|1,234,567.89|# sec/# secs|# millisec/# millisecs|# byte/# bytes|# kB|# MB|# GB
    en-AU|1,234,567.89|# sec/# secs|# ms|# byte|# kB|# MB|# GB
    en-IN|12,34,567.89|# sec/# secs|# ms|# byte|# kB|# MB|# GB
    en-ZA|1_234_567,89|# sec/# secs|# ms|# byte|# kB|# MB|# GB
    zh-Hans-CN|1,234,567.89|#秒|#毫秒|# B|# kB|# MB|# GB
    zh-Hant-TW|1,234,567.89|# 秒|# 毫秒|# byte|# kB|# MB|# GB
    zh-Hant-HK|1,234,567.89|# 秒|# 毫秒|# byte|# kB|# MB|# GB
    ja|1,234,567.89|# 秒|# ms|# byte|# KB|# MB|# GB
    ko|1,234,567.89|#초|#ms|#byte|#kB|#MB|#GB
    de|1.234.567,89|# Sek.|# ms|#_Byte/# Byte|# kB|# MB|#_GB
    de-CH|1'234'567.89|# Sek.|# ms|#_Byte/# Byte|# kB|# MB|#_GB
    de-AT|1_234_567,89|# Sek.|# ms|#_Byte/# Byte|# kB|# MB|#_GB
    fr|1~234~567,89|#~s|#~ms|#~o|#~ko|#~Mo|#~Go
    fr-CA|1_234_567,89|#_s|#_ms|#_o|#_ko|#_Mo|#_Go
    fr-CH|1~234~567,89|#~s|#~ms|#~o|#~ko|#~Mo|#~Go
    es|1.234.567,89|# s|# ms|# B|# kB|# MB|# GB
    es-419|1,234,567.89|# s|# ms|# byte|# kB|# MB|# GB
    es-MX|1,234,567.89|# s|# ms|# B/# byte|# kB|# MB|# GB
    pt-BR|1.234.567,89|# s|# ms|# bytes|# kB|# MB|# GB
    pt-PT|1_234_567,89|# s|# ms|# byte|# kB|# MB|# GB
    it|1.234.567,89|# s|# ms|# byte|# kB|# MB|# GB
    nl|1.234.567,89|# sec|# ms|# byte|# kB|# MB|# GB
    sv|1_234_567,89|# s|# ms|# B|# kB|# MB|# GB
    da|1.234.567,89|# sek.|# ms|# B|# kB|# MB|# GB
    nb|1_234_567,89|# sek|# ms|# B|# kB|# MB|# GB
    fi|1_234_567,89|# s|# ms|# t|# kt|# Mt|# Gt
    is|1.234.567,89|# sek.|# ms|# bæti|# kB|# MB|# GB
    pl|1_234_567,89|# sek.|# ms|# B|# kB|# MB|# GB
    cs|1_234_567,89|# s|# ms|# B|# kB|# MB|# GB
    sk|1_234_567,89|# s|# ms|# B|# kB|# MB|# GB
    hu|1_234_567,89|# mp|# ms|# bájt|# kB|# MB|# GB
    ro|1.234.567,89|# s|# ms|# B|# kB|# MB|# GB
    bg|1_234_567,89|# сек|# мсек|# B|# kB|# MB|# GB
    hr|1.234.567,89|# s|# ms|# bajt/# bajtova|# kB|# MB|# GB
    sr|1.234.567,89|# сек|# ms|# B|# kB|# MB|# GB
    sl|1.234.567,89|# sek.|# ms|# bajt/# bajtov|# kB|# MB|# GB
    uk|1_234_567,89|# с|# мс|# Б|# кБ|# МБ|# ГБ
    ru|1_234_567,89|# с|# мс|# Б|# кБ|# МБ|# ГБ
    kk|1_234_567,89|# с|# мс|# байт|# кБ|# MБ|# ГБ
    el|1.234.567,89|# δευτ.|# ms|# byte|# kB|# MB|# GB
    tr|1.234.567,89|# sn.|# msn|# bayt|# kB|# MB|# GB
    he|1,234,567.89|# שנ׳|# ms|# בייט|kB>#/# kB|MB>#/# MB|GB>#/# GB
    ar|1,234,567.89|# ث|# ملي ث|# بايت|# كيلوبايت|# م.ب|# غ.ب
    ar-EG|١٬٢٣٤٬٥٦٧٫٨٩|# ث|# ملي ث|# بايت|# كيلوبايت|# م.ب|# غ.ب
    ar-SA|١٬٢٣٤٬٥٦٧٫٨٩|# ث|# ملي ث|# بايت|# كيلوبايت|# م.ب|# غ.ب
    ar-AE|1,234,567.89|# ث|# ملي ث|# بايت|# كيلوبايت|# م.ب|# غ.ب
    fa|۱٬۲۳۴٬۵۶۷٫۸۹|# ثانیه|# میلی\u{200C}ثانیه|# بایت|# kB|# MB|# GB
    ur|1,234,567.89|# سیکنڈ|# ملی سیکنڈ|# byte|# kB|# MB|# GB
    hi|12,34,567.89|# से॰|# मि॰से॰|# बाइट|# kB|# MB|# GB
    bn|১২,৩৪,৫৬৭.৮৯|# সেকেন্ড|# ms|# বাইট|# kB|# MB|# GB
    mr|१२,३४,५६७.८९|# से|# मिलिसे|# बाइट|# kB|# MB|# GB
    ta|12,34,567.89|# விநாடி|# மி.வி.|# பை.|# kB|# MB|# GB
    te|12,34,567.89|# సె./# సెక.|# మి.సె|# బై|# కేబీ|# ఎమ్\u{200C}బి|# జీబీ
    gu|12,34,567.89|# સેકંડ|# મિસે|# બાઇટ|# kB|# MB|# GB
    th|1,234,567.89|# วิ|# มิลลิวินาที|# ไบต์|# kB|# MB|# GB
    vi|1.234.567,89|# giây|# mili giây|# byte|# kB|# MB|# GB
    id|1.234.567,89|# dtk|# md|# byte|# kB|# MB|# GB
    ms|1,234,567.89|# saat|# ms|# bait|# kB|# MB|# GB
    fil|1,234,567.89|# seg.|# ms|# byte|# kB|# MB|# GB
    ca|1.234.567,89|# s|# ms|# B|# kB|# MB|# GB
    eu|1.234.567,89|# s|# ms|# byte|# kB|# MB|# GB
    gl|1.234.567,89|# s|# ms|# B|# kB|# MB|# GB
    lt|1_234_567,89|# sek.|# ms|# B|# kB|# MB|# GB
    lv|1_234_567,89|# sek.|# ms|# B|# kB|# MB|# GB
    et|1_234_567,89|# sek|# ms|# bait/# baiti|# kB|# MB|# GB
    my|၁,၂၃၄,၅၆၇.၈၉|# sec|# မီလီစက္ကန့်|# byte|# kB|# MB|# GB
    km|1,234,567.89|# វិនាទី|# ម.វិ|# byte|# kB|# MB|# GB
    ne|१२,३४,५६७.८९|# सेकेन्ड|# मि.से.|# byte|# kB|# MB|# GB
    sw|1,234,567.89|sekunde #|ms #|baiti #|kilobaiti #|MB #|GB #
    af|1_234_567,89|# s.|# ms./# ms|# greep|# kB|# MB|# GB
    ka|1_234_567,89|# წმ|# მწმ|# ბაიტი|# კბაიტი|# მეგაბაიტი|# გიგაბაიტი
    hy|1_234_567,89|# վրկ|# մվ|# բայթ/# Բ|# կԲ|# ՄԲ|# ԳԲ
    az|1.234.567,89|# san|# msan|# bayt|# kB|# MB|# GB
    uz|1_234_567,89|# son.|# ms|# bayt|# kB|# MB|# GB
    mn|1,234,567.89|# сек|# мс|# байт|# кБ|# МБ|# ГБ
    """
}
