// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that save the body of the response in a file.
struct DownloadCommandOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Save the response's body in a file of its own name; never overwrites one.")
    var download = false

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Flag(
        name: [.customShort("c"), .customLong("continue")],
        help: "With --download --output: keep what has arrived when it breaks off, and go on with it the next time."
    )
    var resumes = false

    @Option(
        name: .customLong("sha256"),
        help: ArgumentHelp("With --download: save the file only if it has this digest.", valueName: "hex")
    )
    var digest: String?
}
