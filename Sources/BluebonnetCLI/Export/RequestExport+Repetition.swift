// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import HTTPTypes

/// Which requests the other programs send again, and which redirects they follow in the same way.
extension RequestExport {
    /// Whether the request may be sent again.
    var hasRetries: Bool { self.plan.retries.maximumAttempts > 1 }

    /// Whether a form sends the request again where it is sent again here: curl does so with any method.
    func retries(in form: ExportForm) -> Bool {
        form == .curl && (self.plan.exported.isOfCurl || self.plan.retries.methods.contains(self.plan.request.method))
    }

    /// Whether a form makes the same request of a redirect.
    ///
    /// curl keeps a method of `--request` after any redirect, and sends a body again after 307 and 308 alone. HTTPie
    /// makes GET of any method but HEAD, or drops the body. Here, 301 and 302 change POST alone, and other requests are
    /// repeated as they are; 303 makes each a GET.
    func follows(in form: ExportForm) -> Bool {
        let options = self.plan.exported
        let changesMethod = options.methodOfRedirects == nil
        switch form {
        case .curl where options.isOfCurl:
            // The body of an upload that is no file is written as data, which curl sends once.
            return options.upload == nil || self.uploadedFile != nil
        case .swift: return changesMethod || self.repeatsWithoutBody
        case .curl, .httpie: return changesMethod && self.plan.request.method == .post || self.repeatsWithoutBody
        }
    }

    /// The path of the file of curl's `--upload-file`; nil if there is none, and for one that was read.
    var uploadedFile: String? {
        if case .file = self.plan.request.body { self.plan.exported.upload } else { nil }
    }

    /// The words of curl for a file that it uploads.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - request: The request, from which its method and its body are taken.
    /// - Returns: The words, which stand behind those of the request.
    func uploadWords(_ path: String, for request: inout Request) -> [String] {
        let method = self.plan.exported.methodOfRedirects
        // GET without a body is what has no words.
        request.method = .get
        request.body = .none
        // curl would take brackets and braces for patterns.
        let hasPattern = path.utf8.contains { "[]{}".utf8.contains($0) }
        return (hasPattern ? ["--globoff"] : []) + ["-T", ShellWord.quoted(path)]
            + (method.map { ["-X", ShellWord.quoted($0)] } ?? [])
    }

    /// Whether every redirect of the request is followed with the same method, and without a body.
    private var repeatsWithoutBody: Bool {
        self.isWithoutBody && (self.plan.request.method == .get || self.plan.request.method == .head)
    }

    /// Whether the request has no body.
    var isWithoutBody: Bool { if case .none = self.plan.request.body { true } else { false } }

    /// The options of curl, behind those of the request, for a POST that stays one after every redirect.
    var methodWords: [String] {
        let options = self.plan.exported
        let keepsPost = options.isOfCurl && options.methodOfRedirects != nil && self.plan.request.method == .post
        return keepsPost ? ["-X", "POST"] : []
    }
}
