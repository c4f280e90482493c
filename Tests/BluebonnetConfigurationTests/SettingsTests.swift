// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Configuration
import HTTPTypes
import Synchronization
import Testing

@testable import BluebonnetConfiguration

@Suite struct SettingsTests {
    /// Settings as a process gets them: text, by names in capitals.
    private func configuration(_ variables: [String: String]) throws -> Session.Configuration {
        let provider = EnvironmentVariablesProvider(environmentVariables: variables)
        return try Session.Configuration(settings: ConfigReader(provider: provider))
    }

    @Test func `without settings it is the default configuration`() throws {
        let configuration = try self.configuration([:])
        #expect(configuration.timeouts == Timeouts())
        #expect(configuration.limits == Session.Limits())
        #expect(configuration.redirects.maximumCount == 20 && configuration.retries.maximumAttempts == 1)
        #expect(configuration.cookies == nil && configuration.cache == nil && configuration.engine == nil)
        #expect(configuration.proxy == nil && configuration.maximumConcurrentRequests == nil)
    }

    @Test func `a preset is the beginning, and settings change it`() throws {
        let browser = try self.configuration(["PRESET": "browserLike", "COOKIES": "false"])
        #expect(browser.cache != nil && browser.cookies == nil && browser.deduplication == .identical)
        let resilient = try self.configuration(["PRESET": "resilient", "RETRIES_INITIAL_DELAY": "1s"])
        #expect(resilient.retries.maximumAttempts == 4 && resilient.retries.backoff.initial == .seconds(1))
    }

    @Test func `every setting has its effect`() throws {
        let configuration = try self.configuration([
            "DECODES_CONTENT": "no", "MAXIMUM_CONCURRENT_REQUESTS": "7", "DEDUPLICATION": "true", "COOKIES": "yes",
            "CACHE_MEMORY_BYTE_COUNT": "1000", "HTTP_VERSIONS": "http2",
            "ADDRESS_POLICY": "publicOnly",
            "TIMEOUTS_IDLE": "5s", "TIMEOUTS_CONNECT": "250ms", "TIMEOUTS_TOTAL": "2m", "TIMEOUTS_QUEUE": "none",
            "REDIRECTS_POLICY": "sameOrigin", "REDIRECTS_MAXIMUM": "3", "REDIRECTS_ALLOWS_DOWNGRADE": "true",
            "REDIRECTS_KEEPS_POST": "1", "REDIRECTS_RETRY_AFTER_LIMIT": "none",
            "RETRIES_ATTEMPTS": "5", "RETRIES_MAXIMUM_DELAY": "9s", "RETRIES_RETRY_AFTER_LIMIT": "1h",
            "RETRIES_HEDGING_DELAY": "300ms", "RETRIES_BUDGET_SHARE": "0.5", "RETRIES_BUDGET_MINIMUM_PER_SECOND": "2",
            "POOL_MAXIMUM_CONNECTIONS_PER_ORIGIN": "2", "POOL_MAXIMUM_CONNECTIONS": "20", "POOL_MAXIMUM_USES": "99",
            "POOL_IDLE_TIMEOUT": "10s", "POOL_MAXIMUM_AGE": "1d",
            "LIMITS_RESPONSE_BYTE_COUNT": "1", "LIMITS_DISCARDED_BYTE_COUNT": "2", "LIMITS_REFUSED_BYTE_COUNT": "3",
            "LIMITS_CHALLENGE_COUNT": "4", "LIMITS_PROTECTION_SPACE_COUNT": "5", "LIMITS_CACHE_REFRESH_COUNT": "6",
            "LIMITS_LINE_BYTE_COUNT": "7", "LIMITS_DOCUMENT_BYTE_COUNT": "8", "LIMITS_EVENT_BYTE_COUNT": "9",
            "LIMITS_TOKEN_RESPONSE_BYTE_COUNT": "10",
            "PROXY_URL": "http://proxy.example:3128", "PROXY_USER": "ada", "PROXY_PASSWORD": "s3cret",
            "PROXY_BYPASS": "localhost",
        ])
        #expect(!configuration.decodesContent && configuration.maximumConcurrentRequests == 7)
        #expect(configuration.deduplication == .identical && configuration.cookies != nil)
        #expect(configuration.cache?.store.maximumByteCount == 1000 && configuration.httpVersions == .http2)
        #expect(configuration.addressPolicy == .publicOnly)
        let timeouts = configuration.timeouts
        #expect(timeouts.connect == .milliseconds(250) && timeouts.total == .seconds(120) && timeouts.queue == nil)
        #expect(timeouts.resolve == .seconds(5) && timeouts.responseBody == .seconds(5))
        let redirects = configuration.redirects
        #expect(redirects.maximumCount == 3 && redirects.allowsDowngrade && redirects.keepsPost)
        #expect(redirects.retryAfterLimit == nil)
        let retries = configuration.retries
        #expect(retries.maximumAttempts == 5 && retries.backoff.maximum == .seconds(9))
        #expect(retries.retryAfterLimit == .seconds(3600) && retries.hedgingDelay == .milliseconds(300))
        #expect(configuration.retryBudget?.share == 0.5 && configuration.retryBudget?.minimumPerSecond == 2)
        let pool = configuration.pool
        #expect(pool.maximumConnectionsPerOrigin == 2 && pool.maximumConnections == 20 && pool.maximumUses == 99)
        #expect(pool.idleTimeout == .seconds(10) && pool.maximumAge == .seconds(86_400))
        let limits = configuration.limits
        #expect(limits.responseByteCount == 1 && limits.discardedByteCount == 2 && limits.refusedByteCount == 3)
        #expect(limits.challengeCount == 4 && limits.protectionSpaceCount == 5 && limits.cacheRefreshCount == 6)
        #expect(limits.streams.lineByteCount == 7 && limits.streams.documentByteCount == 8)
        #expect(limits.streams.events.eventByteCount == 9 && limits.tokenResponseByteCount == 10)
        let proxy = try #require(configuration.proxy)
        #expect("\(proxy)".contains("proxy.example") && !"\(proxy)".contains("s3cret"))
    }

