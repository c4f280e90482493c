// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import BluebonnetSerialization
internal import Foundation
internal import FoundationXML

/// The checks before a document is passed to Foundation's parser.
enum XMLResponse {
    /// Checks the document of a response with the strict parser, then with Foundation's parser.
    static func prepare(_ response: Response, limits: ParsingLimits) throws(SerializationError) -> Data {
        let document: Data
        do {
            document = try XMLPreparation.prepare(response.body, limits: limits)
        } catch let refusal {
            var error = refusal
            error.response = response
            throw error
        }
        guard let problem = XMLComplaint.find(in: document) else { return document }
        if problem.isSizeLimit(of: document) {
            throw SerializationError(
                .limitExceeded,
                reason: "the XML has a tag, comment, instruction or CDATA section of more than "
                    + "\(XMLParser.largestPiece) bytes, which Foundation's XMLParser does not read; .xmlDocument does",
                underlying: problem.error,
                response: response
            )
        }
        throw SerializationError(
            .malformedBody,
            reason: "the body is not well-formed XML\(problem.cause), line \(problem.line), column \(problem.column)",
            underlying: problem.error,
            response: response
        )
    }
}

extension XMLParser {
    /// The size beyond which libxml2 refuses a document that it gets as a whole, and a single tag, comment, instruction
    /// or CDATA section in any case (`XML_MAX_LOOKUP_LIMIT`).
    static let largestPiece = 10_000_000

    /// Creates a parser at the start of a document, with external entities off.
    static func make(_ document: Data) -> XMLParser {
        // A stream is passed to libxml2 in small pieces.
        let parser =
            document.count < Self.largestPiece
            ? XMLParser(data: document) : XMLParser(stream: InputStream(data: document))
        parser.shouldResolveExternalEntities = false
        parser.externalEntityResolvingPolicy = .never
        return parser
    }
}

/// Records the errors of Foundation's parser, which continues after them and reports success at the end.
final class XMLComplaint: NSObject, XMLParserDelegate {
    struct Problem {
        var line: Int
        var column: Int
        var error: any Error

        /// What libxml2 has found that the strict parser does not look for, which are names with namespaces.
        var cause: String {
            switch XMLComplaint.code(of: self.error) {
            case 201: ": a prefix that stands for no namespace"
            case 202: ": a name that is not one prefix and one local name"
            case 203: ": two attributes of one name and namespace"
            case 204: ": a prefix for an empty namespace"
            default: ""
            }
        }

        /// Whether libxml2 has refused a long piece of a document, for which it has no code of its own.
        func isSizeLimit(of document: Data) -> Bool {
            document.count > XMLParser.largestPiece && XMLComplaint.code(of: self.error) == 1
        }
    }

    /// The codes of libxml2's warnings, which Foundation reports like errors.
    ///
    /// They are about an instruction whose target begins with `xml`, a catalog, a language, a namespace that is no
    /// absolute URI (deprecated, Namespaces in XML 1.0 section 2.2), a value of `xml:space`, and a namespace that ends
    /// with a colon.
    private static let warnings: Set<Int> = [64, 93, 98, 99, 100, 102, 106]

    private var problem: Problem?

    /// Returns the first error that the parser reports; nil if there is none.
    static func find(in document: Data) -> Problem? {
        let parser = XMLParser.make(document)
        let complaint = XMLComplaint()
        parser.delegate = complaint
        let isFinished = parser.parse()
        if let problem = complaint.problem { return problem }
        if isFinished, parser.parserError.map(Self.isWarning) ?? true { return nil }
        let error = parser.parserError ?? CocoaError(.propertyListReadCorrupt)
        return Problem(line: parser.lineNumber, column: parser.columnNumber, error: error)
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        if self.problem != nil || Self.isWarning(parseError) { return }
        self.problem = Problem(line: parser.lineNumber, column: parser.columnNumber, error: parseError)
    }

    private static func isWarning(_ error: any Error) -> Bool {
        Self.code(of: error).map(Self.warnings.contains) ?? false
    }

    /// The code of libxml2; nil for another error.
    fileprivate static func code(of error: any Error) -> Int? {
        let error = error as NSError
        return error.domain == XMLParser.errorDomain ? error.code : nil
    }
}
