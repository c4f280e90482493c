// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// The state that `--session` keeps between requests: header fields, credentials and cookies.
///
/// The file is JSON in the format of HTTPie's sessions, and readable by its owner alone.
struct SessionFile: Sendable {
    private static let largestByteCount = 16 * 1024 * 1024

    /// The path of the file.
    let path: String

    /// Whether the file does not exist yet.
    let isNew: Bool

    /// The header fields of every request of the session, unless the request overrides them.
    var headers: [RequestItems.Header] = []

    /// The credentials.
    var credentials: Credentials?

    /// The cookies.
    let cookies = CookieJar()

    /// The other members of the file, which are preserved.
    private var document = JSONObject()

    /// Reads a session, or creates one.
    ///
    /// - Parameters:
    ///   - name: The name of a session of the host, or the path of its file if it contains a slash.
    ///   - url: The URL of the request.
    ///   - environment: The environment variables of the process.
    ///   - replacesCredentials: Whether the request has credentials of its own. Those of the file and its Authorization
    ///     field are dropped then, and not parsed: an authentication type that is not known is no error.
    /// - Throws: `CommandFailure` if the name is not a valid file name, or the file cannot be read.
    init(
        _ name: String,
        for url: URL,
        environment: [String: String],
        replacesCredentials: Bool
    ) throws(CommandFailure) {
        self.path = try Self.path(name, url, environment)
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try FileContent.read(self.path, upTo: Self.largestByteCount)
        } catch {
            guard case .system(let error) = error, error.isMissingFile else {
                throw .usage("cannot read the session “\(self.path)”: \(error.text)")
            }
            self.isNew = true
            return
        }
        self.isNew = false
        guard case .object(let document) = try JSONDocument.parse(bytes, from: "“\(self.path)”") else {
            throw .usage("“\(self.path)” is no session: it is no JSON object")
        }
        self.document = document
        self.headers = try SessionForm.headers(document["headers"], in: self.path)
        if replacesCredentials {
            self.headers.removeAll { $0.name == .authorization }
        } else {
            self.credentials = try SessionForm.credentials(document["auth"])
        }
        for cookie in SessionForm.cookies(document["cookies"], host: url.host() ?? "") {
            // A cookie that could not be set is not sent either.
            try? self.cookies.set(cookie)
        }
    }

    private static func path(
        _ name: String,
        _ url: URL,
        _ environment: [String: String]
    ) throws(CommandFailure) -> String {
        guard !name.isEmpty else { throw .usage("--session takes the name of a session, or the path of its file") }
        if name.contains(scalar: "/") { return LocalFile.expanded(name, home: environment["HOME"]) }
        let isName = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
        guard isName, name.utf8.first != UInt8(ascii: ".") else {
            throw .usage(
                "“\(name)” is not the name of a session: use letters, digits, “-”, “_” and “.”, or a path with a slash"
            )
        }
        guard let folder = ConfigurationFolder.path(environment) else {
            throw .usage(
                "there is no folder for sessions: set HOME, or give the path of a file, --session ./\(name).json"
            )
        }
        let host = (url.host() ?? "localhost") + (url.port.map { "_\($0)" } ?? "")
        return "\(folder)/sessions/\(host)/\(name).json"
    }

    /// Stores the header fields and cookies of a request for later requests.
    ///
    /// Fields that describe one body or one cached response are not stored, as in HTTPie. Cookies belong to the URL's
    /// host.
    ///
    /// - Parameters:
    ///   - items: The items of the command line, from which these cookies are removed.
    ///   - url: The URL of the request.
    ///   - excluded: The names, in lower case, of fields that no person has written.
    mutating func absorb(_ items: inout RequestItems, for url: URL, except excluded: Set<String>) {
        let host = url.host() ?? ""
        for header in items.takeHeaders(named: .cookie) {
            for cookie in SessionForm.cookies(ofField: header.value ?? "", host: host) { try? self.cookies.set(cookie) }
        }
        let kept = items.headers.filter {
            let name = $0.name.canonicalName
            return $0.value != nil && !excluded.contains(name) && !name.starts(withScalars: "content-")
                && !name.starts(withScalars: "if-")
        }
        self.headers.removeAll { field in kept.contains { $0.name == field.name } }
        self.headers += kept
    }

    /// Writes the file.
    ///
    /// - Throws: `CommandFailure` if it cannot be written.
    func save() throws(CommandFailure) {
        let target = PrivateFile.target(of: self.path)
        guard let location = FileLocation(path: target) else {
            throw .usage("cannot write the session “\(self.path)”: it is the path of a folder")
        }
        var document = self.document
        if document["__meta__"] == nil { document["__meta__"] = SessionForm.about }
        document["auth"] = SessionForm.value(of: self.credentials)
        document["cookies"] = SessionForm.value(of: self.cookies.cookies)
        document["headers"] = SessionForm.value(of: self.headers)
        let text = JSONFormatter.formatted(JSONValue.object(document).serialized())
        do {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(
                atPath: location.directory,
                withIntermediateDirectories: true,
                attributes: attributes
            )
            try PrivateFile.replace(target, with: text)
        } catch {
            let reason = (error as? SystemError)?.text ?? "its folder cannot be made"
            throw .usage("cannot write the session “\(self.path)”: \(reason)")
        }
    }
}
