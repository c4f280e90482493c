// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// A request, its parameters, its response and its error are spelled with these modules' types; one import is enough to use a session.
@_exported public import BluebonnetSerialization
@_exported public import BluebonnetTransport
@_exported public import HTTPTypes
