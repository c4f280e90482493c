// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

/// Keeps secrets off the disk: a transfer with a secret is refused, so that its author learns where it belongs.
enum TransferSecrets {
    /// Short names of secret values, in addition to those that ``Redaction`` finds by a part of the name.
    private static let names: Set<String> = ["auth", "jwt", "key", "pass", "pwd", "sig"]

    private static let advice = "it would be written to the disk; set it in the function that the queue is given"

    /// Refuses a transfer that contains a secret, or that could never be done.
    ///
    /// - Throws: `SessionError` with `invalidURL` or `invalidRequest`.
    static func check(_ transfer: Transfer) throws(SessionError) {
        let target = try RequestTarget(transfer.url)
        guard target.userInfo == nil else {
            throw SessionError(
                .invalidRequest,
                reason: "the URL of the transfer holds user information: \(Self.advice)"
            )
        }
        guard !Self.looksSecret(target.target) else {
            throw SessionError(
                .invalidRequest,
                reason: "the query of the transfer has a name that says that its value is secret: \(Self.advice)"
            )
        }
        guard transfer.file.isFileURL else {
            throw SessionError(.invalidRequest, reason: "the file of the transfer is not a file URL")
        }
        guard transfer.label?.utf8.count ?? 0 <= TransferRecord.longestLabel else {
            throw SessionError(
                .invalidRequest,
                reason: "the label of the transfer has more than \(TransferRecord.longestLabel) bytes"
            )
        }
    }

    /// Whether the query of a target has a name that suggests a secret value.
    private static func looksSecret(_ target: String) -> Bool {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = target[target.utf8.index(after: mark)...]
        if !Redaction.secrets.pairs(query).utf8.elementsEqual(query.utf8) { return true }
        return query.utf8.split(separator: UInt8(ascii: "&")).contains { pair in
            let name = Substring(pair.prefix { $0 != UInt8(ascii: "=") })
            let plain = (try? PercentDecoding.decode(name, plusIsSpace: true)) ?? String(name)
            return Self.names.contains(plain.asciiLowercased)
        }
    }
}
