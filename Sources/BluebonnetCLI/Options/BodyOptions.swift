// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the body of the request.
struct BodyOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Send data items as JSON (the default).")
    var json = false

    @Flag(name: .shortAndLong, help: "Send data items as a form; with a file item, as a multipart form.")
    var form = false

    @Flag(name: .long, help: "Send data items as a multipart form, also without a file.")
    var multipart = false

    @Flag(name: .long, help: "Send data items as a property list, in XML.")
    var plist = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Send a whole JSON document in place of data items.", valueName: "json")
    )
    var parameters: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Send this text as it is.", valueName: "text")
    )
    var raw: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The boundary of a multipart form.", valueName: "text")
    )
    var boundary: String?

    @Flag(
        name: [.customShort("x"), .long],
        help: "Compress the body (deflate) where that makes it smaller; twice (-xx) in any case."
    )
    var compress: Int

    @Flag(name: .long, help: "Send the body in chunks, without its length; standard input as it comes.")
    var chunked = false

    @Flag(name: [.customShort("I"), .long], help: "Do not take a body from standard input.")
    var ignoreStdin = false

    /// The format of the body.
    var format: PlannedBody.Format { self.form ? .form : self.plist ? .propertyList : .json }
}
