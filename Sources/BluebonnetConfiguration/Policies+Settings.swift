// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport

extension Timeouts {
    /// Applies the settings below `timeouts`; `idle` comes first, because it sets several of the others.
    mutating func apply(_ reader: SettingReader) throws(SettingError) {
        if let limit = try reader.limit("idle") { self.idle = limit }
        for phase in ExchangePhase.allCases {
            if let limit = try reader.limit(phase.rawValue) { self[phase] = limit }
        }
    }
}

extension Session.Limits {
    /// Applies the settings below `limits`.
    mutating func apply(_ reader: SettingReader) throws(SettingError) {
        try reader.count("responseByteCount").replace(&self.responseByteCount)
        try reader.count("discardedByteCount").replace(&self.discardedByteCount)
        try reader.count("refusedByteCount").replace(&self.refusedByteCount)
        try reader.count("challengeCount").replace(&self.challengeCount)
        try reader.count("tokenResponseByteCount").replace(&self.tokenResponseByteCount)
        try reader.count("protectionSpaceCount").replace(&self.protectionSpaceCount)
        try reader.count("cacheRefreshCount").replace(&self.cacheRefreshCount)
        try reader.count("lineByteCount").replace(&self.streams.lineByteCount)
        try reader.count("documentByteCount").replace(&self.streams.documentByteCount)
        try reader.count("eventByteCount").replace(&self.streams.events.eventByteCount)
    }
}

extension RedirectPolicy {
    /// Applies the settings below `redirects`.
    mutating func apply(_ reader: SettingReader) throws(SettingError) {
        let policies: KeyValuePairs<String, RedirectPolicy> = [
            "follow": .follow(), "sameOrigin": .sameOrigin, "none": .none,
        ]
        if let policy = try reader.word("policy", policies) { self = policy }
        if try reader.text("policy") == "none" {
            let names = ["maximum", "allowsDowngrade", "keepsPost", "retryAfterLimit"]
            try reader.refuse(names, "needs \(reader.key("policy")) to be follow or sameOrigin")
        }
        try reader.count("maximum").replace(&self.maximumCount)
        try reader.flag("allowsDowngrade").replace(&self.allowsDowngrade)
        try reader.flag("keepsPost").replace(&self.keepsPost)
        try reader.limit("retryAfterLimit").replace(&self.retryAfterLimit)
    }
}
