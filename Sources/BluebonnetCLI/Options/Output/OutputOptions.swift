// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that decide what is shown.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the exact bytes of the request and send nothing.")
    var offline = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Print these parts: H and B request, h and b response, m timing.", valueName: "HBhbm")
    )
    var print: String?

    @Flag(name: .shortAndLong, help: "Print the whole exchange: as --print HBhb; twice (-vv) as --print HBhbm.")
    var verbose: Int

    @Flag(name: .long, help: "With --follow, print the requests and the heads of the redirects, too.")
    var all = false

    @Flag(name: .shortAndLong, help: "Print the head of the response only: as --print h.")
    var headers = false

    @Flag(name: .shortAndLong, help: "Print the body of the response only: as --print b.")
    var body = false

    @Flag(name: .shortAndLong, help: "Print address, security and timing only: as --print m.")
    var meta = false

    @Flag(name: .shortAndLong, help: "Print nothing but errors and warnings; twice (-qq) nothing but errors.")
    var quiet: Int

    @Flag(name: .long, help: "Exit with 3, 4 or 5 when the status is 3xx, 4xx or 5xx.")
    var checkStatus = false

    @Flag(name: .long, help: "Tell on standard error what happens, event by event.")
    var debug = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write the exchanges into this file, too, as an HTTP archive (HAR 1.2) without secrets; see serve --replay.",
            valueName: "file"
        ),
        completion: .file()
    )
    var har: String?
}
