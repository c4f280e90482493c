// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension TransferQueue {
    /// The options of a queue.
    public struct Options: Sendable {
        /// The largest number of concurrent transfers: 4 unless changed, from 1 to 1,000.
        public var maximumConcurrentTransfers = 4 {
            didSet { self.maximumConcurrentTransfers = min(max(self.maximumConcurrentTransfers, 1), 1000) }
        }

        /// Which failed attempts are followed by another one, and when; see ``RetryPolicy/transfers``.
        ///
        /// It counts the attempts of a transfer, across restarts of the process; the policy of the session or of the
        /// request counts exchanges within an attempt. Idempotency keys and hedging have no effect here: a transfer can be
        /// continued. Methods have one effect: if it is unknown whether the server has processed an upload, and the
        /// server cannot be asked, another attempt follows only if they contain the method of the request that carried
        /// the whole file, or joined its parts. Otherwise the transfer has failed, and
        /// ``TransferQueue/resume(_:)`` sends it again.
        public var retries = RetryPolicy.transfers

        /// The source of the time of day; tests replace it.
        package var now: @Sendable () -> Date = { Date.now }

        /// Creates options.
        ///
        /// - Parameters:
        ///   - maximumConcurrentTransfers: The largest number of concurrent transfers.
        ///   - retries: Which failed attempts are followed by another one, and when.
        public init(maximumConcurrentTransfers: Int = 4, retries: RetryPolicy = .transfers) {
            self.maximumConcurrentTransfers = min(max(maximumConcurrentTransfers, 1), 1000)
            self.retries = retries
        }
    }
}

extension RetryPolicy {
    /// The policy of a ``TransferQueue``: 20 successive attempts without progress, with delays of up to an hour.
    ///
    /// A delay is a random time up to 5 seconds after the first failure, doubled with each further one, and not shorter
    /// than `Retry-After` asks, up to a day. Another attempt follows the statuses of ``RetryPolicy`` and the errors of
    /// ``Failure/transient``, an incomplete download, a full disk, a lack of file descriptors or memory, a folder of the
    /// queue that cannot be written, and a file or an upload that is in use. It also follows a status of 401 or 403 if
    /// the attempt has made progress: expired credentials are then requested again.
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
