// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The responses of `serve --folder`: the files of a folder.
struct ServedFolder: Sendable {
    /// The path of the folder, without symbolic links.
    private let root: String

    /// Opens a folder.
    ///
    /// - Throws: `CommandFailure` if the path is not that of a folder.
    init(_ path: String) throws(CommandFailure) {
        guard let root = Self.resolved(path), Self.isFolder(root) else {
            throw .usage("“\(path)” is not a folder that can be served")
        }
        self.root = root == "/" ? "" : root
    }

    /// Returns the response to a request: a file, the listing of a folder, or an error.
    func response(to request: RecordedRequest) -> ScriptedResponse {
        guard request.method == .get || request.method == .head else {
            return Self.text(.methodNotAllowed, "only GET and HEAD are answered", [.allow: "GET, HEAD"])
        }
        let path = Self.path(of: request)
        guard let decoded = try? PercentDecoding.decode(path), let file = self.contained(decoded) else {
            return Self.text(.notFound, "there is no such file")
        }
        guard Self.isFolder(file) else { return Self.file(file, request) }
        guard path.ends(withScalars: "/") else {
            let query = request.target.split(atScalar: "?").map { "?" + $0.after } ?? ""
            return Self.text(.movedPermanently, "a folder", [.location: path + "/" + query])
        }
        if let index = self.contained(decoded + "index.html"), !Self.isFolder(index) {
            return Self.file(index, request)
        }
        return Self.list(file)
    }

    /// Returns the path of a request with exactly one leading slash: two, or a slash and a backslash, would name
    /// another host in a Location.
    private static func path(of request: RecordedRequest) -> String {
        let path = request.path.unicodeScalars.drop { $0 == "/" || $0 == "\\" }
        return "/" + String(path)
    }

    /// Returns the path of a file below the folder, without symbolic links; nil if it is missing or outside.
    private func contained(_ path: String) -> String? {
        guard let file = Self.resolved(self.root + path) else { return nil }
        return file == self.root || file.starts(withScalars: self.root + "/") ? file : nil
    }

    private static func file(_ path: String, _ request: RecordedRequest) -> ScriptedResponse {
        do throws(TestServerError) {
            let file = try ServedFile(path: path)
            return file.response(to: request, contentType: MediaTypeGuess.mediaType(ofPath: path))
        } catch {
            // Its reason names the path on this machine, which is nothing for a client.
            let reason = (error.underlying as? FileFault).map { ": \($0.text)" } ?? ""
            return Self.text(.forbidden, "the file cannot be served\(reason)")
        }
    }

    private static func list(_ folder: String) -> ScriptedResponse {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        let lines = names.map { name in
            let name = Self.isFolder(folder + "/" + name) ? name + "/" : name
            let reference = PercentEncoding.escape(name, allowed: .unreserved).replacing("%2F", with: "/")
            return "<li><a href=\"./\(reference)\">\(Self.escaped(name))</a></li>\n"
        }
        return ScriptedResponse(
            headers: [.contentType: "text/html; charset=utf-8"],
            body: .text("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<ul>\n\(lines.joined())</ul>\n")
        )
    }

    private static func text(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ headers: HTTPFields = [:]
    ) -> ScriptedResponse {
        var headers = headers
        headers[.contentType] = "text/plain; charset=utf-8"
        return ScriptedResponse(status: status, headers: headers, body: .text(text + "\n"))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the path without symbolic links; nil if the file does not exist.
    private static func resolved(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }
}
