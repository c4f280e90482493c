// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Media types by file name extension.
public enum MediaType {
    /// The type of a file with an unknown extension.
    public static let octetStream = "application/octet-stream"

    /// Returns the media type for a file name extension.
    ///
    /// Not every Linux system has a type registry, so the library has a table of common types.
    ///
    /// - Parameter pathExtension: The extension without its dot; case-insensitive.
    /// - Returns: The type; ``octetStream`` if the extension is not in the table.
    public static func type(forPathExtension pathExtension: String) -> String {
        Self.types[pathExtension.asciiLowercased] ?? Self.octetStream
    }

    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for line in Self.table.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
            for pathExtension in words.dropFirst() { types[String(pathExtension)] = String(words[0]) }
        }
        return types
    }()

    /// One type per line, followed by its extensions.
    private static let table = """
        application/atom+xml atom
        application/epub+zip epub
        application/geo+json geojson
        application/gzip gz
        application/java-archive jar war ear
        application/json json map
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc dot
        application/octet-stream bin exe dll so img dmg deb
        application/ogg ogx
        application/pdf pdf
        application/pgp-encrypted pgp
        application/pgp-signature asc sig
        application/pkcs10 p10
        application/pkcs7-mime p7m p7c
        application/pkcs7-signature p7s
        application/pkix-cert cer
        application/postscript ps eps ai
        application/rss+xml rss
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.android.package-archive apk
        application/vnd.apple.mpegurl m3u8
        application/vnd.google-earth.kml+xml kml
        application/vnd.google-earth.kmz kmz
        application/vnd.ms-excel xls xlt
        application/vnd.ms-excel.sheet.macroenabled.12 xlsm
        application/vnd.ms-fontobject eot
        application/vnd.ms-outlook msg
        application/vnd.ms-powerpoint ppt pps pot
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.oasis.opendocument.graphics odg
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3 db
        application/vnd.visio vsd
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-apple-diskimage sparseimage
        application/x-bzip2 bz2
        application/x-iso9660-image iso
        application/x-ndjson ndjson jsonl
        application/x-pem-file pem
        application/x-pkcs12 p12 pfx
        application/x-plist plist
        application/x-redhat-package-manager rpm
        application/x-sh sh
        application/x-shockwave-flash swf
        application/x-tar tar
        application/x-tex tex
        application/x-x509-ca-cert crt der
        application/x-xz xz
        application/xhtml+xml xhtml xht
        application/xml xml xsl xsd
        application/xslt+xml xslt
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac
        audio/ac3 ac3
        audio/aiff aif aiff aifc
        audio/amr amr
        audio/basic au snd
        audio/flac flac
        audio/matroska mka
        audio/midi mid midi
        audio/mp4 m4a m4b
        audio/mpeg mp3 mp2
        audio/ogg oga ogg spx
        audio/opus opus
        audio/wav wav
        audio/webm weba
        audio/x-caf caf
        audio/x-mpegurl m3u
        audio/x-ms-wma wma
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/jp2 jp2 jpg2
        image/jpeg jpg jpeg jpe jfif
        image/jxl jxl
        image/png png
        image/svg+xml svg svgz
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.microsoft.icon ico cur
        image/webp webp
        image/x-adobe-dng dng
        image/x-canon-cr2 cr2
        image/x-nikon-nef nef
        image/x-sony-arw arw
        image/x-tga tga
        message/rfc822 eml mht mhtml
        model/gltf+json gltf
        model/gltf-binary glb
        model/obj obj
        model/stl stl
        model/vnd.usdz+zip usdz
        text/calendar ics
        text/css css
        text/csv csv
        text/html html htm
        text/javascript js mjs cjs
        text/markdown md markdown
        text/plain txt text log conf ini cfg env diff patch
        text/tab-separated-values tsv
        text/vcard vcf vcard
        text/vtt vtt
        text/x-c c h
        text/x-c++ cpp cc cxx hpp
        text/x-go go
        text/x-java java
        text/x-kotlin kt
        text/x-python py
        text/x-ruby rb
        text/x-rust rs
        text/x-swift swift
        text/x-typescript ts tsx
        video/3gpp 3gp
        video/3gpp2 3g2
        video/matroska mkv
        video/mp2t m2ts mts
        video/mp4 mp4 m4v
        video/mpeg mpeg mpg
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-flv flv
        video/x-ms-wmv wmv
        video/x-msvideo avi
        """
}
