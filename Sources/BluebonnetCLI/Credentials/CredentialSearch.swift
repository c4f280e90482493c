// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import FoundationEssentials

/// A search for the credentials of a request: `--auth`, the URL, the session, then the netrc file.
struct CredentialSearch {
    var options: AuthenticationOptions
    var target: TargetURL
    var session: SessionFile?
    var console: Console
    /// The option that the credentials were given with, as a person has written it.
    var option = "--auth"

    /// Returns the first credentials found; nil if there are none.
    ///
    /// - Throws: `CommandFailure` if the credentials cannot be sent.
    func credentials() throws(CommandFailure) -> Credentials? {
        let scheme = self.options.authType ?? .basic
        if let text = self.options.auth {
            return try Credentials(text, scheme) { (user) throws(CommandFailure) in try self.ask(user) }
        }
        if scheme == .bearer { throw .usage("--auth-type bearer needs a token: add --auth TOKEN") }
        if let info = self.target.userInfo {
            return try Credentials(user: info.user, password: info.password, scheme)
        }
        if let stored = self.session?.credentials { return stored }
        return try self.fromNetrc(scheme)
    }

    private func ask(_ user: String) throws(CommandFailure) -> String {
        let host = self.target.url.host() ?? "the server"
        let prompt = "Password for \(TerminalText.escapedLine(user)) at \(host): "
        let advice = "write \(self.option) \(user):PASSWORD"
        switch try self.console.readSecret(prompt) {
        case .text(let password): return password
        case .nothing: throw .usage("no password was typed: type one, or \(advice)")
        case .noTerminal:
            throw .usage("\(self.option) has no password and there is no terminal to ask for it: \(advice)")
        }
    }

    /// Returns the credentials of the netrc file; an unusable file only causes a warning.
    private func fromNetrc(_ scheme: AuthenticationType) throws(CommandFailure) -> Credentials? {
        guard !self.options.ignoreNetrc, let host = self.target.url.host(), let path = self.netrcPath else {
            return nil
        }
        do {
            let netrc = try Netrc(contentsOf: LiteralPath.url(path))
            guard let (user, password) = netrc.password(forHost: host) else { return nil }
            return try Credentials(user: user, password: password, scheme)
        } catch let error as CommandFailure {
            throw .usage("\(error.message): it is that of “\(path)” (--ignore-netrc leaves it out)")
        } catch {
            let reason = (error as? SessionError)?.reason ?? "it cannot be read"
            self.console.report("warning", "\(reason): “\(path)” (--ignore-netrc leaves it out)")
            return nil
        }
    }

    /// The path of the netrc file, if it exists.
    private var netrcPath: String? {
        let environment = self.console.environment
        let chosen = environment["NETRC"].flatMap { $0.isEmpty ? nil : $0 }
        guard let path = chosen ?? environment["HOME"].map({ $0 + "/.netrc" }) else { return nil }
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
