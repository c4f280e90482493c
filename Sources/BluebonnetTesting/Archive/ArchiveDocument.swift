// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON structure of an archive, with the members that the format requires.
///
/// Members that other programs are known to omit are optional.
struct ArchiveDocument: Codable {
    struct Log: Codable {
        var version = "1.2"
        var creator: Creator? = Creator()
        var entries: [Entry]
    }

    struct Creator: Codable {
        var name = "Bluebonnet"
        var version = "1.0"
    }

    struct Entry: Codable {
        var startedDateTime: String?
        var time: Double?
        var request: Request
        var response: Response
        // The format requires both, and no content in the first.
        var cache: [String: String]? = [:]
        var timings: Timings? = Timings()
        var comment: String?
        // The format has no members for the kind of a failure.
        var failureCode: String?
        var failurePhase: String?
        var isRequestSent: Bool?

        // The cache entries of other programs are ignored.
        private enum CodingKeys: String, CodingKey {
            case startedDateTime, time, request, response, cache, timings, comment
            case failureCode = "_failureCode"
            case failurePhase = "_failurePhase"
            case isRequestSent = "_isRequestSent"
        }

        init(
            startedDateTime: String,
            time: Double,
            request: Request,
            response: Response,
            comment: String?
        ) {
            self.startedDateTime = startedDateTime
            self.time = time
            self.request = request
            self.response = response
            self.timings = Timings(wait: time)
            self.comment = comment
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.startedDateTime = try container.decodeIfPresent(String.self, forKey: .startedDateTime)
            self.time = try container.decodeIfPresent(ArchiveNumber<Double>.self, forKey: .time)?.value
            self.request = try container.decode(Request.self, forKey: .request)
            self.response = try container.decode(Response.self, forKey: .response)
            self.comment = try container.decodeIfPresent(String.self, forKey: .comment)
            self.failureCode = try container.decodeIfPresent(String.self, forKey: .failureCode)
            self.failurePhase = try container.decodeIfPresent(String.self, forKey: .failurePhase)
            self.isRequestSent = try container.decodeIfPresent(Bool.self, forKey: .isRequestSent)
        }
    }

    /// Milliseconds; -1 means that a phase is unknown.
    struct Timings: Codable {
        var send = 0.0
        var wait = 0.0
        var receive = 0.0
    }

    struct Pair: Codable {
        var name: String
        var value: String
    }

    struct Request: Codable {
        var method: String
        var url: String
        var httpVersion: String? = "HTTP/1.1"
        var cookies: [Pair]? = []
        var headers: [Pair]?
        var queryString: [Pair]? = []
        var postData: PostData?
        var headersSize: ArchiveNumber<Int64>? = -1
        var bodySize: ArchiveNumber<Int64>?
    }

    /// The format has no member for binary data; names that begin with an underscore are reserved for extensions.
    struct PostData: Codable {
        var mimeType: String?
        var text: String?
        var encoding: String?
        /// The fields of a form; the format has either these or the text.
        var params: [Param]?

        private enum CodingKeys: String, CodingKey {
            case mimeType, text, params
            case encoding = "_encoding"
        }
    }

    struct Param: Codable {
        var name: String
        var value: String?
    }

    struct Response: Codable {
        var status: ArchiveNumber<Int>
        var statusText: String? = ""
        var httpVersion: String? = "HTTP/1.1"
        var cookies: [Pair]? = []
        var headers: [Pair]?
        var content: Content?
        var redirectURL: String? = ""
        var headersSize: ArchiveNumber<Int64>? = -1
        var bodySize: ArchiveNumber<Int64>? = -1
        // The format has no member for trailer fields.
        var trailers: [Pair]?

        private enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
            case trailers = "_trailers"
        }
    }

    struct Content: Codable {
        var size: ArchiveNumber<Int64>?
        var mimeType: String?
        var text: String?
        var encoding: String?
        /// Whether the body is still encoded as Content-Encoding says: the format has a member only for how it is
        /// written as text.
        var isEncoded: Bool?
        /// Whether the text is only what was read before the reader stopped.
        var isAbandoned: Bool?

        private enum CodingKeys: String, CodingKey {
            case size, mimeType, text, encoding
            case isEncoded = "_encoded"
            case isAbandoned = "_abandoned"
        }
    }

    var log: Log
}
