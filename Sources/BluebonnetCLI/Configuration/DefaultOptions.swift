// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The user's default options for every request: `config.json` in the ``ConfigurationFolder``.
///
/// `{"default_options": ["--follow", "--style=dark"]}`. The options of the command line override them.
struct DefaultOptions {
    private static let largestByteCount = 1024 * 1024

    /// The words that precede those of the command line.
    var words: [String] = []

    /// The path of the file; nil if there is no configuration folder.
    private var path: String?

    /// Creates an empty list of options.
    init() {}

    /// Reads the options.
    ///
    /// - Parameter environment: The environment variables of the process.
    /// - Throws: `CommandFailure` if the file cannot be read or contains anything but options.
    init(_ environment: [String: String]) throws(CommandFailure) {
        guard let path = ConfigurationFolder.path(environment).map({ $0 + "/config.json" }) else { return }
        self.path = path
        self.words = try Self.words(of: path)
    }

    /// Returns the failure for default options that the argument parser rejects by themselves.
    ///
    /// - Parameter reason: The parser's message.
    /// - Returns: The failure, whose message names the file.
    func failure(_ reason: String) -> CommandFailure { Self.fault(self.path ?? "config.json", reason) }

    /// Returns a failure whose message names the file, if it is about default options that the command line lacks.
    ///
    /// Options that contradict each other are found only when they are joined with those of the command line.
    ///
    /// - Parameters:
    ///   - failure: The failure of the command.
    ///   - typed: The words of the command line.
    /// - Returns: The failure.
    func explaining(_ failure: CommandFailure, besides typed: OptionWords) -> CommandFailure {
        guard let path = self.path else { return failure }
        let words = failure.message.unicodeScalars.split { (scalar: Unicode.Scalar) in
            !(scalar == "-" || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar))
        }
        let mentioned = Set(words.map { String($0) })
        let names = Set(OptionWords(self.words).options.map { $0.option.name })
            .filter { mentioned.contains("--" + $0) && !typed.contains($0) }
        guard !names.isEmpty else { return failure }
        let listed = names.sorted().map { "--\($0) (--no-\($0) takes it back)" }.joined(separator: ", ")
        var failure = failure
        failure.message += "; the default options in “\(path)” hold \(listed)"
        return failure
    }

    private static func words(of path: String) throws(CommandFailure) -> [String] {
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
        if let word = options.unknown.first {
            throw Self.fault(path, UnavailableOptions.explanation(ofUnknown: word) ?? "“\(word)” is not an option")
        }
        if let option = options.options.first(where: { $0.option.takesValue && $0.value == nil })?.option {
            throw Self.fault(path, "--\(option.name) has no value: write --\(option.name)=VALUE")
        }
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
