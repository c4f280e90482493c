// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Charset {
    /// The encoding of each label, in lower case.
    static let labels: [String: Charset] = {
        var labels: [String: Charset] = [:]
        for line in Self.table.utf8.split(separator: 0x0A) {
            let words = line.split(separator: 0x20).map { String(Substring($0)) }
            guard let name = words.first, let charset = Charset(rawValue: name) else { continue }
            for label in words.dropFirst() { labels[label] = charset }
        }
        return labels
    }()

    /// The name of each encoding, followed by its labels (WHATWG Encoding section 4.2; registered names for encodings
    /// that are not in it).
    private static let table = """
        UTF-8 utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8
        UTF-16 utf-16 utf16 unicode iso-10646-ucs-2 ucs-2 csunicode
        UTF-16BE utf-16be unicodefffe
        UTF-16LE utf-16le unicodefeff
        UTF-32 utf-32 utf32
        UTF-32BE utf-32be
        UTF-32LE utf-32le
        US-ASCII us-ascii ascii ansi_x3.4-1968 iso-ir-6 iso646-us
        ISO-8859-1 iso-8859-1 iso_8859-1 iso8859-1 iso88591 iso_8859-1:1987 csisolatin1 latin1 latin-1 l1 iso-ir-100 cp819 ibm819
        ISO-8859-2 iso-8859-2 iso_8859-2 iso8859-2 iso88592 iso_8859-2:1987 csisolatin2 latin2 l2 iso-ir-101
        ISO-8859-3 iso-8859-3 iso_8859-3 iso8859-3 iso88593 iso_8859-3:1988 csisolatin3 latin3 l3 iso-ir-109
        ISO-8859-4 iso-8859-4 iso_8859-4 iso8859-4 iso88594 iso_8859-4:1988 csisolatin4 latin4 l4 iso-ir-110
        ISO-8859-5 iso-8859-5 iso_8859-5 iso8859-5 iso88595 iso_8859-5:1988 csisolatincyrillic cyrillic iso-ir-144
        ISO-8859-6 iso-8859-6 iso_8859-6 iso8859-6 iso88596 iso_8859-6:1987 csisolatinarabic arabic asmo-708 ecma-114 iso-ir-127 iso-8859-6-e iso-8859-6-i csiso88596e csiso88596i
        ISO-8859-7 iso-8859-7 iso_8859-7 iso8859-7 iso88597 iso_8859-7:1987 csisolatingreek greek greek8 ecma-118 elot_928 iso-ir-126 sun_eu_greek
        ISO-8859-8 iso-8859-8 iso_8859-8 iso8859-8 iso88598 iso_8859-8:1988 csisolatinhebrew hebrew iso-ir-138 visual iso-8859-8-e csiso88598e iso-8859-8-i csiso88598i logical
        ISO-8859-10 iso-8859-10 iso8859-10 iso885910 csisolatin6 latin6 l6 iso-ir-157
        ISO-8859-13 iso-8859-13 iso8859-13 iso885913
        ISO-8859-14 iso-8859-14 iso8859-14 iso885914
        ISO-8859-15 iso-8859-15 iso_8859-15 iso8859-15 iso885915 csisolatin9 l9 latin-9
        ISO-8859-16 iso-8859-16
        windows-874 windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
        windows-1250 windows-1250 cp1250 x-cp1250
        windows-1251 windows-1251 cp1251 x-cp1251
        windows-1252 windows-1252 cp1252 cp-1252 x-cp1252
        windows-1253 windows-1253 cp1253 x-cp1253
        windows-1254 windows-1254 cp1254 x-cp1254 iso-8859-9 iso_8859-9 iso8859-9 iso88599 iso_8859-9:1989 csisolatin5 latin5 l5 iso-ir-148
        windows-1255 windows-1255 cp1255 x-cp1255
        windows-1256 windows-1256 cp1256 x-cp1256
        windows-1257 windows-1257 cp1257 x-cp1257
        windows-1258 windows-1258 cp1258 x-cp1258
        KOI8-R koi8-r koi8_r koi8 koi cskoi8r
        KOI8-U koi8-u koi8-ru
        IBM866 ibm866 cp866 866 csibm866
        macintosh macintosh csmacintosh mac x-mac-roman
        x-mac-cyrillic x-mac-cyrillic x-mac-ukrainian
        Shift_JIS shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis
        EUC-JP euc-jp x-euc-jp cseucpkdfmtjapanese
        ISO-2022-JP iso-2022-jp csiso2022jp
        GBK gbk x-gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 iso-ir-58
        gb18030 gb18030
        Big5 big5 big5-hkscs cn-big5 csbig5 x-x-big5
        EUC-KR euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 csksc56011987 iso-ir-149 windows-949
        """
}
