// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetImages
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import NIOCore

/// A printer that shows a picture on a terminal, with a line that describes it.
struct PicturePrinter: Sendable {
    /// The largest file that is shown: 32 MiB, because it is read into memory.
    static let largestByteCount = 32 * 1024 * 1024

    /// The sink that is printed to.
    let sink: any OutputSink

    /// The console with the environment of the terminal.
    let console: Console

    /// The value of `--pictures`.
    let choice: PictureChoice

    /// Returns whether a body of this type is a picture; SVG is printed as text.
    static func isPicture(_ mediaType: String?) -> Bool {
        let essence = HeaderParameters(mediaType ?? "").value
        return essence.starts(withScalars: "image/") && !essence.ends(withScalars: "+xml")
    }

    /// Reads a body and shows it, or prints why it is not shown.
    ///
    /// - Parameters:
    ///   - body: The bytes of the file.
    ///   - mediaType: Its media type.
    /// - Throws: `CommandFailure`; the error of reading the body.
    func print(_ body: ResponseBody, _ mediaType: String) async throws {
        let type = HeaderParameters(mediaType).value
        if let length = body.expectedLength, length > Int64(Self.largestByteCount) {
            return try self.refuse("\(type), \(ByteText.size(length))", "it is larger than 32 MiB")
        }
        var data = Data()
        for try await buffer in body {
            buffer.withUnsafeReadableBytes { data.append(contentsOf: $0) }
            if data.count > Self.largestByteCount {
                return try self.refuse("\(type), more than 32 MiB", "it is larger than 32 MiB")
            }
        }
        try await self.print(data, type)
    }

    /// Shows a file, or prints why it is not shown.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - type: Its media type.
    /// - Throws: `CommandFailure`; `CancellationError` if the task is cancelled.
    func print(_ data: Data, _ type: String) async throws {
        let way = self.choice.resolved(for: self.console)
        let size = ByteText.size(Int64(data.count))
        let image: Image
        do throws(ImageError) {
            image = try Image(data)
        } catch {
            guard error.code == .unsupported, try self.passOn(data, way) else {
                return try self.refuse("\(type), \(size)", self.reason(error))
            }
            return try self.sink.write("\(type), \(size)\n")
        }
        do {
            try await self.draw(image, data, way)
        } catch let error as ImageError {
            return try self.refuse(Self.caption(image, size), self.reason(error))
        }
        try self.sink.write("\(Self.caption(image, size))\n")
    }

    /// Draws a picture that has been decoded.
    private func draw(_ image: Image, _ data: Data, _ way: PictureChoice) async throws {
        let text: String
        switch way {
        case .kitty: text = KittyPicture.text(try await self.pixels(of: image, self.sink.cell))
        case .iterm2:
            let box = PictureBox(columns: self.sink.columns, rows: self.sink.rows, cell: self.sink.cell)
            text = InlinePicture.text(data, isWide: image.size.width > Double(box.width))
        case .sixel: text = SixelPicture(try await self.pixels(of: image, self.sink.cell)).text
        case .blocks:
            let isTrueColour = ["truecolor", "24bit"].contains(self.console.environment["COLORTERM"] ?? "")
            let pixels = try await self.pixels(of: image, PictureBox(width: 1, height: 2))
            text = BlockPicture(pixels, isTrueColour: isTrueColour).text
        case .auto, .none: return
        }
        try self.sink.write(text)
    }

    /// Sends a file that this build cannot decode to a terminal that can.
    ///
    /// - Returns: Whether the terminal can decode the file.
    private func passOn(_ data: Data, _ way: PictureChoice) throws -> Bool {
        switch way {
        case .iterm2: try self.sink.write(InlinePicture.text(data, isWide: false))
        case .kitty where ImageFormat.detect(data) == .png:
            try self.sink.write(KittyPicture.text(png: data, columns: self.sink.columns))
        default: return false
        }
        return true
    }

    /// Returns the pixels of a picture, upright and scaled to the terminal.
    private func pixels(of image: Image, _ cell: PictureBox) async throws -> ImagePixels {
        let box = PictureBox(columns: self.sink.columns, rows: self.sink.rows, cell: cell)
        let side = box.longestSide(ofWidth: image.size.width, height: image.size.height)
        return try await image.thumbnail(longestSide: side).oriented().pixels(layout: .rgba)
    }

    private static func caption(_ image: Image, _ size: String) -> String {
        let frames = image.isAnimated ? ", the first of \(image.frames.count) frames" : ""
        let (width, height) = (Int(image.size.width), Int(image.size.height))
        return "\(image.format.name.asciiUppercased), \(width) × \(height) pixels, \(size)\(frames)"
    }

    private func reason(_ error: ImageError) -> String {
        if error.code == .unsupported { return "this build of the program cannot decode it" }
        return error.code == .limitExceeded ? "it is too large to be decoded" : error.reason
    }

    private func refuse(_ what: String, _ reason: String) throws {
        let what = TerminalText.escapedLine(what)
        try self.sink.write(
            "+ \(what), not shown: \(TerminalText.escapedLine(reason)); save it with --download or --output FILE +\n"
        )
    }
}
