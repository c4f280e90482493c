// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that decide how the server is reached.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Give up after so long without a byte, 60 unless given, for example 2.5; 0 for never.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        name: .long,
        help: ArgumentHelp("Give up when the whole exchange has taken so long.", valueName: "seconds")
    )
    var maxTime: Double?

    @Flag(
        name: [.customShort("F"), .long],
        help: "Follow redirects; credentials and header items stay on the origin they are for."
    )
    var follow = false

    @Option(name: .long, help: ArgumentHelp("Follow no more redirects than this: 20 unless given.", valueName: "count"))
    var maxRedirects: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Send it again up to so many times where that is safe, with growing pauses, after a lost connection or 408, 425, 429 or 5xx.",
            valueName: "count"
        )
    )
    var retry: Int?

    @Flag(name: .long, help: "Send “/./” and “/../” in the path as they are.")
    var pathAsIs = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The scheme of a URL without one: http, or https if the program's name ends with an s.",
            valueName: "scheme"
        )
    )
    var defaultScheme: URLScheme = .http

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Go through this proxy: http, https, socks5 or socks5h (names looked up there); empty for none (default: as the environment says).",
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Reach these hosts, domains and networks without a proxy; * for all.", valueName: "list")
    )
    var noproxy: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Connect to this Unix socket and not to the host.", valueName: "path"),
        completion: .file()
    )
    var unixSocket: String?

}

/// A scheme that a URL may have.
enum URLScheme: String, OptionWord {
    case http, https
}
