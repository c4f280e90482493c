// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension ScriptedResponse {
    /// Returns a response of type `application/json`.
    ///
    /// - Parameters:
    ///   - text: The document; it is sent unchanged, valid or not.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    ///   - effect: The fault of the connection; none unless given.
    /// - Returns: The response.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields(),
        effect: SocketEffect? = nil
    ) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: headers.ofType("application/json"), body: .text(text), effect: effect)
    }

    /// Returns a response with text.
    ///
    /// - Parameters:
    ///   - text: The text, sent in UTF-8.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    ///   - effect: The fault of the connection; none unless given.
    /// - Returns: The response.
    public static func text(
        _ text: String,
        type: String = "text/plain; charset=utf-8",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields(),
        effect: SocketEffect? = nil
    ) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: headers.ofType(type), body: .text(text), effect: effect)
    }

    /// Returns a response with bytes, for example a picture.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    ///   - effect: The fault of the connection; none unless given.
    /// - Returns: The response.
    public static func data(
        _ bytes: some Sequence<UInt8>,
        type: String = "application/octet-stream",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields(),
        effect: SocketEffect? = nil
    ) -> ScriptedResponse {
        let body = Body.bytes(Array(bytes))
        return ScriptedResponse(status: status, headers: headers.ofType(type), body: body, effect: effect)
    }
}
