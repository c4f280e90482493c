// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport

extension RequestPlan {
    /// Applies the options for the connection to the server.
    ///
    /// - Parameters:
    ///   - options: The options of the command line.
    ///   - environment: The environment variables of the process.
    /// - Throws: `CommandFailure` for an invalid value.
    mutating func apply(
        _ options: ConnectionOptions,
        environment: [String: String]
    ) throws(CommandFailure) {
        // The largest ratio of a single coding: the output is streamed, so only nested codings are dangerous.
        self.transport.limits.maximumDecodingRatio = 1100
        self.transport.proxy = try options.proxyConfiguration(environment: environment)
        if let path = options.unixSocket {
            guard options.proxy == nil else {
                throw .usage("choose one of --proxy and --unix-socket: nothing goes to both")
            }
            guard !path.isEmpty else { throw .usage("--unix-socket takes the path of a socket") }
            self.transport.unixSocketPath = LocalFile.expanded(path, home: environment["HOME"])
        }
        if let seconds = options.timeout {
            var timeouts = Timeouts()
            timeouts.idle = try Self.duration(seconds, "--timeout")
            self.request.transport.timeouts = timeouts
        } else if self.request.headers[.accept]?.contains("text/event-stream") == true {
            // An event stream may be idle for any time between events.
            var timeouts = Timeouts()
            (timeouts.requestBody, timeouts.responseHead, timeouts.responseBody) = (nil, nil, nil)
            self.request.transport.timeouts = timeouts
        }
        if let seconds = options.maxTime {
            self.request.options.totalTimeout = try Self.duration(seconds, "--max-time")
        }
        if let retry = options.retry {
            guard (0...99).contains(retry) else { throw .usage("--retry takes a number from 0 to 99") }
            self.retries = retry == 0 ? .never : .idempotent(attempts: retry + 1)
        }
    }

    /// - Returns: The duration; nil for 0, which means no limit.
    private static func duration(_ seconds: Double, _ option: String) throws(CommandFailure) -> Duration? {
        guard seconds >= 0, seconds <= 1e7 else {
            throw .usage("\(option) takes a number of seconds, for example 2.5, or 0 for no limit")
        }
        return seconds == 0 ? nil : .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
