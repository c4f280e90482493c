// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's reasons for a failure to connect.
extension TransportError {
    /// Whether the process or the system had no file descriptor left, at least for one of the addresses.
    static func isDescriptorShortage(_ error: any Error) -> Bool {
        self.systemCodes(of: error).contains { $0 == EMFILE || $0 == ENFILE }
    }

    /// Whether the local address was refused, for each of the addresses.
    static func isUnknownLocalAddress(_ error: any Error) -> Bool {
        let codes = self.systemCodes(of: error)
        return !codes.isEmpty && codes.allSatisfy { $0 == EADDRNOTAVAIL }
    }

    /// Returns the value of `errno` for each address that was tried; 0 where another reason than the system's was given.
    private static func systemCodes(of error: any Error) -> [CInt] {
        switch error {
        case let error as IOError: [error.errnoCode]
        case let error as SystemError: [error.code]
        case let error as AddressFailures: error.failures.flatMap { self.systemCodes(of: $0.error) }
        case let error as TransportError: error.underlying.map { self.systemCodes(of: $0) } ?? [0]
        default: [0]
        }
    }
}
