import Bluebonnet

struct Garden: Sendable {
    let api: HTTPSession

    init(_ address: String) throws {
        var configuration = Session.Configuration()
        configuration.timeouts.idle = .seconds(10)
        configuration.timeouts.total = .seconds(60)
        configuration.limits.responseByteCount = 4 << 20
        configuration.retries = .idempotent(attempts: 3)
        configuration.retryBudget = RetryBudget()
        self.api = try HTTPSession(address, configuration: configuration)
    }
}
