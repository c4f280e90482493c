// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import HTTPTypes

/// What `--as` needs of the command line besides the request: options as they were written, and the items of a form.
struct ExportedOptions: Sendable {
    var proxy: String?
    var noproxy: String?
    var unixSocket: String?
    var timeout: Double?
    var maxTime: Double?
    var cacert: String?
    /// The file of `--verify`.
    var verify: String?
    var trust: String?
    var certificate: String?
    var certificatePassword: String?
    var key: String?
    var ciphers: String?
    var tlsMin: String?
    var tlsOnly: String?
    var boundary: String?
    var isChunked = false
    var keepsDotSegments = false
    var hasSession = false
    /// The fields that an item takes back.
    var removedFields: [HTTPField.Name] = []
    /// Which of several requests of the command this is, from 0; nil for a single one.
    var position: Int?
    /// Whether the command is one of curl, which retries and follows redirects as curl does.
    var isOfCurl = false
    /// Whether a request after a redirect has the cookies that the redirect has set.
    var keepsCookies: Bool
    /// The method of `--request`, which curl keeps after any redirect.
    var methodOfRedirects: String?
    /// The file of curl's `--upload-file`, whose body redirects keep; “-” for standard input.
    var upload: String?
    /// The options of a command of curl that no form carries over.
    var curlOptions: [String] = []
    /// The items of the body.
    var data: [RequestItems.DataItem] = []

    /// Takes them from a command line that has been checked.
    init(_ command: RequestCommand, _ items: RequestItems, home: String?) {
        let (connection, tls) = (command.connection, command.tls)
        func path(_ text: String?) -> String? { text.map { LocalFile.expanded($0, home: home) } }
        self.proxy = connection.proxy
        self.noproxy = connection.noproxy
        self.unixSocket = path(connection.unixSocket)
        self.timeout = connection.timeout
        self.maxTime = connection.maxTime
        self.cacert = path(tls.cacert)
        if let verify = tls.verify, !["yes", "true", "1"].contains(verify.asciiLowercased) {
            self.verify = path(verify)
        }
        self.trust = tls.trust
        if let certificate = tls.cert {
            let (file, password) = TLSCommandOptions.split(certificate)
            self.certificate = path(file)
            self.certificatePassword = tls.keyPassword ?? password
        }
        self.key = path(tls.key)
        self.ciphers = tls.ciphers
        self.tlsMin = tls.tlsMin?.rawValue
        self.tlsOnly = tls.tlsOnly?.rawValue
        self.boundary = command.body.boundary
        self.isChunked = command.body.chunked
        self.keepsDotSegments = connection.pathAsIs
        self.hasSession = command.authentication.session != nil || command.authentication.sessionReadOnly != nil
        // A Cookie field of the request stands in place of those that are kept.
        self.keepsCookies = connection.follow && !items.headers.contains { $0.name == .cookie && $0.value != nil }
        self.removedFields = items.headers.filter { $0.value == nil }.map(\.name)
        self.data = items.data
    }

    /// Whether the certificate is in a PKCS #12 file.
    var isBundle: Bool { self.certificate.map(TLSCommandOptions.isBundle) ?? false }
}

/// Options in the words of another program.
struct ExportedWords {
    /// The words, quoted for a shell.
    private(set) var words: [String] = []

    /// The options that the program has no counterpart of.
    private(set) var leftOut: [String] = []

    /// Adds an option in one word, or in two.
    mutating func add(_ words: String...) { self.words += words.map(ShellWord.quoted) }

    /// Adds an option where a value was given.
    mutating func add(_ option: String, ifGiven value: String?) {
        guard let value else { return }
        // HTTPie's options and values are one word, curl's are two.
        if option.utf8.last == UInt8(ascii: "=") { self.add(option + value) } else { self.add(option, value) }
    }

    /// Notes an option that was given and is left out.
    mutating func leaveOut(_ option: String, if isGiven: Bool) {
        if isGiven { self.leftOut.append(option) }
    }

    /// A number of seconds without needless digits.
    static func seconds(_ value: Double?) -> String? {
        value.map { $0 == $0.rounded() && $0 < 1e7 ? "\(Int($0))" : "\($0)" }
    }
}
