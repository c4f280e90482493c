// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the credentials of the request and for sessions.
struct AuthenticationOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Credentials; without a password, it is asked for.", valueName: "user:password")
    )
    var auth: String?

    @Option(
        name: [.customShort("A"), .long],
        help: ArgumentHelp("How --auth is sent: basic (the default), digest or bearer (a token).", valueName: "type")
    )
    var authType: AuthenticationType?

    @Flag(name: .long, help: "Do not look for the host in the netrc file, $NETRC or ~/.netrc.")
    var ignoreNetrc = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Keep headers, credentials and cookies for the next request with this session; one of the host's, unless it has a slash.",
            valueName: "name|path"
        )
    )
    var session: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Use a session and leave its file as it is.", valueName: "name|path")
    )
    var sessionReadOnly: String?
}

/// The authentication scheme of the credentials.
enum AuthenticationType: String, OptionWord {
    case basic, digest, bearer
}
