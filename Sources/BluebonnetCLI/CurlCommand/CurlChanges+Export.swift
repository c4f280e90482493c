// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

extension CurlChanges {
    /// Takes over what `--as` writes down besides the request.
    ///
    /// - Parameter options: What the options of ours have given.
    /// - Throws: `CommandFailure` for a file of a form that cannot be read.
    func export(to options: inout ExportedOptions) throws(CommandFailure) {
        options.isChunked = self.isChunked || self.upload == "-"
        options.curlOptions = self.connection.optionNames + self.cookies.optionNames
        options.curlOptions += self.protocols.optionNames + self.sharedOptions
        options.isOfCurl = true
        options.position = self.position
        options.keepsCookies = self.cookies.usesFiles
        options.methodOfRedirects = self.method?.rawValue
        options.upload = self.upload
        if self.redirects.keepsPost { options.curlOptions.append("--post302") }
        if self.redirects.namesReferringURL { options.curlOptions.append("--referer with “;auto”") }
        if self.retries.includesAllErrors { options.curlOptions.append("--retry-all-errors") }
        if self.answersChallenges { options.curlOptions.append("--anyauth") }
        if self.parts.contains(where: \.hasUnexportedDetails) {
            options.curlOptions.append("--form (a name of a file, or the type of a text)")
        }
        if !self.parts.isEmpty {
            options.data = try self.parts.map { (part) throws(CommandFailure) in try part.item }
        }
    }
}

extension CurlFormPart {
    /// The part as an item of ours.
    fileprivate var item: RequestItems.DataItem {
        get throws(CommandFailure) {
            switch self.content {
            case .text(let text): RequestItems.DataItem(name: self.name, content: .text(text))
            case .textFile(let path): RequestItems.DataItem(name: self.name, content: .text(try LocalFile.text(path)))
            case .file(let path):
                RequestItems.DataItem(name: self.name, content: .file(path: path, mediaType: self.mediaType))
            }
        }
    }

    /// Whether the part has a detail that an item does not have.
    fileprivate var hasUnexportedDetails: Bool {
        if case .file = self.content { return self.filename != nil }
        return self.filename != nil || self.mediaType != nil
    }
}
