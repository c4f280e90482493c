// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
public import Tracing

/// Creates a span for each exchange, and propagates its context in the header fields of the request.
///
/// ```swift
/// configuration.networkInterceptors = [.tracing]
/// ```
///
/// The spans follow OpenTelemetry's semantic conventions for HTTP clients (stable since 1.23): kind client, the method
/// as the name, and the attributes `http.request.method`, `http.request.method_original`, `http.request.resend_count`,
/// `url.full` (without user information, query and fragment), `server.address`, `server.port`,
/// `http.response.status_code`, `network.protocol.version` and `error.type`. The tracer chooses the header fields for
/// the context, for example `traceparent` (W3C Trace Context). The span is a child of the calling task's current span.
///
/// A span ends with the body of its response: when the body's end has been read, when reading fails, or when the body
/// is dropped.
///
/// In ``Session/Configuration/networkInterceptors`` it sees each attempt and each hop, as the conventions require. In
/// ``Session/Configuration/interceptors`` it creates one span for a call, before the session's header fields are added.
public struct TracingInterceptor: Interceptor {
    private let tracer: (any Tracer)?

    /// Creates an interceptor.
    ///
    /// - Parameter tracer: The tracer; nil, the default, for the program's bootstrapped one
    ///   (`InstrumentationSystem.tracer`).
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    public func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let tracer = self.tracer ?? InstrumentationSystem.tracer
        let span = ExchangeSpan(
            tracer.startAnySpan(TelemetryLabels.known(request.method) ?? "HTTP", ofKind: .client)
        )
        span.began(request, target: try? next.target(of: request), resendCount: next.call.exchangeCount)
        var request = request
        tracer.inject(span.context, into: &request.headers, using: HeaderInjector())
        do {
            let response = try await InstrumentationContext.$current.withValue(span.context) { [request] in
                try await next(request)
            }
            return span.following(response)
        } catch {
            span.failed(error)
            throw error
        }
    }
}

/// Writes a trace context into header fields.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPFields) {
        guard let name = HTTPField.Name(key), HTTPField.isValidValue(value) else { return }
        headers[name] = value
    }
}

extension Interceptor where Self == TracingInterceptor {
    /// Creates a span for each exchange with the program's bootstrapped tracer; see ``TracingInterceptor``.
    public static var tracing: Self { TracingInterceptor() }

    /// Creates a span for each exchange; see ``TracingInterceptor``.
    ///
    /// - Parameter tracer: The tracer.
    /// - Returns: The interceptor.
    public static func tracing(_ tracer: any Tracer) -> Self { TracingInterceptor(tracer: tracer) }
}
