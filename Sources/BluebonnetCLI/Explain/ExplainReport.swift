// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// A report of how the command line was interpreted and how the server was reached: `--explain`.
final class ExplainReport: SessionObserver {
    private struct State {
        var proxy: String?
        var addresses: [String] = []
        var hops: [String] = []
        var metrics: ExchangeMetrics?
    }

    private let plan: RequestPlan
    private let state = Mutex(State())

    init(plan: RequestPlan) {
        self.plan = plan
    }

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .responseReceived(_, _, let metrics): self.state.withLock { $0.metrics = metrics }
        case .redirected(let request):
            self.state.withLock { $0.hops.append("\(request.method.rawValue) \(request.url.absoluteString)") }
        case .transport(.proxySelected(let proxy)): self.state.withLock { $0.proxy = "\(proxy)" }
        case .transport(.attemptEnded(let address)):
            self.state.withLock { $0.addresses.append("\(address)  connected") }
        case .transport(.attemptFailed(let address, let error)):
            self.state.withLock { $0.addresses.append("\(address)  \(error.reason)") }
        default: break
        }
    }

    /// The report, ready to be printed.
    var text: String {
        let state = self.state.withLock { $0 }
        var sections: [(String, [String])] = [("request", [self.requestLine]), ("items", self.plan.itemNotes)]
        sections.append(("redirects", state.hops))
        sections.append(("proxy", state.proxy.map { [$0] } ?? []))
        sections.append(("addresses", state.addresses))
        if let metrics = state.metrics { sections += Self.sections(metrics) }
        sections.append(("cache", ["not used: this program keeps no responses"]))
        var text = ""
        for (title, lines) in sections where !lines.isEmpty {
            text += title + "\n" + lines.map { "  " + TerminalText.escapedLine($0) + "\n" }.joined()
        }
        return text
    }

    private var requestLine: String {
        let request = self.plan.request
        let body = request.body.contentLength.map { $0 == 0 ? "no body" : "a body of \(ByteText.size($0))" }
        return "\(request.method.rawValue) \(request.url.absoluteString), \(body ?? "a body of unknown length")"
    }

    private static func sections(_ metrics: ExchangeMetrics) -> [(String, [String])] {
        let version = metrics.httpVersion?.rawValue ?? "no response"
        var sections = [("protocol", [version + (metrics.isConnectionReused ? ", on an open connection" : "")])]
        if let tls = metrics.tls {
            let words = [
                tls.version.map { "TLS \($0.rawValue)" }, tls.cipherSuite?.description,
                "protocol \(tls.applicationProtocol ?? "not chosen")",
            ]
            sections.append(("security", [words.compactMap(\.self).joined(separator: ", ")]))
            for (index, certificate) in tls.certificates.enumerated() {
                let title = "certificate \(index + 1)" + (tls.isVerified ? ", verified" : "")
                sections.append((title, CertificateText.lines(certificate)))
            }
        }
        return sections
    }
}
