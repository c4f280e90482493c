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
            guard options.proxy?.isEmpty != false else {
                throw .usage("choose one of --proxy and --unix-socket: nothing goes to both")
            }
            guard !path.isEmpty else { throw .usage("--unix-socket takes the path of a socket") }
            self.transport.unixSocketPath = LocalFile.expanded(path, home: environment["HOME"])
        }
        let limits = try options.limits()
        if options.timeout != nil {
            var timeouts = Timeouts()
            timeouts.idle = limits.idle
            self.request.transportOptions.timeouts = timeouts
        } else if self.request.headers[.accept]?.contains("text/event-stream") == true {
            // An event stream may be idle for any time between events.
            var timeouts = Timeouts()
            (timeouts.requestBody, timeouts.responseHead, timeouts.responseBody) = (nil, nil, nil)
            self.request.transportOptions.timeouts = timeouts
        }
        self.request.options.totalTimeout = limits.total
        self.retries = limits.retries
    }
}
