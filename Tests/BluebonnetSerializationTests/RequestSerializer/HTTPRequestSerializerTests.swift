// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct HTTPRequestSerializerTests {
    private let bare = HTTPRequestSerializer(defaultHeaders: HTTPFields())

    // MARK: 1.1.6 queries

    @Test(arguments: ["GET", "HEAD", "DELETE", "get", "Delete"])
    func `1.1.6 puts parameters into the URL`(_ method: String) throws {
        let method = try #require(HTTPRequest.Method(method))
        let request = try self.bare.makeRequest(method, "http://h/p?a=1#f", parameters: ["k": "v w"])
        #expect(request.url.absoluteString == "http://h/p?a=1&k=v%20w#f")
        #expect(request.method == method)
        #expect(request.headers.isEmpty)
        guard case .none = request.body else {
            Issue.record("a body")
            return
        }
    }

    @Test(arguments: [nil, [:], ["a": []]] as [ParameterValue?])
    func `1.1.6 leaves the URL alone when there is nothing to add`(_ parameters: ParameterValue?) throws {
        for url in ["http://h/p", "http://h/p?", "http://h/p?a#f"] {
            #expect(try self.bare.makeRequest(.get, url, parameters: parameters).url.absoluteString == url)
        }
    }

    @Test func `1.1.4 the set of URL methods can be changed`() throws {
        var serializer = self.bare
        serializer.methodsEncodingParametersInURL = [.post]
        let post = try serializer.makeRequest(.post, "http://h/", parameters: ["k": 1])
        #expect(post.url.absoluteString == "http://h/?k=1")
        let get = try serializer.makeRequest(.get, "http://h/", parameters: ["k": 1])
        #expect(get.body.data == Data("k=1".utf8))
    }

    // MARK: 1.1.6 forms

    @Test func `1.1.6 puts parameters into a form body`() throws {
        let request = try self.bare.makeRequest(.post, "http://h/p?a=1", parameters: ["k": "ü&", "l": [1]])
        #expect(request.url.absoluteString == "http://h/p?a=1")
        #expect(request.body.data == Data("k=%C3%BC%26&l%5B%5D=1".utf8))
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func `1.1.6 an empty dictionary is an empty form, and no parameters are none`(_ method: HTTPRequest.Method) throws {
        let empty = try self.bare.makeRequest(method, "http://h/", parameters: [:])
        #expect(empty.body.data == Data())
        #expect(empty.body.contentLength == 0)
        #expect(empty.headers[.contentType] == "application/x-www-form-urlencoded")
        let none = try self.bare.makeRequest(method, "http://h/")
        #expect(none.body.data == nil)
        #expect(none.headers.isEmpty)
    }

    @Test func `a body that is there already stays when there are no parameters`() throws {
        var request = try Request(method: .post, parsing: "http://h/")
        request.body = .data(Data("own".utf8))
        let result = try self.bare.serialize(request, parameters: nil)
        #expect(result.body.data == Data("own".utf8))
        #expect(result.headers[.contentType] == nil)
    }

    @Test func `names the charset of a form on request`() throws {
        var serializer = self.bare
        serializer.addsCharsetToContentType = true
        serializer.textEncoding = .isoLatin1
        let request = try serializer.makeRequest(.post, "http://h/", parameters: [:])
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded; charset=iso-8859-1")
    }

    @Test(
        arguments: [
            (TextEncoding.ascii, "aé", nil), (.ascii, "a~", [0x61, 0x7E]),
            (.isoLatin1, "a€", nil), (.isoLatin1, "aÿ", [0x61, 0xFF]),
            (.windows1252, "aÿ€", [0x61, 0xFF, 0x80]), (.windows1252, "a日", nil), (.windows1252, "a\u{80}", nil),
            (.utf8, "€", [0xE2, 0x82, 0xAC]), (.utf16BigEndian, "a😀", [0, 0x61, 0xD8, 0x3D, 0xDE, 0]),
            (.utf16LittleEndian, "€", [0xAC, 0x20]),
        ] as [(TextEncoding, String, [UInt8]?)]
    )
    func `1.1.6 text that the encoding cannot represent is an error`(
        _ encoding: TextEncoding,
        _ text: String,
        _ bytes: [UInt8]?
    ) throws {
        var serializer = self.bare
        serializer.queryStringStyle = .custom { _, _ in text }
        serializer.textEncoding = encoding
        if let bytes {
            #expect(try serializer.makeRequest(.post, "http://h/", parameters: [:]).body.data == Data(bytes))
        } else {
            let error = #expect(throws: SerializationError.self) {
                try serializer.makeRequest(.post, "http://h/", parameters: [:])
            }
            #expect(error?.code == .unsupportedCharset)
            #expect(error?.reason.contains(text) == false)
        }
    }

    @Test(arguments: TextEncoding.allCases)
    func `1.1.6 escapes are those of UTF-8, whatever the encoding`(_ encoding: TextEncoding) throws {
        var serializer = self.bare
        serializer.textEncoding = encoding
        let escaped = "k=%C3%A9%E2%82%AC%F0%9F%98%80"
        let inURL = try serializer.makeRequest(.get, "http://h/", parameters: ["k": "é€😀"])
        #expect(inURL.url.absoluteString == "http://h/?\(escaped)")
        let inForm = try serializer.makeRequest(.post, "http://h/", parameters: ["k": "é€😀"])
        #expect(inForm.body.data == (try encoding.encode(escaped)))
        serializer.queryStringStyle = .custom { _, _ in "preis=5€" }
        let custom = try serializer.makeRequest(.get, "http://h/", parameters: [:])
        #expect(custom.url.absoluteString == "http://h/?preis=5%E2%82%AC")
    }

    @Test func `an encoding of two bytes applies to the whole form`() throws {
        var serializer = self.bare
        serializer.textEncoding = .utf16LittleEndian
        #expect(
            try serializer.makeRequest(.post, "http://h/", parameters: ["k": 1]).body.data
                == Data([0x6B, 0, 0x3D, 0, 0x31, 0])
        )
    }

    // MARK: 1.1.6 custom queries

    @Test func `1.1.4 a custom query replaces the format, for empty parameters too`() throws {
        var serializer = self.bare
        serializer.queryStringStyle = .custom { "n=\($1.dictionary?.count ?? -1)" }
        #expect(
            try serializer.makeRequest(.get, "http://h/?a#f", parameters: [:]).url.absoluteString == "http://h/?a&n=0#f"
        )
        #expect(
            try serializer.makeRequest(.get, "http://h/?a#f", parameters: [1]).url.absoluteString
                == "http://h/?a&n=-1#f"
        )
        #expect(try serializer.makeRequest(.get, "http://h/?a#f").url.absoluteString == "http://h/?a#f")
    }

    @Test func `1.1.4 a custom query is given the request`() throws {
        var serializer = HTTPRequestSerializer(defaultHeaders: [.userAgent: "u"])
        serializer.queryStringStyle = .custom { request, _ in
            "\(request.method.rawValue)\(request.url.path())\(request.headers[.userAgent] ?? "")"
        }
        #expect(
            try serializer.makeRequest(.get, "http://h/p", parameters: [:]).url.absoluteString == "http://h/p?GET/pu"
        )
        #expect(try serializer.makeRequest(.post, "http://h/p", parameters: [:]).body.data == Data("POST/pu".utf8))
    }

    @Test func `a query can stand beside a body, for every serializer`() throws {
        var http = self.bare
        var format = QueryFormat()
        format.arrays = .none
        http.queryStringStyle = .format(format)
        let serializers: [any RequestSerializer] = [
            http, JSONRequestSerializer(base: http), PropertyListRequestSerializer(base: http),
        ]
        for serializer in serializers {
            let request = try Request(method: .post, parsing: "http://h/?a=1#f")
            let result = try serializer.serialize(request, query: ["b": [2, 3]])
            #expect(result.url.absoluteString == "http://h/?a=1&b=2&b=3#f")
        }
    }

    @Test func `1.1.6 a custom query that is nil is no query`() throws {
        var serializer = self.bare
        serializer.queryStringStyle = .custom { _, _ in nil }
        #expect(try serializer.makeRequest(.get, "http://h/", parameters: ["k": 1]).url.absoluteString == "http://h/")
        #expect(try serializer.makeRequest(.post, "http://h/", parameters: ["k": 1]).body.data == Data())
    }

    @Test func `1.1.6 what a custom query throws comes out`() throws {
        struct Refusal: Error {}
        var serializer = self.bare
        serializer.queryStringStyle = .custom { _, _ in throw Refusal() }
        let error = #expect(throws: SerializationError.self) {
            try serializer.makeRequest(.get, "http://h/", parameters: [:])
        }
        #expect(error?.code == .invalidParameters)
        #expect(error?.underlying is Refusal)
        serializer.queryStringStyle = .custom { _, _ in throw SerializationError(.limitExceeded, reason: "mine") }
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try serializer.makeRequest(.post, "http://h/", parameters: [:])
        }
    }

    // MARK: 1.1.4 headers and options

    @Test func `1.1.6 headers of the request win over default ones, and those over the automatic one`() throws {
        var serializer = self.bare
        try serializer.setValue("default", forHeader: "X-A")
        try serializer.setValue("default", forHeader: "X-B")
        try serializer.setValue("text/default", forHeader: "Content-Type")
        var request = try Request(method: .post, parsing: "http://h/")
        request.headers[try #require(HTTPField.Name("x-a"))] = "request"
        let result = try serializer.serialize(request, parameters: [:])
        #expect(result.headers[try #require(HTTPField.Name("X-A"))] == "request")
        #expect(result.headers[try #require(HTTPField.Name("X-B"))] == "default")
        #expect(result.headers[.contentType] == "text/default")
        request.headers[.contentType] = "text/request"
        #expect(try serializer.serialize(request, parameters: [:]).headers[.contentType] == "text/request")
        #expect(result.headers.count == 3)
    }

    @Test func `a default field with several values is added whole or not at all`() throws {
        var serializer = self.bare
        serializer.defaultHeaders.append(HTTPField(name: .accept, value: "a"))
        serializer.defaultHeaders.append(HTTPField(name: .accept, value: "b"))
        let request = try serializer.makeRequest(.get, "http://h/")
        #expect(request.headers[values: .accept] == ["a", "b"])
        var own = try Request(parsing: "http://h/")
        own.headers[.accept] = "c"
        #expect(try serializer.serialize(own, parameters: nil).headers[values: .accept] == ["c"])
    }

    @Test func `1.1.4 default headers are set, read and removed without regard to case`() throws {
        var serializer = HTTPRequestSerializer()
        try serializer.setValue("one", forHeader: "content-type")
        try serializer.setValue("two", forHeader: "Content-Type")
        #expect(serializer.value(forHeader: "CONTENT-TYPE") == "two")
        #expect(serializer.defaultHeaders[values: .contentType] == ["two"])
        try serializer.setValue(nil, forHeader: "cONTENT-tYPE")
        #expect(serializer.value(forHeader: "Content-Type") == nil)
        #expect(serializer.value(forHeader: "no token") == nil)
    }

    @Test(arguments: [
        ("", "v"), ("a b", "v"), ("a:", "v"), (":method", "v"), ("é", "v"), ("a\r\n", "v"), ("a", "v\r\nX: y"),
        ("a", "v\n"),
        ("a", "v\r"), ("a", "\u{0}"),
    ])
    func `refuses headers that would break the request`(_ name: String, _ value: String) {
        var serializer = HTTPRequestSerializer()
        let before = serializer
        #expect(throws: SerializationError(.invalidHeader, reason: "")) {
            try serializer.setValue(value, forHeader: name)
        }
        #expect(serializer == before)
    }

    @Test func `1.1.4 Basic authorization is set and cleared`() throws {
        var serializer = HTTPRequestSerializer()
        try serializer.setAuthorization(username: "Ada", password: "pä:ss" + String(repeating: "x", count: 100))
        let value = try #require(serializer.value(forHeader: "authorization"))
        let encoded = try #require(value.split(separator: " ").last)
        #expect(value.hasPrefix("Basic "))
        #expect(Data(base64Encoded: String(encoded)) == Data(("Ada:pä:ss" + String(repeating: "x", count: 100)).utf8))
        serializer.clearAuthorization()
        #expect(serializer.value(forHeader: "Authorization") == nil)
        for (username, password) in [("a:b", "p"), ("a\n", "p"), ("a", "p\r\n"), ("a", "\u{0}")] {
            #expect(throws: SerializationError(.invalidHeader, reason: "")) {
                try serializer.setAuthorization(username: username, password: password)
            }
        }
    }

    @Test func `1.1.4 only the options that were set are copied, and only where the request leaves them open`() throws {
        var serializer = self.bare
        #expect(try serializer.makeRequest(.get, "http://h/").options == RequestOptions())
        serializer.options.timeoutInterval = .seconds(5)
        serializer.options.allowsCellularAccess = false
        serializer.options.cachePolicy = .returnCacheDataElseLoad
        serializer.options.handlesCookies = false
        serializer.options.usesPipelining = true
        serializer.options.networkServiceType = .video
        serializer.options.totalTimeout = .seconds(9)
        var request = try Request(parsing: "http://h/")
        #expect(try serializer.serialize(request, parameters: nil).options == serializer.options)
        request.options.timeoutInterval = .seconds(1)
        let options = try serializer.serialize(request, parameters: nil).options
        #expect(options.timeoutInterval == .seconds(1))
        #expect(options.handlesCookies == false)
    }

    // MARK: URLs

    @Test(arguments: [
        "", "h/p", "/p", "ftp://h/", "file:///etc/passwd", "http:", "http://", "http:///p", "http://h/a b",
        "http://h/\r\nX: y",
        "http://h/\u{0}", "http://h:port/", "javascript:alert(1)", " http://h/",
    ])
    func `1.1.6 refuses what is not an http URL`(_ url: String) {
        #expect(throws: SerializationError(.invalidURL, reason: "")) { try self.bare.makeRequest(.get, url) }
    }

    @Test(arguments: [
        "http://h", "https://h:8080/p?q#f", "HTTP://H/", "http://[::1]:80/", "http://user:pass@h/",
        "http://bücher.example/ü",
    ])
    func `takes http URLs`(_ url: String) throws {
        #expect(try self.bare.makeRequest(.get, url).method == .get)
    }
}
