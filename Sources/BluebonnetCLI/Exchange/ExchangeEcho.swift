// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// An observer that prints the requests that were sent, and the heads of responses that are saved or redirected.
///
/// Events are delivered on the event loops, which must not block: ``whilePrinting(_:)`` prints them from a queue.
final class ExchangeEcho: SessionObserver {
    private enum Message {
        case request(SentRequestHead, Request)
        case response(Request, HTTPResponse.Status, HTTPFields, ExchangeMetrics)
    }

    /// The result of one of the two tasks of ``whilePrinting(_:)``.
    private enum Half<Value: Sendable>: Sendable {
        case printing((any Error)?)
        case exchange(Result<Value, any Error>)
    }

    private struct State {
        /// The request of the current exchange.
        var request: Request?
        /// Whether the head of that request has been sent.
        var isSent = false
        /// The request that is held back until its response is known not to be a redirect.
        var held: Message?
        /// The head of the last response, which may be a redirect.
        var response: Message?
        var hasPrinted = false
        /// Whether the response that is saved has been received.
        var isAnswered = false
    }

    /// The exchanges of a call that are printed.
    enum Scope: Sendable {
        /// The only exchange.
        case single
        /// The last exchange, whose response is not a redirect.
        case last
        /// Every exchange, with the heads of redirects.
        case all
        /// Every exchange, with the heads of all responses: also of challenges, and of attempts that are repeated.
        case everyHead
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
    ///   - printer: The printer, whose parts determine what is printed.
    ///   - display: The progress display, which is hidden during printing because both may use the same terminal.
    ///   - scope: The exchanges that are printed if there are redirects.
    ///   - isDownload: Whether the body of a successful response is saved, so that its head is printed by the echo.
    ///     Requests for further parts of the file are not printed.
    init(printer: RequestPrinter, display: ProgressDisplay, scope: Scope, isDownload: Bool) {
        self.printer = printer
        self.display = display
        self.scope = scope
        self.isDownload = isDownload
        (self.messages, self.queue) = AsyncStream.makeStream()
    }

    /// Whether a request has been printed.
    var hasPrintedRequest: Bool { self.state.withLock { $0.hasPrinted } }

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .exchangeStarted(let request):
            let earlier: Message? = self.state.withLock { state in
                guard !state.isAnswered else { return nil }
                (state.request, state.isSent) = (request, false)
                return self.printsEveryHead ? state.response.take() : nil
            }
            if let earlier { self.queue.yield(earlier) }
        case .transport(.requestHeadEnded(let head)):
            self.sent(head)
        case .responseReceived(let status, let headers, let metrics):
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

    private var printsEveryHead: Bool { self.scope == .everyHead && self.printer.parts.contains(.responseHead) }

    /// Prints the head of a response that became an error, for example one redirect too many.
    private func printHead(before error: any Error) {
        // A response that is not saved because of its status is printed with its body.
        guard self.printsEveryHead, (error as? SessionError)?.code != .unacceptableStatus,
            let response = self.state.withLock({ $0.response.take() })
        else { return }
        self.queue.yield(response)
    }

    private func sent(_ head: SentRequestHead) {
        let message: Message? = self.state.withLock { state in
            // A head that is sent again on another connection is printed once.
            guard let request = state.request, !state.isSent, !state.isAnswered else { return nil }
            state.isSent = true
            guard self.scope == .last else { return .request(head, request) }
            state.held = .request(head, request)
            return nil
        }
        if let message { self.queue.yield(message) }
    }

    /// Prints the request that was held back, which is the last one.
    private func printHeld() {
        if let held = self.state.withLock({ $0.held.take() }) { self.queue.yield(held) }
    }

    /// Performs an exchange and prints its messages meanwhile.
    ///
    /// - Parameter exchange: The exchange.
    /// - Returns: The result of the exchange, after everything has been printed.
    /// - Throws: The error of printing, which cancels the exchange; the error of the exchange.
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
                    self.printHead(before: error)
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
