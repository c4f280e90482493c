// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetTransport
public import Configuration

extension HTTPSession {
    /// Creates the client that settings describe: the base URL, `baseURL`, and what `Session.Configuration.init(settings:)` reads.
    ///
    /// - Parameters:
    ///   - settings: Where the settings are looked up, once.
    ///   - transport: What carries the bytes; the shared engine unless given, or one of the session's own where the settings ask for it.
    /// - Throws: ``SettingError`` for the first value that cannot be used.
    public init(settings: ConfigReader, transport: (any Transport)? = nil) throws(SettingError) {
        let configuration = try Session.Configuration(settings: settings)
        guard let text = try SettingReader(settings).text("baseURL") else {
            self.init(configuration: configuration, transport: transport)
            return
        }
        do {
            try self.init(text, configuration: configuration, transport: transport)
        } catch {
            throw SettingError(key: "baseURL", value: nil, reason: "cannot be used: \(error.reason)")
        }
    }
}
