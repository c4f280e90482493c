// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

extension TransferQueue {
    /// Prepares the request of an attempt.
    ///
    /// It is called once for each attempt, in no particular task: with a request that has the URL of the transfer and no header fields, and with the
    /// transfer. It sets what must not be written to the disk: credentials, and queries with secrets. It may change the URL, for example to a newly
    /// signed one; that of an upload is written to the disk without user information, query and fragment. An error that it throws ends
    /// the attempt; a ``SessionError`` by the rules of ``Options/retries``, any other permanently.
    public typealias Preparation = @Sendable (_ request: inout Request, _ transfer: Transfer) async throws -> Void
}
