// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the formatting of the output.
struct FormatCommandOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Colours and indentation: all, colors, format or none (default: all on a terminal, none elsewhere).",
            valueName: "what"
        )
    )
    var pretty: Prettiness?

    @Option(
        name: [.customShort("s"), .long],
        help: ArgumentHelp("The colours: auto (the terminal's own), dark, light or mono.", valueName: "style")
    )
    var style: Palette.Theme = .auto

    @Flag(name: .long, help: "Sort headers by name and the keys of JSON; as they come unless given.")
    var sorted = false

    // Accepted for scripts that spell out the default; without effect in itself.
    @Flag(name: .long, help: "Keep the order in which headers and keys come; takes --sorted back.")
    var unsorted = false

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Details, separated by commas: json.indent:2, json.format:false, json.sort_keys:true, headers.sort:true, xml.indent:4.",
            valueName: "list"
        )
    )
    var formatOptions: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Read the response's text in this charset, for example latin1.", valueName: "name")
    )
    var responseCharset: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Format the response as this media type, for example application/json.", valueName: "type")
    )
    var responseMime: String?

    // Accepted for commands of other programs; without effect, because it is always done.
    @Flag(name: [.customShort("S"), .long], help: "Print the body as it arrives, which is done always.")
    var stream = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How a picture is shown on a terminal: as it can (auto), by one of four ways, or not at all (none).",
            valueName: "way"
        )
    )
    var pictures: PictureChoice = .auto
}

extension Prettiness: OptionWord {}

extension Palette.Theme: OptionWord {}

extension PictureChoice: OptionWord {}
