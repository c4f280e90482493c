// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import FoundationEssentials

/// The target of a Location field.
struct RedirectTarget {
    /// The URL, without user information that came from the field.
    let url: URL

    /// Whether scheme, host or port differ from those of the request.
    let isCrossOrigin: Bool

    /// Whether it leads from https to http.
    let isDowngrade: Bool

    /// Resolves a Location field against the URL of the request (RFC 3986 section 5, RFC 9110 section 10.2.2).
    ///
    /// - Returns: Nil if the field cannot be used: not a URL, not http or https, or without a host.
    init?(_ location: String, from current: URL) {
        self.init(Array(location.utf8), from: current)
    }

    /// Resolves the bytes of a Location field, which need not be UTF-8.
    init?(_ location: [UInt8], from current: URL) {
        guard let reference = Self.encoded(location),
            let resolved = URL(string: reference, relativeTo: current)?.absoluteURL,
            let source = try? RequestTarget(current), let target = try? RequestTarget(resolved)
        else { return nil }
        let isCrossOrigin = source.origin != target.origin
        self.isCrossOrigin = isCrossOrigin
        self.isDowngrade = source.origin.scheme == .https && target.origin.scheme == .http
        // The field's user information is not a credential of the client; that of the request's own URL is kept within
        // its origin.
        let userInfo = isCrossOrigin ? nil : source.userInfo
        var text = Self.replacingUserInfo(of: resolved.absoluteString, by: userInfo)
        if !text.utf8.contains(UInt8(ascii: "#")), let fragment = Self.fragment(of: current.absoluteString) {
            text += fragment
        }
        guard let url = URL(string: text) else { return nil }
        self.url = url
    }

    /// The field with its host in ASCII, without dot segments after a host, and with escapes for bytes that servers send
    /// and a URL cannot contain; nil if it is empty or contains control characters.
    private static func encoded(_ location: [UInt8]) -> String? {
        guard !location.isEmpty, !location.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            let location = InternationalLocation.ascii(location)
        else { return nil }
        return String(decoding: DotSegments.removed(from: URLText.escaped(location)), as: UTF8.self)
    }

    /// A URL without its user information.
    static func removingUserInfo(from url: URL) -> URL {
        URL(string: self.replacingUserInfo(of: url.absoluteString, by: nil)) ?? url
    }

    /// The text of a URL with the user information of another one, or with none.
    private static func replacingUserInfo(of text: String, by userInfo: String?) -> String {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let start = bytes.index(colon, offsetBy: 3, limitedBy: bytes.endIndex)
        else { return text }
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let host = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { bytes.index(after: $0) } ?? start
        let prefix = userInfo.map { "\($0)@" } ?? ""
        return "\(text[..<start])\(prefix)\(text[host...])"
    }

    /// The fragment of a URL with its number sign; nil if it has none.
    private static func fragment(of text: String) -> Substring? {
        text.utf8.firstIndex(of: UInt8(ascii: "#")).map { text[$0...] }
    }
}
