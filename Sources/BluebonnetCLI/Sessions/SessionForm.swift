// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// The format of header fields, credentials and cookies in HTTPie's session files.
enum SessionForm {
    /// The first members of a file that is created.
    static let about: JSONValue = ["about": "bluebonnet session file", "bluebonnet": .string(CommandLineTool.version)]

    /// Parses header fields: a list of names and values, or an object in older files.
    ///
    /// - Parameters:
    ///   - value: The member of the file; null and none are no fields.
    ///   - path: The file, for errors.
    /// - Returns: The fields, without those that are never stored.
    /// - Throws: `CommandFailure` for any other value, and for a field that cannot be sent: the file would be written
    ///   without it.
    static func headers(_ value: JSONValue?, in path: String) throws(CommandFailure) -> [RequestItems.Header] {
        let pairs: [(name: String?, value: String?)]
        switch value {
        case nil, .null?: pairs = []
        case .array(let elements)?: pairs = elements.map { ($0["name"]?.string, $0["value"]?.string) }
        case .object(let members)?: pairs = members.map { ($0.key, $0.value.string) }
        default:
            throw .usage("the headers of the session “\(path)” are neither a list nor an object: correct the file")
        }
        var headers: [RequestItems.Header] = []
        for (name, value) in pairs {
            guard let text = name, let name = HTTPField.Name(text), let value, HTTPField.isValidValue(value.utf8) else {
                let name = name.map { " “\(TerminalText.escapedLine($0))”" } ?? ""
                throw .usage("the session “\(path)” has a header\(name) that cannot be sent: correct the file")
            }
            guard ![.contentLength, .transferEncoding, .cookie].contains(name), !name.isForProxy else { continue }
            headers.append(RequestItems.Header(name: name, value: value))
        }
        return headers
    }

    /// Parses credentials: `type`, and `raw_auth` or, in older files, `username` and `password`.
    ///
    /// - Throws: `CommandFailure` if the credentials cannot be sent.
    static func credentials(_ value: JSONValue?) throws(CommandFailure) -> Credentials? {
        guard let type = value?["type"]?.string else { return nil }
        guard let scheme = AuthenticationType(rawValue: type) else {
            throw .usage("the session has credentials of the kind “\(type)”, which is not known here: give --auth")
        }
        if let raw = value?["raw_auth"]?.string {
            return try Credentials(raw, scheme) { (_) throws(CommandFailure) in "" }
        }
        guard let user = value?["username"]?.string, let password = value?["password"]?.string else { return nil }
        return try Credentials(user: user, password: password, scheme)
    }

    /// Parses cookies: a list, or an object by name in older files.
    ///
    /// A cookie without a domain belongs to the host of the request.
    static func cookies(_ value: JSONValue?, host: String) -> [Cookie] {
        switch value {
        case .array(let elements)?: elements.compactMap { Self.cookie($0["name"]?.string, $0, host) }
        case .object(let members)?: members.compactMap { Self.cookie($0.key, $0.value, host) }
        default: []
        }
    }

    private static func cookie(_ name: String?, _ value: JSONValue, _ host: String) -> Cookie? {
        guard let name, let content = value["value"]?.string else { return nil }
        let written = value["domain"]?.string ?? ""
        return try? Cookie(
            name,
            content,
            domain: written.isEmpty ? host : written,
            isHostOnly: !written.starts(withScalars: "."),
            path: value["path"]?.string ?? "/",
            expires: value["expires"]?.double.map { Date(timeIntervalSince1970: $0) },
            isSecure: value["secure"]?.bool ?? false
        )
    }

    /// Parses the cookies of a Cookie field, for one host.
    static func cookies(ofField field: String, host: String) -> [Cookie] {
        field.unicodeScalars.split(separator: ";").compactMap { pair in
            guard let (name, value) = Substring(pair).trimmingBlanks.split(atScalar: "=") else { return nil }
            return try? Cookie(String(name), String(value), domain: host)
        }
    }

    static func value(of credentials: Credentials?) -> JSONValue {
        switch credentials {
        case nil: ["type": nil, "raw_auth": nil]
        case .basic(let user, let password)?: ["type": "basic", "raw_auth": .string("\(user):\(password)")]
        case .digest(let user, let password)?: ["type": "digest", "raw_auth": .string("\(user):\(password)")]
        case .bearer(let token)?: ["type": "bearer", "raw_auth": .string(token)]
        }
    }

    static func value(of cookies: [Cookie]) -> JSONValue {
        .array(
            cookies.map { cookie in
                let end = cookie.expires.map { JSONValue(Int64($0.timeIntervalSince1970)) }
                return [
                    "domain": .string((cookie.isHostOnly ? "" : ".") + cookie.domain),
                    "expires": end ?? .null,
                    "name": .string(cookie.name),
                    "path": .string(cookie.path),
                    "secure": .bool(cookie.isSecure),
                    "value": .string(cookie.value),
                ]
            }
        )
    }

    static func value(of headers: [RequestItems.Header]) -> JSONValue {
        .array(headers.map { ["name": .string($0.name.rawName), "value": .string($0.value ?? "")] })
    }
}
