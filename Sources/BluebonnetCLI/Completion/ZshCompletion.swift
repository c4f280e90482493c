// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What completes the words of a request in zsh, around the parser's own script.
enum ZshCompletion {
    private static let name = "\n_bluebonnet() {"
    private static let end = "\nif [[ \"${funcstack[1]}\" = _bluebonnet ]]"

    /// Returns the parser's script with its function for the whole command under another name, behind the one below.
    static func text(extending script: String) -> String {
        script.replacing(Self.name, with: "\n_bluebonnet_parser() {").replacing(
            Self.end,
            with: Self.function + Self.end
        )
    }

    private static var function: String {
        """

        _bluebonnet() {
            # The options of the completion system, as in the parser's function: `_files` needs nullglob.
            emulate -RL zsh -G
            setopt extendedglob nullglob numericglobsort
            local -ar with_value=(\(CompletionScript.optionsWithValue.joined(separator: " ")))
            # The first word that is neither an option nor a value of one.
            local first='' previous
            local -i index
            for ((index = 2; index < CURRENT; index++)); do
                previous="${words[index - 1]}"
                [[ "${words[index]}" = -* ]] && continue
                (( ${with_value[(Ie)${previous}]} )) && continue
                first="${words[index]}"
                break
            done
            case "${first}" in
            \(CompletionScript.commands.joined(separator: " | ")))
                _bluebonnet_parser "${@}"
                return
                ;;
            curl)
                if [[ "${PREFIX}" = -* ]]; then
                    compadd -- \(CurlOption.names.joined(separator: " "))
                else
                    compset -P '*@'
                    _files
                fi
                return
                ;;
            esac
            # The parser's function sees no word that would end the options.
            previous="${words[CURRENT - 1]}"
            local word="${words[CURRENT]}"
            if [[ "${PREFIX}" = --*=* ]]; then
                previous="${PREFIX%%=*}"
                word="${word#*=}"
                compset -P 1 '*='
            fi
            if (( ${with_value[(Ie)${previous}]} )); then
                words=("${words[1]}" "${previous}" "${word}")
                CURRENT=3
                _bluebonnet_parser
            elif [[ "${PREFIX}" = -* ]]; then
                words=("${words[1]}" "${words[CURRENT]}")
                CURRENT=2
                _bluebonnet_parser
            elif compset -P '*@'; then
                _files
            elif [[ -z "${first}" ]]; then
                compadd -- curl
                words=("${words[1]}" "${words[CURRENT]}")
                CURRENT=2
                _bluebonnet_parser
            fi
        }

        """
    }
}
