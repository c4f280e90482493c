// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The values of `--as`: a command of another program, or code.
enum ExportForm: String, OptionWord {
    case curl, httpie, swift
}
