// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// One import is enough to use a session: a call is spelled with these modules' types, from `URL` and `Data` to `HTTPFields`, `Parameters` and
// `ResponseBody`. There is no other means to export a module than the underscored attribute.
@_exported public import BluebonnetSerialization
@_exported public import BluebonnetTransport
@_exported public import FoundationEssentials
@_exported public import HTTPTypes

@_exported public import struct NIOCore.ByteBuffer
