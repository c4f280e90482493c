// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetImages
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes

/// The step that fetches a picture and shows it if the terminal can display pictures.
struct PictureStep: Sendable {
    let api: HTTPSession
    let server: TestServer
    let console: Console

    /// The step that fetches the picture with the serializer and compares its pixels.
    var fetch: DemoStep {
        DemoStep(title: "Fetch a picture") {
            let drawing = DemoPicture()
            self.server.enqueue(
                ScriptedResponse(headers: [.contentType: "image/bmp"], body: .bytes(drawing.file))
            )
            let image = try await self.api.get("bluebonnet.bmp", serializer: .image)
            let size = "\(image.width) × \(image.height)"
            try DemoStep.check(image.width == DemoPicture.width, "the picture has \(size) pixels")
            try DemoStep.check(image.height == DemoPicture.height, "the picture has \(size) pixels")
            let pixels = try await image.pixels(layout: .rgba)
            try DemoStep.check(pixels.bytes == drawing.pixels, "the pixels are not those that were drawn")
            return DemoStep.Outcome(detail: "BMP, \(size) pixels")
        }
    }

    /// Shows the picture as `bluebonnet URL` does, if the terminal supports it.
    ///
    /// - Throws: `CommandFailure`; `CancellationError` if the task is cancelled.
    func show() async throws {
        guard self.console.output.isTerminal else { return }
        let printer = PicturePrinter(sink: self.console.output, console: self.console, choice: .auto)
        try self.console.output.write("\n")
        try await printer.print(Data(DemoPicture().file), "image/bmp")
    }
}
