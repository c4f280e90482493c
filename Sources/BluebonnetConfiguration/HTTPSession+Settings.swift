// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetTransport
public import Configuration

extension HTTPSession {
    /// Creates a client from settings: the base URL, `baseURL`, and those of `Session.Configuration.init(settings:)`.
    ///
    /// - Parameters:
    ///   - settings: The settings, which are read once.
    ///   - transport: The transport; by default the shared engine, or the session's own if the settings need it.
    /// - Throws: ``SettingError`` for the first value that cannot be used.
    public init(settings: ConfigReader, transport: (any Transport)? = nil) throws(SettingError) {
        let configuration = try Session.Configuration(settings: settings)
        // It may contain a password.
        guard let text = try SettingReader(settings).secret("baseURL") else {
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
