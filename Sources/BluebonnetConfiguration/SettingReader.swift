// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Configuration

/// Reads settings as text, however a provider stores them, and converts them strictly into values.
///
/// A value of the wrong kind is an error here; the functions of `ConfigReader` treat it as missing.
struct SettingReader {
    private let reader: ConfigReader
    private let prefix: String

    init(_ reader: ConfigReader, prefix: String = "") {
        self.reader = reader
        self.prefix = prefix
    }

    /// The settings below a key.
    func scoped(to name: String) -> SettingReader {
        SettingReader(self.reader.scoped(to: ConfigKey([name])), prefix: "\(self.prefix)\(name).")
    }

    func key(_ name: String) -> String { "\(self.prefix)\(name)" }

    // MARK: Text

    /// The text of a setting; nil if there is none.
    func text(_ name: String, isSecret: Bool = false) throws(SettingError) -> String? {
        let key = ConfigKey([name])
        if let text = self.reader.string(forKey: key, isSecret: isSecret) { return text }
        if let number = self.reader.int(forKey: key, isSecret: isSecret) { return "\(number)" }
        if let number = self.reader.double(forKey: key, isSecret: isSecret) { return "\(number)" }
        if let answer = self.reader.bool(forKey: key, isSecret: isSecret) { return "\(answer)" }
        guard self.reader.stringArray(forKey: key, isSecret: isSecret) == nil,
            self.reader.intArray(forKey: key, isSecret: isSecret) == nil,
            self.reader.doubleArray(forKey: key, isSecret: isSecret) == nil,
            self.reader.boolArray(forKey: key, isSecret: isSecret) == nil,
            self.reader.byteChunkArray(forKey: key, isSecret: isSecret) == nil
        else { throw SettingError(key: self.key(name), value: nil, reason: "is a list, and has to be one value") }
        guard self.reader.bytes(forKey: key, isSecret: isSecret) == nil else {
            throw SettingError(key: self.key(name), value: nil, reason: "consists of bytes, and has to be text")
        }
        return nil
    }

    /// A secret, which is marked as one for observers of the reader.
    func secret(_ name: String) throws(SettingError) -> String? { try self.text(name, isSecret: true) }

    // MARK: Values

    /// One of several words.
    func word<Value>(_ name: String, _ words: KeyValuePairs<String, Value>) throws(SettingError) -> Value? {
        guard let text = try self.text(name) else { return nil }
        for (word, value) in words where word.utf8.elementsEqual(text.utf8) { return value }
        throw self.invalid(name, text, "has to be one of \(words.map(\.key).joined(separator: ", "))")
    }

    func flag(_ name: String) throws(SettingError) -> Bool? {
        guard let text = try self.text(name) else { return nil }
        switch text {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default: throw self.invalid(name, text, "has to be true or false")
        }
    }

    /// An integer from a minimum to a maximum, which is that of the policy.
    func count(_ name: String, from minimum: Int = 0, to maximum: Int = .max) throws(SettingError) -> Int? {
        guard let text = try self.text(name) else { return nil }
        guard let number = Int(text), number >= minimum, number <= maximum else {
            let range = maximum == .max ? "\(minimum) or more" : "from \(minimum) to \(maximum)"
            throw self.invalid(name, text, "has to be a whole number, \(range)")
        }
        return number
    }

    /// A number from 0 to a maximum.
    func share(_ name: String, to maximum: Int) throws(SettingError) -> Double? {
        guard let text = try self.text(name) else { return nil }
        guard let number = Double(text), number >= 0, number <= Double(maximum) else {
            throw self.invalid(name, text, "has to be a number from 0 to \(maximum)")
        }
        return number
    }

    /// A duration; `none` is no limit.
    func limit(_ name: String) throws(SettingError) -> Duration?? {
        guard let text = try self.text(name) else { return nil }
        if text.utf8.elementsEqual("none".utf8) { return .some(nil) }
        guard let duration = DurationText.parse(text) else {
            throw self.invalid(name, text, "has to be a duration such as 500ms, 1.5s, 2m, 1h or 1d, or none")
        }
        return duration
    }

    func duration(_ name: String) throws(SettingError) -> Duration? {
        guard let text = try self.text(name) else { return nil }
        guard let duration = DurationText.parse(text) else {
            throw self.invalid(name, text, "has to be a duration such as 500ms, 1.5s, 2m, 1h or 1d")
        }
        return duration
    }

    /// A duration of at most one day.
    func dayAtMost(_ name: String) throws(SettingError) -> Duration? {
        let duration = try self.duration(name)
        if let duration, duration > .seconds(86_400) {
            throw self.invalid(name, try self.text(name), "has to be a duration of 1d at most")
        }
        return duration
    }

    /// Refuses settings that would have no effect.
    func refuse(_ names: [String], _ reason: String) throws(SettingError) {
        for name in names {
            if let text = try self.text(name) { throw self.invalid(name, text, reason) }
        }
    }

    func invalid(_ name: String, _ text: String?, _ reason: String) -> SettingError {
        SettingError(key: self.key(name), value: text, reason: reason)
    }
}

extension Optional {
    /// Replaces a default with a setting.
    func replace(_ target: inout Wrapped) {
        if let self { target = self }
    }
}
