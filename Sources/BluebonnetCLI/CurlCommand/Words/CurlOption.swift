// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An option of curl, and what it is here.
struct CurlOption: Sendable {
    /// What becomes of it.
    enum Meaning: Sendable {
        /// It says what is done anyway.
        case ignored
        /// A flag of ours.
        case flag(String)
        /// An option of ours with the same value.
        case option(String)
        /// An option of ours with the same value, and a word beside it.
        case pair(String, String)
        /// What is said to those who write it.
        case refused(String)
        /// It changes the request itself.
        case special
    }

    var name: String
    var letter: Unicode.Scalar?
    var takesValue: Bool
    var meaning: Meaning

    private init(_ name: String, _ letter: Unicode.Scalar? = nil, value: Bool = true, is meaning: Meaning = .special) {
        self.name = name
        self.letter = letter
        self.takesValue = value
        self.meaning = meaning
    }

    private static let family =
        "both families of addresses are always tried, and the one that answers first is taken: leave it out"

    private static let proxyUser = "write user and password into the URL of --proxy, before the host and an “@”"
    private static let originOnly = "credentials stay on the origin they are for; write --location"

    private static let all = [
        CurlOption("url"), CurlOption("url-query"), CurlOption("request", "X"), CurlOption("head", "I", value: false),
        CurlOption("get", "G", value: false), CurlOption("header", "H"), CurlOption("user-agent", "A"),
        CurlOption("referer", "e"), CurlOption("cookie", "b"), CurlOption("cookie-jar", "c"), CurlOption("data", "d"),
        CurlOption("data-ascii"),
        CurlOption("data-binary"), CurlOption("data-raw"), CurlOption("data-urlencode"), CurlOption("json"),
        CurlOption("form", "F"), CurlOption("form-string"), CurlOption("upload-file", "T"),
        CurlOption("user", "u", is: .option("auth")), CurlOption("digest", value: false),
        CurlOption("basic", value: false), CurlOption("anyauth", value: false),
        CurlOption("oauth2-bearer", is: .pair("auth", "--auth-type=bearer")),
        CurlOption("netrc", "n", value: false, is: .flag("no-ignore-netrc")),
        CurlOption("location", "L", value: false, is: .flag("follow")),
        CurlOption("max-redirs", is: .option("max-redirects")),
        CurlOption("write-out", "w"), CurlOption("dump-header", "D"), CurlOption("output", "o"),
        CurlOption("remote-name", "O", value: false),
        CurlOption("remote-header-name", "J", value: false), CurlOption("continue-at", "C"), CurlOption("range", "r"),
        CurlOption("include", "i", value: false, is: .flag("print=hb")),
        CurlOption("verbose", "v", value: false, is: .flag("verbose")),
        CurlOption("fail", "f", value: false),
        CurlOption("fail-with-body", value: false),
        CurlOption("silent", "s", value: false),
        CurlOption("show-error", "S", value: false, is: .ignored),
        CurlOption("compressed", value: false, is: .ignored), CurlOption("no-buffer", "N", value: false, is: .ignored),
        CurlOption("globoff", "g", value: false), CurlOption("http1.1", value: false),
        CurlOption("http2", value: false, is: .ignored), CurlOption("progress-bar", "#", value: false, is: .ignored),
        CurlOption("max-time", "m", is: .option("max-time")), CurlOption("connect-timeout"),
        CurlOption("limit-rate"), CurlOption("resolve"),
        CurlOption("speed-limit", "Y"), CurlOption("speed-time", "y"),
        CurlOption("retry", is: .option("retry")), CurlOption("retry-delay", is: .ignored),
        CurlOption("retry-connrefused", value: false, is: .ignored), CurlOption("proxy", "x", is: .option("proxy")),
        CurlOption("noproxy", is: .option("noproxy")), CurlOption("unix-socket", is: .option("unix-socket")),
        CurlOption("cacert", is: .option("cacert")), CurlOption("cert", "E"),
        CurlOption("key", is: .option("cert-key")), CurlOption("pass", is: .option("cert-key-pass")),
        CurlOption("cert-type"), CurlOption("tls-max"),
        CurlOption("ciphers", is: .option("ciphers")), CurlOption("tlsv1.2", value: false),
        CurlOption("tlsv1.3", value: false),
        CurlOption("path-as-is", value: false, is: .flag("path-as-is")),
        CurlOption("no-keepalive", value: false, is: .ignored), CurlOption("disable", "q", value: false, is: .ignored),
        CurlOption("no-progress-meter", value: false, is: .ignored),
        CurlOption("ipv4", "4", value: false, is: .refused(Self.family)),
        CurlOption("ipv6", "6", value: false, is: .refused(Self.family)),
        CurlOption("insecure", "k", value: false, is: .refused(TLSCommandOptions.neverUnverified)),
        // Not curl's: what errors about certificates advise.
        CurlOption("trust", is: .option("trust")), CurlOption("cert-key", is: .option("cert-key")),
        CurlOption("cert-key-pass", is: .option("cert-key-pass")),
        CurlOption("proxy-user", "U", is: .refused(Self.proxyUser)),
        CurlOption("location-trusted", value: false, is: .refused(Self.originOnly)),
        CurlOption("config", "K"), CurlOption("time-cond", "z"),
        CurlOption("next", ":", value: false, is: .refused("run each command by itself")),
        CurlOption("help", "h", value: false, is: .refused("“man bluebonnet” says what is read of curl's options")),
        CurlOption("http1.0", "0", value: false, is: .refused("HTTP/1.0 is not spoken here")),
    ]

    /// The options that have a meaning here, as they are written, in their order.
    static let names: [String] = Self.all.compactMap { option -> String? in
        if case .refused = option.meaning { return nil }
        return "--\(option.name)"
    }

    static let byName = Dictionary(Self.all.map { ($0.name, $0) }) { first, _ in first }

    /// The option of a word such as `--range` or `-r`; nil if it is none of them.
    static func option(written word: String) -> Self? {
        if word.starts(withScalars: "--") { return Self.byName[String(word.droppingScalars(2))] }
        let letters = word.unicodeScalars.dropFirst()
        return letters.count == 1 ? letters.first.flatMap { Self.byLetter[$0] } : nil
    }

    static let byLetter = Dictionary(Self.all.compactMap { option in option.letter.map { ($0, option) } }) { first, _ in
        first
    }
}
