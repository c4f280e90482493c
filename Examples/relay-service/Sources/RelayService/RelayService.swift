// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Hummingbird
import NIOCore
import ServiceLifecycle

/// A service with one route, `GET /notes/{id}`, which streams the response of another service.
///
/// The client uses the event loops of the server, so that a body is passed from one connection to the other on the same
/// threads. On shutdown, the server completes its responses first, and then the client ends.
public struct RelayService: Sendable {
    private let upstream: HTTPSession
    private let transport: NIOTransport

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - address: The URL of the other service.
    ///   - eventLoopGroup: The event loops of server and client.
    /// - Throws: `SessionError` if the address is not a URL.
    public init(relaying address: String, eventLoopGroup: any EventLoopGroup) throws {
        var configuration = Session.Configuration()
        configuration.timeouts.idle = .seconds(10)
        configuration.retries = .idempotent(attempts: 2)
        configuration.retryBudget = RetryBudget()
        self.transport = NIOTransport(eventLoopGroup: eventLoopGroup)
        let session = Session(configuration: configuration, transport: self.transport)
        self.upstream = try HTTPSession(address, session: session)
    }

    /// Returns the server with its client, to be run with `runService()`.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - eventLoopGroup: The event loops that the service was created with.
    ///   - onRunning: Called with the port as soon as requests are accepted.
    /// - Returns: The application.
    public func application(
        port: Int,
        eventLoopGroup: any EventLoopGroup,
        onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        router.get("/notes/:id") { _, context in try await self.note(context.parameters.require("id")) }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            // Services are shut down in reverse order: the client after the server.
            services: [Client(session: self.upstream.session, transport: self.transport)],
            onServerRunning: { onRunning($0.localAddress?.port ?? port) },
            eventLoopGroupProvider: .shared(eventLoopGroup)
        )
    }

    /// Returns the other service's response for a note, as it arrives.
    private func note(_ id: String) async throws -> Hummingbird.Response {
        do {
            let found = try await self.upstream.stream(["notes", id])
            var headers = HTTPFields()
            headers[.contentType] = found.headers[.contentType]
            return Hummingbird.Response(
                status: .ok,
                headers: headers,
                body: Hummingbird.ResponseBody(asyncSequence: found.body)
            )
        } catch let error as SessionError {
            throw HTTPError(Self.status(of: error), message: "the notes are not available (\(error.code))")
        }
    }

    /// Returns the status for an error of the other service.
    private static func status(of error: SessionError) -> HTTPResponse.Status {
        if error.response?.status == .notFound { return .notFound }
        return error.code == .timedOut ? .gatewayTimeout : .badGateway
    }
}

/// The lifecycle of the client, which ends after the server, when its active calls have ended.
private struct Client: Service {
    let session: Session
    let transport: NIOTransport

    func run() async throws {
        try? await gracefulShutdown()
        await self.session.shutdown(within: .seconds(10))
        await self.transport.shutdown()
    }
}
