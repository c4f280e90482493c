// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
public import Logging

/// Writes the calls of a session to a logger.
///
/// ```swift
/// var logger = Logger(label: "api")
/// logger.logLevel = .debug
/// configuration.observers = [.logging(logger, style: .cURL)]
/// ```
///
/// Without a logger of your own, `.logging` writes one line for each call.
///
/// Each call writes one record at its end, with its error if it failed; the styles beyond ``Style/line`` add records
/// for each exchange. Messages are constant, and variable data is metadata: see `Documentation/Logging.md` for the
/// keys. Every record has the key `call-id`.
///
/// No record contains user information, a query, a body, or the value of a header field that ``LogVisibility`` does not
/// name. Control characters are escaped, so that a server cannot begin a line or control a terminal.
public struct LoggingObserver: SessionObserver {
    /// What is written about a call.
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// One record at the end: method, URL, status, duration, bytes, attempt and hop.
        case line
        /// Also the header fields of each request and of each response.
        case headers
        /// Also each request as a `curl` command for a POSIX shell; see `Request.cURL(redacting:)`.
        case cURL
    }

    /// What is known about a call before its end.
    private struct Record {
        var status: HTTPResponse.Status?
        var cacheStatus: CacheStatus?
        var metrics: ExchangeMetrics?
        var byteCount: Int64?
    }

    let logger: Logger
    let level: Logger.Level
    private let style: Style
    private let visibility: LogVisibility
    private let records = CallRecords<Record>()

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - logger: The logger that receives the records.
    ///   - style: What is written; one record for each call by default.
    ///   - level: The level of all records; `debug` by default. A call that begins while the logger ignores this level
    ///     is not recorded.
    ///   - visibility: The possibly secret data that the records may contain.
    public init(
        _ logger: Logger,
        style: Style = .line,
        level: Logger.Level = .debug,
        showing visibility: LogVisibility = LogVisibility()
    ) {
        self.logger = logger
        self.style = style
        self.level = level
        self.visibility = visibility
    }

    public func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .callStarted:
            if self.logger.logLevel <= self.level { self.records.begin(Record(), for: call.id) }
        case .exchangeStarted(let request):
            self.write(request, call)
        case .responseReceived(let status, let headers, let metrics):
            self.records.change(call.id) { ($0.status, $0.cacheStatus, $0.metrics) = (status, nil, metrics) }
            self.write(status, headers, call)
        case .cacheAnswered(let status, let cacheStatus):
            self.records.change(call.id) { ($0.status, $0.cacheStatus) = (status, cacheStatus) }
        case .authentication(let event):
            self.write(event, call)
        case .responseBodyEnded(let byteCount, let metrics):
            self.records.change(call.id) { ($0.byteCount, $0.metrics) = (byteCount, metrics) }
        case .callEnded:
            self.writeEnd("HTTP call ended", call)
        case .callFailed(let error):
            self.writeEnd("HTTP call failed", call, error: error)
        case .callCancelled:
            self.writeEnd("HTTP call cancelled", call)
        default: break
        }
    }

    // MARK: Exchanges

    private func write(_ request: Request, _ call: Call) {
        guard self.style != .line, self.records[call.id] != nil else { return }
        let logged = LoggedRequest(request: request, visibility: self.visibility)
        switch self.style {
        case .line: break
        case .headers:
            var metadata = self.metadata(of: logged, call)
            metadata["headers"] = .array(logged.headers.map { .string($0) })
            self.log("HTTP request", metadata)
        case .cURL:
            self.log("HTTP request as a command", ["call-id": "\(call.id)", "command": .string(logged.command)])
        }
    }

    private func write(_ status: HTTPResponse.Status, _ headers: HTTPFields, _ call: Call) {
        guard self.style == .headers, self.records[call.id] != nil else { return }
        let lines = LoggedRequest.lines(headers, self.visibility)
        self.log(
            "HTTP response",
            [
                "call-id": "\(call.id)", "status": "\(status.code)",
                "headers": .array(lines.map { .string($0) }),
            ]
        )
    }

    private func write(_ event: AuthenticationEvent, _ call: Call) {
        guard self.style != .line, self.records[call.id] != nil else { return }
        var (message, metadata) = event.logged
        metadata["call-id"] = "\(call.id)"
        self.log(message, metadata)
    }

    // MARK: End

    private func writeEnd(_ message: Logger.Message, _ call: Call, error: SessionError? = nil) {
        guard let record = self.records.end(call.id) else { return }
        var metadata = self.metadata(
            of: LoggedRequest(request: call.originalRequest, visibility: self.visibility),
            call
        )
        metadata["duration"] = "\(call.started.duration(to: call.clock.now))"
        if let status = record.status { metadata["status"] = "\(status.code)" }
        if let cacheStatus = record.cacheStatus { metadata["cache"] = "\(cacheStatus)" }
        if let metrics = record.metrics { metadata["request-bytes"] = "\(metrics.requestBodyByteCount)" }
        if let byteCount = record.byteCount { metadata["response-bytes"] = "\(byteCount)" }
        if let error {
            metadata["error"] = "\(error.code)"
            metadata["reason"] = .string(LogText.line(error.reason))
            if let phase = error.phase { metadata["phase"] = "\(phase.rawValue)" }
        }
        self.log(message, metadata)
    }

    private func metadata(of request: LoggedRequest, _ call: Call) -> Logger.Metadata {
        [
            "call-id": "\(call.id)", "attempt": "\(call.attempt)", "hop": "\(call.hop)",
            "method": "\(request.request.method.rawValue)", "url": .string(request.url),
        ]
    }

    private func log(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        self.logger.log(level: self.level, message, metadata: metadata, source: "Bluebonnet")
    }
}

extension SessionObserver where Self == LoggingObserver {
    /// Writes one record for each call, at the level `info`, to a logger with the label `bluebonnet`.
    ///
    /// That level is the one a logger shows unless it is changed, so the calls appear in the log of a program that has
    /// configured nothing. It needs no `import Logging`.
    public static var logging: Self { .logging(Logger(label: "bluebonnet"), level: .info) }

    /// Writes the calls to a logger; see ``LoggingObserver``.
    ///
    /// - Parameters:
    ///   - logger: The logger that receives the records.
    ///   - style: What is written; one record for each call by default.
    ///   - level: The level of all records; `debug` by default.
    ///   - visibility: The possibly secret data that the records may contain.
    /// - Returns: The observer.
    public static func logging(
        _ logger: Logger,
        style: LoggingObserver.Style = .line,
        level: Logger.Level = .debug,
        showing visibility: LogVisibility = LogVisibility()
    ) -> Self {
        LoggingObserver(logger, style: style, level: level, showing: visibility)
    }
}
