// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files of cookies that a command of curl reads and writes, in the format of Netscape.
struct CurlCookies: Sendable {
    /// The file of `--cookie-jar`, which is written at the end.
    private var jar: String?

    /// The files of `--cookie`.
    private var files: [String] = []

    /// The cookies that are written in the command.
    private var text: [String] = []

    /// Adds cookies as they are sent.
    mutating func add(_ text: String) { self.text.append(text) }

    /// Puts the cookies of `--header` in the place of those of `--cookie`, which curl leaves out then.
    mutating func replace(with texts: [String]) { self.text = texts }

    /// Adds a file to read; one that is not there, and `/dev/null`, hold no cookies, as in curl.
    mutating func read(_ path: String) throws(CommandFailure) {
        guard path != "-" else { throw .usage("curl's --cookie with “-” has no counterpart here: name a file") }
        self.files.append(path)
    }

    /// Sets the file to write.
    mutating func write(_ path: String) throws(CommandFailure) {
        guard path != "-", !path.isEmpty else { throw .usage("curl's --cookie-jar needs the name of a file here") }
        self.jar = path
    }

    /// What the Cookie field of the request is, where no other cookies are kept: then it stays with the request, and need not be joined.
    var field: String? { self.usesFiles ? nil : self.joined }

    /// The cookies that are written in the command, as they are sent; nil if there are none.
    var joined: String? { self.text.isEmpty ? nil : self.text.joined(separator: ";") }

    /// Whether cookies of responses are kept; no file need be there for that.
    var usesFiles: Bool { self.jar != nil || !self.files.isEmpty }

    /// The options of curl that name files.
    var optionNames: [String] {
        (self.files.allSatisfy(\.isEmpty) ? [] : ["--cookie"]) + (self.jar == nil ? [] : ["--cookie-jar"])
    }

    /// Changes a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - earlier: The cookies of an earlier transfer of the command, in place of those of the files.
    /// - Returns: The cookies of the files and of the session; nil where no file was named, so that none are kept.
    /// - Throws: `CommandFailure` for a file that cannot be read.
    func apply(to plan: inout RequestPlan, _ earlier: CookieJar?) throws(CommandFailure) -> CookieJar? {
        guard self.usesFiles else {
            // Without a file, curl ignores the cookies of responses, also those of redirects.
            if plan.session == nil { plan.adjustments.append { $0.cookies = nil } }
            return nil
        }
        var cookies = if let earlier { earlier } else { try self.load() }
        if let session = plan.session {
            // The session of our own option takes precedence: it keeps its cookies, and gets those of the files.
            for cookie in cookies.cookies { try? session.cookies.set(cookie) }
            cookies = session.cookies
        }
        let text = CurlCookieText(
            pairs: self.text.flatMap(CurlCookieText.pairs),
            url: plan.request.url,
            // Without files they are stored in the session, in place of those of the same name.
            replacesKept: plan.session != nil
        )
        plan.adjustments.append { [cookies] configuration in
            configuration.cookies = cookies
            if let text { configuration.networkInterceptors.append(text) }
        }
        return cookies
    }

    private func load() throws(CommandFailure) -> CookieJar {
        var options = CookieJar.Options()
        // curl stores and sends Secure cookies of the local host without TLS, too.
        options.trustsLoopback = true
        // It takes the Host field of -H for the host of cookies, in both directions.
        options.usesHostField = true
        let cookies = CookieJar(options: options)
        for path in self.files where try Self.isThere(path) {
            try Self.checkFormat(path)
            do throws(SessionError) {
                try cookies.importCookies(from: LiteralPath.url(path))
            } catch {
                throw .usage("cannot read the cookies of “\(path)”: \(error.reason)")
            }
        }
        return cookies
    }

    /// Refuses a file of another format, whose cookies would be missing from the request without a word.
    ///
    /// curl reads the `Set-Cookie` lines of response heads as well. They do not say which host they are from, so that
    /// curl sends such a cookie to a domain that it names, to any address, or to nobody.
    private static func checkFormat(_ path: String) throws(CommandFailure) {
        let lines = try LocalFile.bytes(path).split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let tab = UInt8(ascii: "\t")
        let hasHead = lines.contains { line in
            line.prefix("set-cookie:".utf8.count).map(\.asciiLowercased).elementsEqual("set-cookie:".utf8)
        }
        let texts = lines.filter {
            $0.first != UInt8(ascii: "#") && !$0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == tab }
        }
        let hasNoCookie = !texts.isEmpty && texts.allSatisfy { line in line.count { $0 == tab } < 5 }
        guard hasHead || hasNoCookie && lines.allSatisfy({ !$0.starts(with: "#HttpOnly_".utf8) }) else { return }
        throw .usage(
            "“\(path)” is no cookies.txt\(hasHead ? ", it has heads of responses" : ""): name a file that -c has written, or write -b NAME=VALUE"
        )
    }

    /// Writes the file of `--cookie-jar`; a device or a pipe is written in place, also behind a link.
    ///
    /// - Parameters:
    ///   - cookies: The cookies that there are at the end.
    ///   - console: Where it is said which of them the format cannot hold.
    /// - Throws: `CommandFailure` if the file cannot be written.
    func save(_ cookies: CookieJar?, _ console: Console) throws(CommandFailure) {
        guard let jar, let cookies else { return }
        let file = try FileSink(path: console.absolute(jar), option: "--cookie-jar", isPrivate: true)
        let (bytes, omitted) = cookies.netscapeFile()
        try file.write(bytes: bytes)
        _ = try file.commit()
        guard !omitted.isEmpty else { return }
        let names = omitted.map { "“\($0.name)”" }.joined(separator: ", ")
        console.report("warning", "“\(jar)” cannot hold the cookies \(names)")
    }

    private static func isThere(_ path: String) throws(CommandFailure) -> Bool {
        guard !path.isEmpty else { return false }
        do throws(FileFault) {
            _ = try RegularFile(path: path)
            return true
        } catch {
            if case .system(let error) = error, error.isMissingFile { return false }
            // Commands of curl name it to keep the cookies of responses without a file.
            if error == .special, Self.isNullDevice(path) { return false }
            throw .usage("cannot read the cookies of “\(path)”: \(error.text)")
        }
    }

    /// Whether a path leads to the device that is always empty.
    private static func isNullDevice(_ path: String) -> Bool {
        var (file, null) = (stat(), stat())
        return stat(path, &file) == 0 && stat("/dev/null", &null) == 0 && file.st_mode & S_IFMT == S_IFCHR
            && file.st_rdev == null.st_rdev
    }
}
