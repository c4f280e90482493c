// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

extension HTTPFields {
    /// Sends the user information of a URL as Basic credentials (RFC 7617), unless the request has its own.
    ///
    /// - Parameter userInfo: The text before `@`, as written in the URL.
    /// - Throws: `SessionError` with `invalidURL` if it is not percent-encoded UTF-8, or contains what Basic
    ///   credentials cannot.
    mutating func authorize(_ userInfo: String) throws(SessionError) {
        guard !self.contains(.authorization) else { return }
        let (plainUser, plainPassword) = try UserInformation.decode(userInfo)
        // RFC 7617 section 2: the first colon ends the user name; control characters are not allowed.
        guard !plainUser.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestTarget.invalid("a user name with a colon cannot be sent with Basic authentication")
        }
        guard (plainUser + plainPassword).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw RequestTarget.invalid("the URL's user information holds a control character")
        }
        let credentials = Data("\(plainUser):\(plainPassword)".utf8).base64EncodedString()
        self[.authorization] = "Basic \(credentials)"
    }
}

/// The part before `@` in a URL.
enum UserInformation {
    /// The decoded user name and password; the first colon separates them.
    ///
    /// - Throws: `SessionError` with `invalidURL` if it is not percent-encoded UTF-8.
    static func decode(_ userInfo: String) throws(SessionError) -> (user: String, password: String) {
        let colon = userInfo.utf8.firstIndex(of: UInt8(ascii: ":"))
        let user = String(userInfo[..<(colon ?? userInfo.endIndex)])
        let password = colon.map { String(userInfo[userInfo.utf8.index(after: $0)...]) } ?? ""
        guard let plainUser = try? PercentDecoding.decode(user),
            let plainPassword = try? PercentDecoding.decode(password)
        else {
            throw RequestTarget.invalid("the URL's user information is not percent-encoded UTF-8")
        }
        return (plainUser, plainPassword)
    }
}
