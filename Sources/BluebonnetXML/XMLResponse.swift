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
        if let problem = XMLComplaint.find(in: document) {
            throw SerializationError(
                .malformedBody,
                reason: "the body is not well-formed XML, line \(problem.line), column \(problem.column)",
                underlying: problem.error,
                response: response
            )
        }
        return document
    }
}

/// Records the errors of Foundation's parser, which continues after them and reports success at the end.
final class XMLComplaint: NSObject, XMLParserDelegate {
    struct Problem {
        var line: Int
        var column: Int
        var error: any Error
    }

    private var problem: Problem?

    /// Returns the first error that the parser reports; nil if there is none.
    static func find(in document: Data) -> Problem? {
        let parser = XMLParser(data: document)
        let complaint = XMLComplaint()
        parser.shouldResolveExternalEntities = false
        parser.externalEntityResolvingPolicy = .never
        parser.delegate = complaint
        let isFinished = parser.parse()
        if let problem = complaint.problem { return problem }
        if isFinished, parser.parserError == nil { return nil }
        let error = parser.parserError ?? CocoaError(.propertyListReadCorrupt)
        return Problem(line: parser.lineNumber, column: parser.columnNumber, error: error)
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        if self.problem != nil { return }
        self.problem = Problem(line: parser.lineNumber, column: parser.columnNumber, error: parseError)
    }
}
