// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
import BluebonnetTransport
public import Configuration

extension Session.Configuration {
    /// Creates a configuration from settings; those that are missing keep the value of their preset.
    ///
    /// ```swift
    /// let settings = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "http")
    /// let session = Session(configuration: try Session.Configuration(settings: settings))
    /// ```
    ///
    /// The keys are listed in `Documentation/Configuration.md`. Passwords and tokens are read as secrets. A key that is
    /// not listed there is ignored, because a reader cannot list its keys.
    ///
    /// - Parameter settings: The settings, which are read once: a later change has no effect.
    /// - Throws: ``SettingError`` for the first value that cannot be used.
    public init(settings: ConfigReader) throws(SettingError) {
        let reader = SettingReader(settings)
        let presets: KeyValuePairs<String, Self> = [
            "default": .default, "browserLike": .browserLike, "resilient": .resilient,
        ]
        self = try reader.word("preset", presets) ?? .default
        try reader.flag("decodesContent").replace(&self.decodesContent)
        if let count = try reader.count("maximumConcurrentRequests", from: 1) { self.maximumConcurrentRequests = count }
        try self.timeouts.apply(reader.scoped(to: "timeouts"))
        try self.limits.apply(reader.scoped(to: "limits"))
        try self.redirects.apply(reader.scoped(to: "redirects"))
        try self.applyRetries(reader.scoped(to: "retries"))
        try self.applyStores(reader)
        try self.applyProxy(reader.scoped(to: "proxy"))
        try self.applyEngine(reader)
        try self.applyAuthentication(reader.scoped(to: "authentication"))
    }

    private mutating func applyStores(_ reader: SettingReader) throws(SettingError) {
        if let isShared = try reader.flag("deduplication") { self.deduplication = isShared ? .identical : .none }
        if let hasJar = try reader.flag("cookies") {
            self.cookies = hasJar ? self.cookies ?? CookieJar() : nil
        }
        let cache = reader.scoped(to: "cache")
        if let count = try cache.count("memoryByteCount") {
            self.cache = count == 0 ? nil : .memory(maximumByteCount: count)
        }
    }

    private mutating func applyRetries(_ reader: SettingReader) throws(SettingError) {
        if let attempts = try reader.count("attempts", from: 1, to: 100) {
            self.retries = attempts == 1 ? .never : .idempotent(attempts: attempts)
        }
        if self.retries.maximumAttempts == 1 {
            let names = ["initialDelay", "maximumDelay", "retryAfterLimit"]
            try reader.refuse(names, "needs \(reader.key("attempts")) of 2 or more")
        }
        try reader.dayAtMost("initialDelay").replace(&self.retries.backoff.initial)
        try reader.dayAtMost("maximumDelay").replace(&self.retries.backoff.maximum)
        try reader.duration("retryAfterLimit").replace(&self.retries.retryAfterLimit)
        try self.applyHedging(reader)
        let budget = reader.scoped(to: "budget")
        var (share, rate) = (self.retryBudget?.share, self.retryBudget?.minimumPerSecond)
        if let new = try budget.share("share", to: 100) { share = new }
        if let new = try budget.count("minimumPerSecond", to: 1_000_000) { rate = new }
        if let share, let rate { self.retryBudget = RetryBudget(share: share, minimumPerSecond: rate) }
    }

    private mutating func applyHedging(_ reader: SettingReader) throws(SettingError) {
        guard let delay = try reader.limit("hedgingDelay") else { return }
        // The second request is the second attempt.
        guard delay == nil || self.retries.maximumAttempts > 1 else {
            let text = try reader.text("hedgingDelay")
            throw reader.invalid("hedgingDelay", text, "needs \(reader.key("attempts")) of 2 or more")
        }
        self.retries.hedgingDelay = delay
    }

    private mutating func applyProxy(_ reader: SettingReader) throws(SettingError) {
        let (user, password) = (try reader.text("user"), try reader.secret("password"))
        let bypass = try reader.text("bypass")
        // A proxy's URL may contain a password.
        guard let text = try reader.secret("url") else {
            for (name, value) in [("user", user), ("password", password), ("bypass", bypass)] where value != nil {
                throw reader.invalid(name, nil, "needs the setting \(reader.key("url"))")
            }
            return
        }
        switch text {
        case "none", "environment":
            for (name, value) in [("user", user), ("password", password), ("bypass", bypass)] where value != nil {
                throw reader.invalid(name, nil, "needs the URL of a proxy in \(reader.key("url"))")
            }
            self.proxy = text == "none" ? ProxyConfiguration.direct : .environment
        default:
            var proxy = try Self.proxy(text, reader)
            if let user {
                proxy.username = user
                try Self.check(proxy, "user", reader)
            }
            if let password {
                proxy.password = password
                try Self.check(proxy, "password", reader)
            }
            var direct = ProxyBypass.none
            if let bypass { direct = try Self.bypass(bypass, reader) }
            self.proxy = .fixed(proxy, bypass: direct)
        }
    }

