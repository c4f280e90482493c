// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The value of the Authorization field.
struct Credentials {
    /// The value of the field.
    var fieldValue: String

    /// Reads `--auth`, or the user information of the URL where `--auth` is not given.
    ///
    /// - Returns: nil if there are none.
    /// - Throws: `CommandFailure` if they cannot be sent.
    init?(_ options: ConnectionOptions, target: TargetURL, console: Console) throws(CommandFailure) {
        switch (options.auth, options.authType) {
        case (let token?, .bearer):
            guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .usage("a bearer token is visible ASCII without spaces: check the value of --auth")
            }
            self.fieldValue = "Bearer \(token)"
        case (nil, .bearer):
            throw .usage("--auth-type bearer needs a token: add --auth TOKEN")
        case (let text?, .basic):
            if let (user, password) = text.split(atScalar: ":") {
                self.fieldValue = try Self.basic(user: String(user), password: String(password))
            } else {
                self.fieldValue = try Self.basic(user: text, password: try Self.ask(text, target, console))
            }
        case (nil, .basic):
            guard let info = target.userInfo else { return nil }
            self.fieldValue = try Self.basic(user: info.user, password: info.password)
        }
    }

    private static func ask(_ user: String, _ target: TargetURL, _ console: Console) throws(CommandFailure) -> String {
        let host = target.url.host() ?? "the server"
        guard let password = console.readSecret("Password for \(TerminalText.escapedLine(user)) at \(host): ") else {
            throw .usage("--auth has no password and there is no terminal to ask for it: write --auth \(user):PASSWORD")
        }
        return password
    }

    /// RFC 7617 section 2.
    private static func basic(user: String, password: String) throws(CommandFailure) -> String {
        guard !user.contains(scalar: ":") else {
            throw .usage("a user name with a colon cannot be sent with basic authentication")
        }
        guard (user + password).unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw .usage("user name and password may not hold control characters: check the value of --auth")
        }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
