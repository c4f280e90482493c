// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
internal import FoundationEssentials

/// Parses a response as an ``Image``.
///
/// A body that is not an image, or a damaged one, is an error with code `malformedBody`; an empty body is one with
/// `emptyBody`; one beyond the limits is one with `limitExceeded`; an image that this build cannot decode is one with
/// `decodingFailed`. The response's type matters only for `image/png` and `image/jpeg`: the body is read as PNG or JPEG
/// first. If that fails, if a JPEG has print colours (CMYK), and for all other types, the first bytes decide.
///
/// ```swift
/// let image = try await api.get("photos/1", serializer: .image)
/// ```
public struct ImageResponseSerializer: ResponseSerializer, Codable {
    /// The default accepted content types.
    ///
    /// AFNetworking's ten: `image/tiff`, `image/jpeg`, `image/gif`, `image/png`, `image/ico`, `image/x-icon`,
    /// `image/bmp`, `image/x-bmp`, `image/x-xbitmap` and `image/x-win-bitmap`; `image/vnd.microsoft.icon`, the
    /// registered type of icons; and `image/webp`, `image/avif` and `image/heic` if this build decodes them.
    public static let defaultContentTypes: Set<String> = {
        let formats = SystemImageDecoder().formats
        let others: [ImageFormat] = [.webp, .avif, .heic].filter(formats.contains)
        return Self.fixedContentTypes.union(others.map { "image/\($0)" })
    }()

    private static let fixedContentTypes: Set<String> = [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap",
        "image/x-win-bitmap", "image/vnd.microsoft.icon",
    ]

    /// Which responses are accepted.
    public var validation: ResponseValidation

    /// The number of pixels per point of the screen that images are for; 1 unless set.
    public var imageScale: Double

    /// Whether small images are decoded at once; true unless set.
    ///
    /// Their pixels are then in memory when the response is returned, in their ``ImageHeader/naturalLayout``. An
    /// animation, an image with more than ``largestInflatedPixelCount`` pixels and one with more than 8 bits per
    /// component are decoded on request.
    public var automaticallyInflates: Bool

    /// The maximum number of pixels that are decoded at once; 1,048,576, which is 1024 × 1024, unless set.
    public var largestInflatedPixelCount: Int

    /// The limits beyond which an image is refused.
    public var limits: ImageLimits

    /// The decoder of images; it is not archived, because it may be of any type.
    public var decoder: any ImageDecoder = .system

    private enum CodingKeys: CodingKey {
        case validation, imageScale, automaticallyInflates, largestInflatedPixelCount, limits
    }

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: Which responses are accepted.
    ///   - imageScale: The number of pixels per point.
    ///   - automaticallyInflates: Whether small images are decoded at once.
    ///   - largestInflatedPixelCount: The maximum number of pixels that are decoded at once.
    ///   - limits: The limits beyond which an image is refused.
    ///   - decoder: The decoder of images.
    public init(
        validation: ResponseValidation = ResponseValidation(contentTypes: Self.defaultContentTypes),
        imageScale: Double = 1,
        automaticallyInflates: Bool = true,
        largestInflatedPixelCount: Int = 1024 * 1024,
        limits: ImageLimits = ImageLimits(),
        decoder: any ImageDecoder = .system
    ) {
        self.validation = validation
        self.imageScale = imageScale
        self.automaticallyInflates = automaticallyInflates
        self.largestInflatedPixelCount = largestInflatedPixelCount
        self.limits = limits
        self.decoder = decoder
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public var isCostly: Bool { true }

    public func serialize(_ response: Response) throws(SerializationError) -> Image {
        try self.validation.validate(response)
        guard !response.hasNoContent else {
            throw SerializationError(
                .emptyBody,
                reason: "the response has no picture: its body is empty",
                response: response
            )
        }
        do throws(ImageError) {
            let image = try self.image(response.body, response.mediaType)
            if self.inflates(image.header) { try image.storage.inflate() }
            return image
        } catch {
            throw SerializationError(error, response)
        }
    }

    /// Whether an image is decoded at once.
    func inflates(_ header: ImageHeader) -> Bool {
        self.automaticallyInflates && header.frames.count == 1 && header.bitsPerComponent <= 8
            && header.width * header.height <= self.largestInflatedPixelCount
    }

    private func image(_ body: Data, _ mediaType: String?) throws(ImageError) -> Image {
        if let image = self.typedImage(body, mediaType) { return image }
        return try Image(body, scale: self.imageScale, limits: self.limits, decoder: self.decoder)
    }

    /// Returns the image according to the response's type; nil if the first bytes decide.
    private func typedImage(_ body: Data, _ mediaType: String?) -> Image? {
        let formats: [String: ImageFormat] = ["image/png": .png, "image/jpeg": .jpeg]
        guard let format = mediaType.flatMap({ formats[$0] }), self.decoder.formats.contains(format) else { return nil }
        let image = try? Image(body, as: format, scale: self.imageScale, limits: self.limits, decoder: self.decoder)
        return image?.colorSpace == .cmyk ? nil : image
    }
}

extension ResponseSerializer where Self == ImageResponseSerializer {
    /// Parses the body as an ``Image``, decoded at once if it is small.
    public static var image: ImageResponseSerializer { ImageResponseSerializer() }
}

extension SerializationError {
    /// Creates the error of a response with an invalid image.
    fileprivate init(_ error: ImageError, _ response: Response) {
        let code: Code =
            switch error.code {
            case .limitExceeded, .outOfMemory: .limitExceeded
            case .unsupported: .decodingFailed
            default: .malformedBody
            }
        self.init(code, reason: error.reason, underlying: error, response: response)
    }
}