    @Test func `numbers and truth values of a file are read as text is`() throws {
        let provider = InMemoryProvider(values: [
            "maximumConcurrentRequests": 3, "decodesContent": false, "retries.budget.share": 0.25,
            "timeouts.total": "90s",
        ])
        let configuration = try Session.Configuration(settings: ConfigReader(provider: provider))
        #expect(configuration.maximumConcurrentRequests == 3 && !configuration.decodesContent)
        #expect(configuration.retryBudget?.share == 0.25 && configuration.timeouts.total == .seconds(90))
    }

    // MARK: Errors

    @Test(arguments: [
        ("PRESET", "browser", "preset"), ("DECODES_CONTENT", "maybe", "decodesContent"),
        ("MAXIMUM_CONCURRENT_REQUESTS", "0", "maximumConcurrentRequests"),
        ("MAXIMUM_CONCURRENT_REQUESTS", "99999999999999999999", "maximumConcurrentRequests"),
        ("TIMEOUTS_CONNECT", "5", "timeouts.connect"), ("TIMEOUTS_TOTAL", "-1s", "timeouts.total"),
        ("TIMEOUTS_IDLE", "1.s", "timeouts.idle"), ("TIMEOUTS_IDLE", "99999999999d", "timeouts.idle"),
        ("RETRIES_ATTEMPTS", "0", "retries.attempts"), ("RETRIES_INITIAL_DELAY", "none", "retries.initialDelay"),
        ("RETRIES_ATTEMPTS", "101", "retries.attempts"), ("RETRIES_MAXIMUM_DELAY", "86401s", "retries.maximumDelay"),
        ("RETRIES_BUDGET_SHARE", "100.1", "retries.budget.share"),
        ("RETRIES_BUDGET_MINIMUM_PER_SECOND", "1000001", "retries.budget.minimumPerSecond"),
        ("RETRIES_BUDGET_SHARE", "nan", "retries.budget.share"), ("REDIRECTS_POLICY", "all", "redirects.policy"),
        ("LIMITS_CHALLENGE_COUNT", "many", "limits.challengeCount"), ("HTTP_VERSIONS", "http3", "httpVersions"),
        ("ADDRESS_POLICY", "public", "addressPolicy"), ("POOL_IDLE_TIMEOUT", "", "pool.idleTimeout"),
    ])
    func `a value that cannot be used is an error that names it`(
        _ variable: String,
        _ value: String,
        _ key: String
    ) throws {
        let error = #expect(throws: SettingError.self) { try self.configuration([variable: value]) }
        #expect(error?.key == key && error?.value == value)
        #expect(error?.description.contains(key) == true)
    }

