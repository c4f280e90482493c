// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The exit status of the process, as documented in the help text.
enum CommandStatus: Int32, Sendable {
    /// A response was received (with any status, unless `--check-status` is given).
    case success = 0
    /// The command line is invalid: wrong options, a file that cannot be read or written, malformed input.
    case usage = 1
    /// The exchange failed: no connection, an untrusted certificate, a timeout, a malformed or incomplete response.
    case transport = 2
    /// `--check-status` and a response of 300 to 399.
    case redirection = 3
    /// `--check-status` and a response of 400 to 499.
    case clientError = 4
    /// `--check-status` and a response of 500 to 599.
    case serverError = 5
    /// The command was cancelled; the process terminates by the signal, which a shell reports as 128 plus its number.
    case interrupted = 130
    /// The reader of the output closed its end of the pipe (128 + SIGPIPE).
    case outputClosed = 141

    /// Creates the exit status of a response under `--check-status`.
    init(responseStatus code: Int) {
        switch code {
        case 300..<400: self = .redirection
        case 400..<500: self = .clientError
        case 500..<600: self = .serverError
        default: self = .success
        }
    }
}
