// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that decide what is shown and where it goes.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the exact bytes of the request and send nothing.")
    var offline = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Print these parts: H and B request, h and b response, m timing.", valueName: "HBhbm")
    )
    var print: String?

    @Flag(name: .shortAndLong, help: "Print the whole exchange: as --print HBhb.")
    var verbose = false

    @Flag(name: .long, help: "With --follow, print the requests and the heads of the redirects, too.")
    var all = false

    @Flag(name: .shortAndLong, help: "Print the head of the response only: as --print h.")
    var headers = false

    @Flag(name: .shortAndLong, help: "Print the body of the response only: as --print b.")
    var body = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Colours and JSON indentation: all, colors, format or none (default: all on a terminal, none elsewhere).",
            valueName: "style"
        )
    )
    var pretty: Prettiness?

    @Flag(name: .shortAndLong, help: "Save the response's body in a file of its own name; never overwrites one.")
    var download = false

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file")
    )
    var output: String?

    @Flag(name: .long, help: "Exit with 3, 4 or 5 when the status is 3xx, 4xx or 5xx.")
    var checkStatus = false
}

extension Prettiness: ExpressibleByArgument {}
