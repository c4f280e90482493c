// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The forms of `--as`: the request as a command of another program, or as code.
enum ExportForm: String, OptionWord {
    case curl, httpie, swift
}
