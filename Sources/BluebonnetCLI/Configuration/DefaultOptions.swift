// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The options that a person has chosen for every request: `config.json` in the ``ConfigurationFolder``.
///
/// `{"default_options": ["--follow", "--style=dark"]}`. The options of the command line stand behind them, so they win.
enum DefaultOptions {
    private static let largestByteCount = 1024 * 1024

    /// Reads the options.
    ///
    /// - Parameter environment: The variables of the process.
    /// - Returns: The words; none if there is no file.
    /// - Throws: `CommandFailure` if the file cannot be read or holds anything but options.
    static func words(_ environment: [String: String]) throws(CommandFailure) -> [String] {
        guard let path = ConfigurationFolder.path(environment).map({ $0 + "/config.json" }) else { return [] }
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try FileContent.read(path, upTo: Self.largestByteCount)
        } catch {
            if case .system(let error) = error, error.isMissingFile { return [] }
            throw .usage("cannot read “\(path)”: \(error.text)")
        }
        let document = try JSONDocument.parse(bytes, from: "“\(path)”")
        guard case .object(let members) = document else { throw Self.fault(path, "it is no JSON object") }
        guard let value = members["default_options"] else { return [] }
        guard case .array(let elements) = value else { throw Self.fault(path, "“default_options” is no array") }
        let words = elements.compactMap(\.string)
        guard words.count == elements.count else { throw Self.fault(path, "“default_options” holds more than strings") }
        let options = OptionWords(words)
        if let word = options.unknown.first { throw Self.fault(path, "“\(word)” is not an option") }
        if let word = options.positional.first {
            throw Self.fault(
                path,
                "“\(word)” is not an option; write an option and its value as one word, “--style=dark”"
            )
        }
        return words
    }

    private static func fault(_ path: String, _ reason: String) -> CommandFailure {
        .usage("the default options in “\(path)” cannot be used: \(reason)")
    }
}
