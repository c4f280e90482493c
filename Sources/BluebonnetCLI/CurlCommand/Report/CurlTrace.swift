// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// An observer that writes the heads of requests and responses to standard error, marked as curl marks them: `--verbose`.
struct CurlTrace: SessionObserver {
    /// Where they are written.
    let errors: any OutputSink

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .transport(.requestHeadEnded(let head)): self.write(head.bytes, "> ")
        case .responseReceived(let status, let headers, let metrics):
            self.write(HeadPrinter(style: .plain).response(status, headers, metrics), "< ")
        default: break
        }
    }

    private func write(_ head: [UInt8], _ mark: String) {
        let lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        let text = lines.map { line in
            let line = Substring(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            return mark + TerminalText.escapedLine(line) + "\n"
        }
        // What is shown beside a transfer is no reason to fail it.
        try? self.errors.write(text.joined())
    }
}