    @Test func `a list is not one value`() throws {
        let provider = InMemoryProvider(values: ["preset": .init(.stringArray(["default"]), isSecret: false)])
        let error = #expect(throws: SettingError.self) {
            try Session.Configuration(settings: ConfigReader(provider: provider))
        }
        #expect(error?.key == "preset")
    }

    @Test(arguments: [
        (["PROXY_URL": "gopher://user:s3cret@proxy"], "proxy.url"), (["PROXY_PASSWORD": "s3cret"], "proxy.password"),
        (["AUTHENTICATION_PASSWORD": "s3cret"], "authentication.password"),
        (["AUTHENTICATION_TOKEN": "s3cret", "AUTHENTICATION_USER": "ada"], "authentication.token"),
    ])
    func `an error about a secret does not tell it`(_ variables: [String: String], _ key: String) throws {
        let error = #expect(throws: SettingError.self) { try self.configuration(variables) }
        #expect(error?.key == key && error?.value == nil)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test func `passwords and tokens are read as secrets, and nothing else is`() throws {
        let reporter = SecretReporter()
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "PROXY_URL": "http://u:p@proxy", "PROXY_PASSWORD": "p", "AUTHENTICATION_TOKEN": "t", "PRESET": "default",
        ])
        _ = try Session.Configuration(settings: ConfigReader(provider: provider, accessReporter: reporter))
        #expect(reporter.secrets == ["authentication.token", "proxy.password", "proxy.url"])
    }

    // MARK: Clients

    @Test func `a client has its base URL and its credentials`() async throws {
        let transport = StubTransport { _ in TransportResponse(status: .ok) }
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "API_BASE_URL": "https://api.example.com/v1", "API_AUTHENTICATION_TOKEN": "t0ken",
        ])
        let settings = ConfigReader(provider: provider).scoped(to: "api")
        let api = try HTTPSession(settings: settings, transport: transport)
        _ = try await api.get("users")
        let request = try #require(transport.requests.first)
        #expect(request.origin.host == "api.example.com" && request.target == "/v1/users")
        #expect(request.headers[.authorization] == "Bearer t0ken")
        let wrong = EnvironmentVariablesProvider(environmentVariables: ["BASE_URL": "ftp://example.com"])
        let error = #expect(throws: SettingError.self) { try HTTPSession(settings: ConfigReader(provider: wrong)) }
        #expect(error?.key == "baseURL")
    }

    @Test(
        arguments: [
            ("0s", .zero), ("500ms", .milliseconds(500)), ("1.5s", .milliseconds(1_500)),
            ("0.000000001s", .nanoseconds(1)),
            ("2m", .seconds(120)), ("1h", .seconds(3_600)), ("0.5d", .seconds(43_200)),
            ("999999999d", .seconds(999_999_999 * 86_400)), ("", nil), ("5", nil), ("s", nil), (".5s", nil),
            ("1.s", nil),
            ("-1s", nil), ("1 s", nil), ("1S", nil), ("1.2.3s", nil), ("1e3s", nil), ("1000000000s", nil), ("٣s", nil),
        ] as [(String, Duration?)]
    )
    func `a duration is a number and a unit`(_ text: String, _ expected: Duration?) {
        #expect(DurationText.parse(text) == expected)
    }
}

/// Remembers which keys were read as secrets.
final class SecretReporter: AccessReporter {
    private let keys = Mutex<Set<String>>([])

    var secrets: [String] { self.keys.withLock { $0.sorted() } }

    func report(_ event: AccessEvent) {
        guard case .success(let value?) = event.result, value.isSecret else { return }
        self.keys.withLock { _ = $0.insert(event.metadata.key.description) }
    }
}
