// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The kind of content of a printed body, from its Content-Type.
struct BodyContent: Equatable {
    /// The way in which content is printed.
    enum Kind {
        /// JSON.
        case json
        /// Text that may be undeclared JSON.
        case text
        /// XML.
        case xml
        /// HTML, which is only coloured, because white space is significant in it.
        case html
        /// Server-sent events.
        case events
        /// Anything else.
        case other
    }

    var kind: Kind

    /// The charset of the text; UTF-8 if none or an unknown one is declared, and for ASCII, which is a subset of it.
    var charset: Charset

    /// Whether the document may declare its charset, because the Content-Type does not.
    var mayNameCharset: Bool

    /// Parses a Content-Type; nil for a message without one.
    init(mediaType: String?) {
        let parameters = HeaderParameters(mediaType ?? "")
        let essence = parameters.value
        switch essence {
        case "", "text/plain": self.kind = .text
        case "text/javascript", "application/javascript", "application/x-ndjson", "application/jsonl": self.kind = .json
        case _ where essence.ends(withScalars: "/json") || essence.ends(withScalars: "+json"): self.kind = .json
        case "text/html": self.kind = .html
        case "text/xml",
            _ where essence.ends(withScalars: "/xml") || essence.ends(withScalars: "+xml"):
            self.kind = .xml
        case "text/event-stream": self.kind = .events
        default: self.kind = .other
        }
        let charset = parameters.parameters["charset"].flatMap { Charset(named: $0) }
        self.charset = charset.map { $0 == .ascii ? .utf8 : $0 } ?? .utf8
        self.mayNameCharset = charset == nil && (self.kind == .xml || self.kind == .html)
    }
}
