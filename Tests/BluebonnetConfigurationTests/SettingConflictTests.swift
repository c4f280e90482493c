// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetConfiguration
import BluebonnetTesting
import BluebonnetTransport
import Configuration
import Synchronization
import Testing

/// Settings that would be passed over in silence.
@Suite struct SettingConflictTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var variables: [String: String]
        var key: String
        var testDescription: String {
            self.variables.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
        }

        init(_ variables: [String: String], _ key: String) {
            (self.variables, self.key) = (variables, key)
        }
    }

    private func configuration(_ variables: [String: String]) throws -> Session.Configuration {
        let provider = EnvironmentVariablesProvider(environmentVariables: variables)
        return try Session.Configuration(settings: ConfigReader(provider: provider))
    }

    @Test(
        .bug(id: "F181"),
        arguments: [
            Case(["AUTHENTICATION_SCHEME": "digest"], "authentication.scheme"),
            Case(["AUTHENTICATION_SCHEME": "negotiate"], "authentication.scheme"),
            Case(["AUTHENTICATION_SCHEME": "digest", "AUTHENTICATION_TOKEN": "t"], "authentication.scheme"),
        ]
    )
    func `a scheme without a password is an error`(_ example: Case) {
        let error = #expect(throws: SettingError.self) { try self.configuration(example.variables) }
        #expect(error?.key == example.key)
    }

    @Test(
        .bug(id: "F182"),
        arguments: [
            Case(["PROXY_URL": "none", "PROXY_USER": "ada"], "proxy.user"),
            Case(["PROXY_URL": "none", "PROXY_PASSWORD": "s3cret"], "proxy.password"),
            Case(["PROXY_URL": "environment", "PROXY_BYPASS": "localhost"], "proxy.bypass"),
            Case(["PROXY_URL": "environment", "PROXY_USER": "ada", "PROXY_PASSWORD": "s3cret"], "proxy.user"),
        ]
    )
    func `a setting of a proxy that is not named is an error`(_ example: Case) {
        let error = #expect(throws: SettingError.self) { try self.configuration(example.variables) }
        #expect(error?.key == example.key)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test(.bug(id: "F186")) func `a list of hosts without a proxy that cannot be read is named`() {
        let variables = ["PROXY_URL": "http://ada:s3cret@proxy", "PROXY_BYPASS": "h:99999"]
        let error = #expect(throws: SettingError.self) { try self.configuration(variables) }
        #expect(error?.key == "proxy.bypass" && error?.value == "h:99999")
    }

    @Test(arguments: ["none", "environment"])
    func `a proxy may be that of the environment, or none`(_ text: String) throws {
        let proxy = try self.configuration(["PROXY_URL": text]).proxy
        #expect(proxy != nil)
    }

    @Test(
        .bug(id: "F183"),
        arguments: [
            ConfigContent.doubleArray([0.5]), .boolArray([true]), .bytes([1, 2]), .byteChunkArray([[1], [2]]),
            .stringArray(["0.5"]), .intArray([1]),
        ]
    )
    func `a value that is not one text, number or truth value is an error`(_ content: ConfigContent) {
        for key in ["retries.budget.share", "preset", "proxy.password"] {
            let provider = InMemoryProvider(values: [
                AbsoluteConfigKey(key.split(separator: ".").map(String.init)): .init(content, isSecret: false)
            ])
            let error = #expect(throws: SettingError.self) {
                try Session.Configuration(settings: ConfigReader(provider: provider))
            }
            #expect(error?.key == key)
        }
    }

    @Test(.bug(id: "F184")) func `a base URL is read as a secret, because it may hold a password`() throws {
        let reporter = SecretReporter()
        let provider = EnvironmentVariablesProvider(environmentVariables: ["BASE_URL": "https://ada:s3cret@h/"])
        _ = try HTTPSession(
            settings: ConfigReader(provider: provider, accessReporter: reporter),
            transport: StubTransport { _ in TransportResponse(status: .ok) }
        )
        #expect(reporter.secrets == ["baseURL"])
    }
}
