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
        .bug(id: "F589"),
        arguments: [
            Case(["AUTHENTICATION_TOKEN": "s3cret\n"], "authentication.token"),
            Case(["AUTHENTICATION_TOKEN": ""], "authentication.token"),
            Case(["AUTHENTICATION_TOKEN": "tök"], "authentication.token"),
            Case(
                ["AUTHENTICATION_USER": "u:x", "AUTHENTICATION_PASSWORD": "p", "AUTHENTICATION_SCHEME": "basic"],
                "authentication.user"
            ),
        ]
    )
    func `credentials that cannot be sent are an error at once, which does not show them`(_ example: Case) {
        let error = #expect(throws: SettingError.self) { try self.configuration(example.variables) }
        #expect(error?.key == example.key)
        #expect(error?.value == nil)
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

    @Test(
        .bug(id: "F276"),
        arguments: [
            Case(["PROXY_URL": "http://h", "PROXY_USER": "ada:s3cret"], "proxy.user"),
            Case(["PROXY_URL": "https://h", "PROXY_USER": "a\nda", "PROXY_PASSWORD": "s3cret"], "proxy.user"),
            Case(["PROXY_URL": "http://ada@h", "PROXY_PASSWORD": "s3cret\u{7F}"], "proxy.password"),
            Case(["PROXY_URL": "socks5://h", "PROXY_PASSWORD": "s3cret"], "proxy.password"),
            Case(["PROXY_URL": "socks5h://h", "PROXY_USER": String(repeating: "u", count: 256)], "proxy.user"),
        ]
    )
    func `credentials that no request could send to the proxy are an error`(_ example: Case) {
        let error = #expect(throws: SettingError.self) { try self.configuration(example.variables) }
        #expect(error?.key == example.key)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test(.bug(id: "F276")) func `credentials of a proxy complete each other`() throws {
        let variables = ["PROXY_URL": "socks5://h", "PROXY_USER": "ada", "PROXY_PASSWORD": "s3cret"]
        #expect(try self.configuration(variables).proxy != nil)
    }

    @Test(.bug(id: "F276")) func `a hedging delay without a second attempt is an error`() throws {
        let variables = ["RETRIES_HEDGING_DELAY": "100ms"]
        for other in [[:], ["RETRIES_ATTEMPTS": "1"]] {
            let error = #expect(throws: SettingError.self) {
                try self.configuration(variables.merging(other) { $1 })
            }
            #expect(error?.key == "retries.hedgingDelay" && error?.value == "100ms")
            #expect(error?.reason == "needs retries.attempts of 2 or more")
        }
        for other in [["RETRIES_ATTEMPTS": "2"], ["PRESET": "resilient"]] {
            let configuration = try self.configuration(variables.merging(other) { $1 })
            #expect(configuration.retries.hedgingDelay == .milliseconds(100))
        }
        #expect(try self.configuration(["RETRIES_HEDGING_DELAY": "none"]).retries.hedgingDelay == nil)
    }

    @Test(.bug(id: "F587"), arguments: ["NONE", "enviroment", "Environment", "off", "localhost"])
    func `a word that is no URL of a proxy is an error, not a host`(_ word: String) throws {
        let error = #expect(throws: SettingError.self) { try self.configuration(["PROXY_URL": word]) }
        #expect(error?.key == "proxy.url" && error?.value == nil)
        #expect(error?.reason.contains("none, or environment") == true)
        for url in ["http://proxy", "proxy:3128", "proxy.example"] {
            #expect(try self.configuration(["PROXY_URL": url]).proxy != nil)
        }
    }

    @Test(
        .bug(id: "F588"),
        arguments: [
            Case(["RETRIES_INITIAL_DELAY": "1s"], "retries.initialDelay"),
            Case(["RETRIES_MAXIMUM_DELAY": "1s", "RETRIES_ATTEMPTS": "1"], "retries.maximumDelay"),
            Case(["RETRIES_RETRY_AFTER_LIMIT": "1s"], "retries.retryAfterLimit"),
            Case(["REDIRECTS_POLICY": "none", "REDIRECTS_MAXIMUM": "3"], "redirects.maximum"),
            Case(["REDIRECTS_POLICY": "none", "REDIRECTS_ALLOWS_DOWNGRADE": "true"], "redirects.allowsDowngrade"),
            Case(["REDIRECTS_POLICY": "none", "REDIRECTS_KEEPS_POST": "true"], "redirects.keepsPost"),
            Case(["REDIRECTS_POLICY": "none", "REDIRECTS_RETRY_AFTER_LIMIT": "1s"], "redirects.retryAfterLimit"),
        ]
    )
    func `a setting of what is switched off is an error`(_ example: Case) {
        let error = #expect(throws: SettingError.self) { try self.configuration(example.variables) }
        #expect(error?.key == example.key && error?.reason.contains("needs") == true)
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
