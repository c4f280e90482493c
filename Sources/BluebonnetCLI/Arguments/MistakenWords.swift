// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// Words of a command line that are valid, and most likely meant in another way.
enum MistakenWords {
    /// What to write instead of the options of a request; nil if there is nothing to say about them.
    static func explanation(of words: OptionWords) -> String? {
        let long = words.clusters.first { word in
            word.utf8.count > 3 && RequestOption.byName[String(word.droppingScalars(1))] != nil
        }
        if let long { return "“\(long)” is read as several options of one letter each: write -\(long)" }
        guard words.positional.isEmpty else { return nil }
        return words.options.lazy.compactMap { option, value in
            guard let value, value.contains("://") else { return nil }
            let name = "--\(option.name)"
            return
                "there is no URL: \(name) has taken “\(TargetURL.redacted(value))” as its value; write “\(name) VALUE URL”"
        }.first
    }

    /// What to write instead of an item; nil if there is nothing to say about it.
    static func explanation(ofItem item: String) -> String? {
        if item.starts(withScalars: "http://") || item.starts(withScalars: "https://") {
            return
                "“\(TargetURL.redacted(item))” is a second URL: one command sends one request; several are read by “bluebonnet curl URL URL”"
        }
        if item.starts(withScalars: "{"), item.ends(withScalars: "}"), item.contains(scalar: "\"") {
            return "“\(item)” is not a request item: to send it as the body write --raw \(ShellWord.quoted(item))"
        }
        return nil
    }

    /// The command that was meant where there is no host of the name.
    static func command(for word: String) -> String? {
        if word == "version" { return "--version" }
        return ["demo", "serve", "manual", "help", "curl"].first { EditDistance.between($0, word) == 1 }
    }
}