    private static func proxy(_ text: String, _ reader: SettingReader) throws(SettingError) -> Proxy {
        // A misspelt none or environment would be the name of a host, which gets every request.
        guard text.utf8.contains(where: { ".:".utf8.contains($0) }) else {
            throw reader.invalid("url", nil, "has to be a URL such as http://proxy.example:3128, none, or environment")
        }
        do throws(TransportError) {
            return try Proxy(text)
        } catch {
            throw reader.invalid("url", nil, "cannot be used: \(error.reason)")
        }
    }

    /// Checks a proxy after one of its properties was set.
    private static func check(_ proxy: Proxy, _ name: String, _ reader: SettingReader) throws(SettingError) {
        do throws(TransportError) {
            try proxy.validate()
        } catch {
            // Without the value: a user name with a colon may hold the password too.
            throw reader.invalid(name, nil, "cannot be used: \(error.reason)")
        }
    }

    private static func bypass(_ text: String, _ reader: SettingReader) throws(SettingError) -> ProxyBypass {
        do throws(TransportError) {
            return try ProxyBypass(text)
        } catch {
            throw reader.invalid("bypass", text, "cannot be used: \(error.reason)")
        }
    }

    private mutating func applyEngine(_ reader: SettingReader) throws(SettingError) {
        let versions: KeyValuePairs<String, NIOTransport.HTTPVersions> = [
            "negotiated": .negotiated, "http1": .http1, "http2": .http2,
        ]
        if let versions = try reader.word("httpVersions", versions) { self.httpVersions = versions }
        let policies: KeyValuePairs<String, AddressPolicy> = ["unrestricted": .unrestricted, "publicOnly": .publicOnly]
        if let policy = try reader.word("addressPolicy", policies) { self.addressPolicy = policy }
        let pool = reader.scoped(to: "pool")
        // A session has its own engine only if one of these is set.
        if let count = try pool.count("maximumConnectionsPerOrigin", from: 1) {
            self.pool.maximumConnectionsPerOrigin = count
        }
        if let count = try pool.count("maximumConnections", from: 1) { self.pool.maximumConnections = count }
        if let count = try pool.count("maximumUses", from: 1) { self.pool.maximumUses = count }
        if let time = try pool.duration("idleTimeout") { self.pool.idleTimeout = time }
        if let time = try pool.limit("maximumAge") { self.pool.maximumAge = time }
    }

    private mutating func applyAuthentication(_ reader: SettingReader) throws(SettingError) {
        let (user, password) = (try reader.text("user"), try reader.secret("password"))
        let schemes: KeyValuePairs<String, @Sendable (String, String) -> AuthenticationPolicy> = [
            "any": { .password($0, $1) }, "basic": { .basic($0, $1) }, "digest": { .digest($0, $1) },
        ]
        let scheme = try reader.word("scheme", schemes)
        if let token = try reader.secret("token") {
            guard user == nil, password == nil else {
                throw reader.invalid("token", nil, "excludes \(reader.key("user")) and \(reader.key("password"))")
            }
            guard scheme == nil else { throw reader.invalid("scheme", nil, "excludes \(reader.key("token"))") }
            guard token.isBearerToken else {
                let reason = "is empty, or holds a space, a line break or another character that no token can have"
                throw reader.invalid("token", nil, reason)
            }
            self.authentication = .bearer(token)
            return
        }
        guard let user, let password else {
            guard user == nil, password == nil else {
                throw reader.invalid(user == nil ? "password" : "user", nil, "needs the other of user and password")
            }
            guard scheme == nil else {
                throw reader.invalid("scheme", nil, "needs \(reader.key("user")) and \(reader.key("password"))")
            }
            return
        }
        if try reader.text("scheme") == "basic", user.utf8.contains(UInt8(ascii: ":")) {
            throw reader.invalid("user", nil, "holds a colon, which cannot be sent with Basic authentication")
        }
        self.authentication = scheme?(user, password) ?? .password(user, password)
    }
}
