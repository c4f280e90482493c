// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// What a Content-Type says about a body that is printed.
struct BodyContent: Equatable {
    /// How it is printed.
    enum Kind {
        /// JSON.
        case json
        /// Text that may be JSON without saying so.
        case text
        /// Anything else.
        case other
    }

    var kind: Kind

    /// The charset of the text; UTF-8 where none or an unknown one is named.
    var charset: Charset

    /// Reads a Content-Type; nil for a message without one.
    init(mediaType: String?) {
        let parameters = HeaderParameters(mediaType ?? "")
        let essence = parameters.value
        switch essence {
        case "", "text/plain": self.kind = .text
        case "text/javascript", "application/javascript", "application/x-ndjson", "application/jsonl": self.kind = .json
        case _ where essence.ends(withScalars: "/json") || essence.ends(withScalars: "+json"): self.kind = .json
        default: self.kind = .other
        }
        self.charset = parameters.parameters["charset"].flatMap { Charset(named: $0) } ?? .utf8
    }
}
