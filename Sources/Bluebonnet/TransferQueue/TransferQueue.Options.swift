// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension TransferQueue {
    /// How a queue behaves.
    public struct Options: Sendable {
        /// How many transfers may be under way at once: 4 unless changed, from 1 to 1,000.
        public var maximumConcurrentTransfers = 4 {
            didSet { self.maximumConcurrentTransfers = min(max(self.maximumConcurrentTransfers, 1), 1000) }
        }

        /// Which attempts are followed by another one, and when; see ``RetryPolicy/transfers``.
        ///
        /// It counts attempts of a transfer, over restarts of the process; the policy of the session or of the request counts exchanges in an
        /// attempt. Methods, idempotency keys and hedging mean nothing here: a transfer can always be continued.
        public var retries = RetryPolicy.transfers

        /// What the time of day is; a test sets it.
        package var now: @Sendable () -> Date = { Date.now }

        /// Creates the default options.
        public init() {}

        /// Creates options.
        ///
        /// - Parameters:
        ///   - maximumConcurrentTransfers: How many transfers may be under way at once.
        ///   - retries: Which attempts are followed by another one, and when.
        public init(maximumConcurrentTransfers: Int = 4, retries: RetryPolicy = .transfers) {
            self.maximumConcurrentTransfers = min(max(maximumConcurrentTransfers, 1), 1000)
            self.retries = retries
        }
    }
}

extension RetryPolicy {
    /// The policy of a ``TransferQueue``: 20 attempts in a row that bring no byte, with waits of up to an hour.
    ///
    /// A wait is a random time up to 5 seconds after the first failure, doubled with each further one, and not shorter than `Retry-After`
    /// asks, up to a day. Followed by another attempt are the statuses of ``RetryPolicy`` and the errors of ``Failure/transient``, an incomplete
    /// download, a full disk, a folder of the queue that cannot be written, and a file or an upload that is in use. A status of 401 or 403 is,
    /// too, if the attempt has brought bytes: what had expired is then asked for again.
    public static let transfers: RetryPolicy = {
        var policy = RetryPolicy.idempotent(attempts: 20)
        policy.backoff = Backoff(initial: .seconds(5), maximum: .seconds(3600))
        policy.retryAfterLimit = .seconds(86_400)
        policy.failures.formUnion([
            Failure(.incompleteDownload), Failure(.destinationInUse), Failure(.uploadInUse), Failure(.storageFull),
            Failure(.transferQueueUnavailable),
        ])
        return policy
    }()
}
