// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// Prints requests when they have been sent, the heads of responses whose bodies are saved, and those of redirects.
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
        /// The request of the exchange under way.
        var request: Request?
        /// Whether the head of that request has been sent.
        var isSent = false
        /// The request that is printed when it is known that its response is not a redirect.
        var held: Message?
        /// The head of the last response, which may turn out to be a redirect.
        var response: Message?
        var hasPrinted = false
        /// Whether the response to save has come.
        var isAnswered = false
    }

    /// What is printed of the exchanges of a call.
    enum Scope: Sendable {
        /// The one exchange that there is.
        case single
        /// The last one, whose response is not redirected.
        case last
        /// Every one, with the heads of redirects.
        case all
    }

    private let printer: RequestPrinter
    private let display: ProgressDisplay
    private let scope: Scope
    private let isDownload: Bool
    private let messages: AsyncStream<Message>
    private let queue: AsyncStream<Message>.Continuation
    private let state = Mutex(State())

    /// Creates an echo.
    ///
    /// - Parameters:
    ///   - printer: Prints what its parts say.
    ///   - display: Gives way while something is printed, because both may be on one terminal.
    ///   - scope: What is printed where there are redirects.
    ///   - isDownload: Whether the body of a successful response is saved, so that its head is printed here. The requests for further parts
    ///     of the file are not printed.
    init(printer: RequestPrinter, display: ProgressDisplay, scope: Scope, isDownload: Bool) {
        self.printer = printer
        self.display = display
        self.scope = scope
        self.isDownload = isDownload
        (self.messages, self.queue) = AsyncStream.makeStream()
    }

    /// Whether a request has been printed.
    var hasPrintedRequest: Bool { self.state.withLock { $0.hasPrinted } }

    func observe(_ event: SessionEvent, of call: Call) {
        switch event {
        case .exchangeStarted(let request):
            self.state.withLock { state in
                if !state.isAnswered { (state.request, state.isSent) = (request, false) }
            }
        case .transport(.requestHeadEnded(let head)):
            self.sent(head)
        case .exchangeEnded(let status, let headers, let metrics):
            let isSaved = self.isDownload && status.kind == .successful
            let request: Request? = self.state.withLock { state in
                defer { if isSaved { state.isAnswered = true } }
                return state.isAnswered ? nil : state.request
            }
            guard let request else { return }
            let response = Message.response(request, status, headers, metrics)
            if isSaved {
                self.printHeld()
                if self.printer.parts.contains(.responseHead) { self.queue.yield(response) }
            } else {
                self.state.withLock { $0.response = response }
            }
        case .redirected:
            guard self.scope == .all, self.printer.parts.contains(.responseHead) else { return }
            if let response = self.state.withLock({ $0.response.take() }) { self.queue.yield(response) }
        default: break
        }
    }

    private func sent(_ head: SentRequestHead) {
        let message: Message? = self.state.withLock { state in
            // A head that is sent once more, on another connection, is the same one.
            guard let request = state.request, !state.isSent, !state.isAnswered else { return nil }
            state.isSent = true
            guard self.scope == .last else { return .request(head, request) }
            state.held = .request(head, request)
            return nil
        }
        if let message { self.queue.yield(message) }
    }

    /// Prints the request that was held back: it is the last one.
    private func printHeld() {
        if let held = self.state.withLock({ $0.held.take() }) { self.queue.yield(held) }
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
                defer {
                    self.printHeld()
                    self.queue.finish()
                }
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
            let head = HeadPrinter(style: self.printer.style).response(status, headers, metrics)
            try self.printer.sink.write(bytes: head)
        }
    }
}
