// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

extension CookieJar {
    /// Sets the cookies of a `cookies.txt`, the format of Netscape, curl and wget, blocking the thread.
    ///
    /// The rules of ``set(_:)`` apply to each of them. Invalid and expired cookies are ignored. The format does not
    /// have SameSite.
    ///
    /// - Parameter file: The file, of 64 MiB at most; of a pipe, everything until its writer closes it.
    /// - Returns: The number of cookies that were set.
    /// - Throws: ``SessionError`` with ``SessionError/Code/storageFailed`` if the file cannot be read.
    @discardableResult
    public func importCookies(from file: URL) throws(SessionError) -> Int {
        let path = file.path(percentEncoded: false)
        let bytes: [UInt8]
        do {
            bytes = try FileContent.read(path, upTo: 64 * 1024 * 1024)
        } catch {
            throw SessionError(
                .storageFailed,
                reason: "the file of cookies “\(file.lastPathComponent)” could not be read: \(error.text)",
                underlying: error
            )
        }
        var count = 0
        self.change { transaction in
            for cookie in NetscapeCookieFile.cookies(in: bytes, at: transaction.time) {
                guard !cookie.isExpired(at: transaction.time), (try? self.check(cookie)) != nil else { continue }
                transaction.set(cookie.limited(to: self.options.maximumLifetime, from: transaction.time))
                count += 1
            }
        }
        return count
    }

    /// Writes all cookies into a `cookies.txt` that curl and wget read, blocking the thread.
    ///
    /// The file is written completely before it replaces any other, and only its owner can read it. Session cookies are
    /// included.
    ///
    /// - Parameter file: The file's URL; its directory must exist.
    /// - Returns: The cookies that the format cannot hold: those without a name, and those that contain a tab.
    /// - Throws: ``SessionError`` with ``SessionError/Code/storageFailed``, ``SessionError/Code/storageFull`` or
    ///   ``SessionError/Code/destinationUnavailable``.
    @discardableResult
    public func exportCookies(to file: URL) throws(SessionError) -> [Cookie] {
        let path = file.path(percentEncoded: false)
        guard FileLocation(path: path) != nil else {
            throw SessionError(.destinationUnavailable, reason: "the path of the cookies cannot be a file's")
        }
        let (bytes, omitted) = self.netscapeFile()
        try SessionError.aboutCookieFile { try PrivateFile.replace(path, with: bytes) }
        return omitted
    }

    /// Returns the bytes of a `cookies.txt`, and the cookies that the format cannot hold.
    package func netscapeFile() -> (bytes: [UInt8], omitted: [Cookie]) { NetscapeCookieFile.text(of: self.cookies) }
}
