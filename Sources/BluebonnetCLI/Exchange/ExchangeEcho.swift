// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// Prints requests when they have been sent, and the heads of responses whose bodies are saved.
///
/// The events of the session come on its event loops, where nothing may block: they are put into a queue, which ``whilePrinting(_:)`` empties.
final class ExchangeEcho: SessionObserver {
    private enum Message {
        case request(SentRequestHead, Request)
        case response(Request, HTTPResponse.Status, HTTPFields, ExchangeMetrics)
    }

    /// One of the two halves of ``whilePrinting(_:)`` has ended.
    private enum Half<Value: Sendable>: Sendable {
        case printing((any Error)?)
        case exchange(Result<Value, any Error>)
    }

    private struct State {
        /// The request of the exchange under way, until it is printed.
        var request: Request?
        var hasPrinted = false
    }

    private let printer: RequestPrinter
    private let display: ProgressDisplay
    private let printsResponses: Bool
    private let messages: AsyncStream<Message>
    private let queue: AsyncStream<Message>.Continuation
    private let state = Mutex(State())

    /// Creates an echo.
    ///
    /// - Parameters:
    ///   - printer: Prints what its parts say.
    ///   - display: Gives way while something is printed, because both may be on one terminal.
    ///   - printsResponses: Whether the heads of successful responses are printed.
    init(printer: RequestPrinter, display: ProgressDisplay, printsResponses: Bool) {
        self.printer = printer
        self.display = display
        self.printsResponses = printsResponses
        (self.messages, self.queue) = AsyncStream.makeStream()
    }

    /// Whether a request has been printed.
    var hasPrintedRequest: Bool { self.state.withLock { $0.hasPrinted } }

    func observe(_ event: SessionEvent, of call: Call) {
        switch event {
        case .exchangeStarted(let request):
            self.state.withLock { $0.request = request }
        case .transport(.requestHeadEnded(let head)):
            // A head that is sent once more, on another connection, is the same one.
            guard let request = self.state.withLock({ $0.request.take() }) else { return }
            self.queue.yield(.request(head, request))
        case .exchangeEnded(let status, let headers, let metrics) where status.kind == .successful:
            if self.printsResponses { self.queue.yield(.response(call.originalRequest, status, headers, metrics)) }
        default: break
        }
    }

    /// Runs an exchange and prints what it sends meanwhile.
    ///
    /// - Parameter exchange: What sends the request.
    /// - Returns: What the exchange returns, when everything is printed.
    /// - Throws: What printing throws, which cancels the exchange; what the exchange throws.
    func whilePrinting<Value: Sendable>(_ exchange: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let (failure, result) = await withTaskGroup(of: Half<Value>.self) { group in
            group.addTask { .printing(await self.printAll()) }
            group.addTask {
                defer { self.queue.finish() }
                do {
                    return .exchange(.success(try await exchange()))
                } catch {
                    return .exchange(.failure(error))
                }
            }
            var failure: (any Error)?
            var result: Result<Value, any Error> = .failure(CancellationError())
            for await half in group {
                switch half {
                case .exchange(let ended): result = ended
                case .printing(let error):
                    failure = error
                    if error != nil { group.cancelAll() }
                }
            }
            return (failure, result)
        }
        if let failure { throw failure }
        return try result.get()
    }

    private func printAll() async -> (any Error)? {
        do {
            for await message in self.messages {
                try self.display.whileHidden { try self.print(message) }
            }
            return nil
        } catch {
            return error
        }
    }

    private func print(_ message: Message) throws {
        switch message {
        case .request(let head, let request):
            self.state.withLock { $0.hasPrinted = true }
            try self.printer.print(head: head.bytes, version: head.httpVersion, of: request)
        case .response(let request, let status, let headers, let metrics):
            try self.printer.printSeparator(after: request)
            let head = HeadPrinter(style: self.printer.style).response(status, headers, version: metrics.httpVersion)
            try self.printer.sink.write(bytes: head)
        }
    }
}
