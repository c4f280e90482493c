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

    private static let proxyUser = "write user and password into the URL of --proxy, before the host and an “@”"
    private static let originOnly = "credentials stay on the origin they are for; write --location"

    private static let oldVersion =
        "requests are HTTP/1.1 or HTTP/2 here, and responses of HTTP/1.0 are understood: leave it out, or write --http1.1"
    private static let newVersion = "HTTP/3 is not spoken here: leave it out"
    private static let schemes = "only Basic, Digest and Bearer credentials are sent here"
    private static let trace =
        "-v shows the heads, and every step is shown with “bluebonnet --debug curl …”"

    private static let all =
        [
            CurlOption("url"), CurlOption("url-query"), CurlOption("request", "X"),
            CurlOption("head", "I", value: false),
            CurlOption("get", "G", value: false), CurlOption("header", "H"), CurlOption("user-agent", "A"),
            CurlOption("referer", "e"), CurlOption("cookie", "b"), CurlOption("cookie-jar", "c"),
            CurlOption("data", "d"),
            CurlOption("data-ascii"),
            CurlOption("data-binary"), CurlOption("data-raw"), CurlOption("data-urlencode"), CurlOption("json"),
            CurlOption("form", "F"), CurlOption("form-string"), CurlOption("upload-file", "T"),
            CurlOption("user", "u"), CurlOption("digest", value: false),
            CurlOption("basic", value: false), CurlOption("anyauth", value: false),
            CurlOption("oauth2-bearer"),
            CurlOption("netrc", "n", value: false, is: .flag("no-ignore-netrc")),
            CurlOption("location", "L", value: false, is: .flag("follow")),
            CurlOption("max-redirs"),
            CurlOption("write-out", "w"), CurlOption("dump-header", "D"), CurlOption("output", "o"),
            CurlOption("remote-name", "O", value: false),
            CurlOption("remote-header-name", "J", value: false), CurlOption("continue-at", "C"),
            CurlOption("range", "r"),
            CurlOption("include", "i", value: false),
            CurlOption("verbose", "v", value: false),
            CurlOption("fail", "f", value: false),
            CurlOption("fail-with-body", value: false),
            CurlOption("silent", "s", value: false),
            CurlOption("show-error", "S", value: false, is: .ignored),
            CurlOption("compressed", value: false),
            CurlOption("no-buffer", "N", value: false, is: .ignored),
            CurlOption("globoff", "g", value: false), CurlOption("http1.1", value: false),
            CurlOption("http2", value: false, is: .ignored),
            CurlOption("progress-bar", "#", value: false, is: .ignored),
            CurlOption("max-time", "m", is: .option("max-time")), CurlOption("connect-timeout"),
            CurlOption("limit-rate"), CurlOption("resolve"),
            CurlOption("speed-limit", "Y"), CurlOption("speed-time", "y"),
            CurlOption("retry", is: .option("retry")), CurlOption("retry-delay", is: .ignored),
            CurlOption("retry-connrefused", value: false, is: .ignored), CurlOption("retry-all-errors", value: false),
            CurlOption("proxy", "x", is: .option("proxy")),
            CurlOption("noproxy", is: .option("noproxy")), CurlOption("unix-socket", is: .option("unix-socket")),
            CurlOption("cacert", is: .option("cacert")), CurlOption("cert", "E"),
            CurlOption("key", is: .option("cert-key")), CurlOption("pass", is: .option("cert-key-pass")),
            CurlOption("cert-type"), CurlOption("tls-max"),
            CurlOption("ciphers", is: .option("ciphers")), CurlOption("tlsv1.2", value: false),
            CurlOption("tlsv1.3", value: false),
            CurlOption("path-as-is", value: false, is: .flag("path-as-is")),
            CurlOption("no-keepalive", value: false, is: .ignored),
            CurlOption("disable", "q", value: false, is: .ignored),
            CurlOption("no-progress-meter", value: false, is: .ignored),
            CurlOption("ipv4", "4", value: false), CurlOption("ipv6", "6", value: false),
            CurlOption("insecure", "k", value: false, is: .refused(TLSCommandOptions.neverUnverified)),
            // Not curl's: what errors about certificates advise.
            CurlOption("trust", is: .option("trust")), CurlOption("cert-key", is: .option("cert-key")),
            CurlOption("cert-key-pass", is: .option("cert-key-pass")),
            CurlOption("proxy-user", "U", is: .refused(Self.proxyUser)),
            CurlOption("location-trusted", value: false, is: .refused(Self.originOnly)),
            CurlOption("config", "K"), CurlOption("time-cond", "z"),
            CurlOption("next", ":", value: false), CurlOption("fail-early", value: false),
            CurlOption("remote-name-all", value: false), CurlOption("output-dir"),
            CurlOption("create-dirs", value: false),
            CurlOption("post301", value: false), CurlOption("post302", value: false),
            CurlOption("proto"), CurlOption("proto-redir"), CurlOption("proto-default", is: .option("default-scheme")),
            CurlOption("netrc-optional", value: false, is: .flag("no-ignore-netrc")),
            CurlOption("http2-prior-knowledge", value: false),
            CurlOption("help", "h", value: false, is: .refused("“man bluebonnet” says what is read of curl's options")),
            CurlOption("http1.0", "0", value: false, is: .refused(Self.oldVersion)),
            CurlOption("http3", value: false, is: .refused(Self.newVersion)),
            CurlOption("http3-only", value: false, is: .refused(Self.newVersion)),
            CurlOption("negotiate", value: false, is: .refused(Self.schemes)),
            CurlOption("ntlm", value: false, is: .refused(Self.schemes)),
            CurlOption("aws-sigv4", is: .refused(Self.schemes)),
            CurlOption("trace", is: .refused(Self.trace)), CurlOption("trace-ascii", is: .refused(Self.trace)),
            CurlOption("stderr", is: .refused("redirect it in the shell: 2>FILE")),
            CurlOption(
                "retry-max-time",
                is: .refused("limit each attempt with --max-time, and their number with --retry")
            ),
            CurlOption(
                "remote-time",
                "R",
                value: false,
                is: .refused("a file has the time at which it was saved: leave it out")
            ),
            CurlOption("connect-to", is: .refused("name the address with --resolve HOST:PORT:ADDRESS")),
        ] + Self.superfluous

    /// What is done anyway, or changes neither the request nor what becomes of the response.
    private static let superfluous =
        [
            "buffer", "disable-eprt", "disable-epsv", "http0.9", "keepalive", "parallel-immediate",
            "progress-meter", "sessionid", "ssl", "ssl-no-revoke", "ssl-reqd", "styled-output",
            "tcp-fastopen", "tcp-nodelay", "tlsv1.0", "tlsv1.1", "no-sessionid", "no-styled-output",
        ].map { CurlOption($0, value: false, is: .ignored) }
        + ["expect100-timeout", "happy-eyeballs-timeout-ms", "keepalive-time", "parallel-max"].map {
            CurlOption($0, is: .ignored)
        }
        + [
            CurlOption("parallel", "Z", value: false, is: .ignored),
            CurlOption("tlsv1", "1", value: false, is: .ignored),
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
