// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOHTTP1

extension BuiltInRoutes {
    static let documentRoutes: [BuiltInRoute] = [
        BuiltInRoute("/headers", "the header fields that were sent, as pairs in JSON") { request in
            .json(.object([("headers", .pairs(request.head.headers.map { (name: $0.name, value: $0.value) }))]))
        },
        BuiltInRoute("/response-headers?NAME=VALUE", "the items of the query as header fields of the response") {
            request in
            let items = request.target.query
            guard items.allSatisfy({ Self.isToken($0.name) && Self.isFieldValue($0.value) }) else {
                return .error(400, "a name must be a token and a value must not hold control characters")
            }
            var response = OutgoingResponse(body: BodySource(JSONOutput.object([("headers", .pairs(items))]).text))
            response.headers = items
            if !items.contains(where: { $0.name.isASCIIWord("content-type") }) {
                response.headers.append(("Content-Type", "application/json"))
            }
            return response
        },
        BuiltInRoute("/json", "a JSON document") { _ in .document(Documents.json, type: "application/json") },
        BuiltInRoute("/xml", "an XML document") { _ in .document(Documents.xml, type: "application/xml") },
        BuiltInRoute("/plist", "a property list in XML") { _ in .document(Documents.plist, type: "application/x-plist")
        },
        BuiltInRoute("/html", "an HTML document") { _ in .document(Documents.html, type: "text/html; charset=utf-8") },
        BuiltInRoute("/text", "a text in UTF-8") { _ in .document(Documents.text, type: "text/plain; charset=utf-8") },
    ]

    /// Whether a text is a valid field name (RFC 9110 section 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte)
    }
}

/// The fixed documents of the built-in routes.
enum Documents {
    static let json = """
        {"name":"bluebonnet","genus":"Lupinus","petals":5,"height":0.45,"wild":true,"rank":null,\
        "states":["Texas"],"seen":{"march":12,"april":40},"big":9007199254740993,"text":"\\u00e9 \\ud83c\\udf38"}
        """

    static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- A document of the test server. -->
        <flowers region="Texas">
            <flower id="1" wild="yes">
                <name>bluebonnet</name>
                <note><![CDATA[petals & <leaves>]]></note>
            </flower>
            <flower id="2" wild="no"><name>firebush &amp; friends</name></flower>
        </flowers>

        """

    static let plist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>name</key><string>bluebonnet</string>
            <key>petals</key><integer>5</integer>
            <key>height</key><real>0.45</real>
            <key>wild</key><true/>
            <key>seen</key><date>2024-03-01T12:00:00Z</date>
            <key>seed</key><data>AAECAwQ=</data>
            <key>states</key><array><string>Texas</string></array>
        </dict>
        </plist>

        """

    static let html = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>Bluebonnet</title></head>
        <body><h1>Bluebonnet</h1><p>A document of the test server.</p></body></html>

        """

    static let text = "Bluebonnets bloom in March. Äpfel, œufs, 花, 🌸.\n"
}
