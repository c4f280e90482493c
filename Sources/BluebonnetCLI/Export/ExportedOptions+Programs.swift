// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

extension ExportedOptions {
    /// The options of `curl`.
    var curl: ExportedWords {
        var words = ExportedWords()
        words.add("--proxy", ifGiven: self.proxy)
        words.add("--noproxy", ifGiven: self.noproxy)
        words.add("--unix-socket", ifGiven: self.unixSocket)
        if let timeout, timeout > 0 { words.add("--speed-limit", "1", "--speed-time", "\(Int(timeout.rounded(.up)))") }
        words.add("--max-time", ifGiven: ExportedWords.seconds(self.maxTime))
        words.add("--cacert", ifGiven: self.cacert ?? self.verify)
        words.leaveOut("--verify", if: self.cacert != nil && self.verify != nil)
        words.leaveOut("--trust", if: self.trust != nil)
        // An unescaped colon in the path would begin the password.
        words.add("--cert", ifGiven: self.certificate?.replacingScalar(":", with: "\\:"))
        if self.isBundle { words.add("--cert-type", "P12") }
        words.add("--key", ifGiven: self.key)
        words.add("--pass", ifGiven: self.certificatePassword)
        words.add("--ciphers", ifGiven: self.ciphers)
        if let tlsOnly {
            let version = String(tlsOnly.droppingScalars(3))
            words.add("--tlsv\(version)", "--tls-max", version)
        } else if let tlsMin {
            words.add("--tlsv\(tlsMin)")
        }
        if self.isChunked { words.add("-H", "Transfer-Encoding: chunked") }
        words.leaveOut("--boundary", if: self.boundary != nil)
        words.leaveOut("--session (its cookies)", if: self.hasSession)
        return words
    }

    /// The options of HTTPie.
    var httpie: ExportedWords {
        var words = ExportedWords()
        if let proxy, !proxy.isEmpty {
            words.add("--proxy=http:\(proxy)")
            words.add("--proxy=https:\(proxy)")
        }
        words.leaveOut("--proxy", if: self.proxy?.isEmpty == true)
        words.leaveOut("--noproxy", if: self.noproxy != nil)
        words.leaveOut("--unix-socket", if: self.unixSocket != nil)
        words.add("--timeout=", ifGiven: ExportedWords.seconds(self.timeout))
        words.leaveOut("--max-time", if: self.maxTime != nil)
        words.add("--verify=", ifGiven: self.cacert ?? self.verify)
        words.leaveOut("--verify", if: self.cacert != nil && self.verify != nil)
        words.leaveOut("--trust", if: self.trust != nil)
        words.leaveOut("--cert", if: self.isBundle)
        if !self.isBundle {
            words.add("--cert=", ifGiven: self.certificate)
            words.add("--cert-key=", ifGiven: self.key)
            words.add("--cert-key-pass=", ifGiven: self.certificatePassword)
        }
        words.add("--ciphers=", ifGiven: self.ciphers)
        words.add("--ssl=", ifGiven: self.tlsOnly)
        words.leaveOut("--tls-min", if: self.tlsMin != nil)
        words.add("--boundary=", ifGiven: self.boundary)
        if self.isChunked { words.add("--chunked") }
        if self.keepsDotSegments { words.add("--path-as-is") }
        words.leaveOut("--session (its cookies)", if: self.hasSession)
        return words
    }

    /// The options that have no counterpart in Swift code.
    var swift: ExportedWords {
        var words = ExportedWords()
        let given: [(String, Bool)] = [
            ("--proxy", self.proxy != nil), ("--noproxy", self.noproxy != nil),
            ("--unix-socket", self.unixSocket != nil), ("--timeout", self.timeout != nil),
            ("--cacert", self.cacert != nil), ("--verify", self.verify != nil), ("--trust", self.trust != nil),
            ("--cert", self.certificate != nil), ("--ciphers", self.ciphers != nil),
            ("--tls-min", self.tlsMin != nil), ("--ssl", self.tlsOnly != nil), ("--chunked", self.isChunked),
            ("--boundary", self.boundary != nil),
            ("--session (its cookies)", self.hasSession),
        ]
        for (option, isGiven) in given { words.leaveOut(option, if: isGiven) }
        return words
    }
}

extension String {
    fileprivate func replacingScalar(_ scalar: Unicode.Scalar, with text: String) -> String {
        self.unicodeScalars.map { $0 == scalar ? text : String($0) }.joined()
    }
}
