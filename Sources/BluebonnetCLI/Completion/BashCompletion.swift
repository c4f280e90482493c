// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What completes the words of a request in bash, behind the parser's own script.
///
/// The parser's script for a command with subcommands ends at the first word that is no option. Here the options of a request may stand behind
/// its URL, a file may stand behind an `@`, and a command of curl behind the word `curl`.
enum BashCompletion {
    /// The functions, and the command that puts them in place of the parser's.
    static var text: String {
        """

        __bluebonnet_takes_value() {
            case "${1}" in
            \(CompletionScript.optionsWithValue.joined(separator: " | ")))
                return 0
                ;;
            esac
            return 1
        }

        __bluebonnet_add_files() {
            # Readline breaks a word at "@", or keeps what stands before it.
            local -r start="${1%"${1##*@}"}"
            # It would not quote the path behind it rightly, and not know a folder: both are done here.
            local -i names_item=0
            if [[ -n "${start}" && "${COMP_WORDS[COMP_CWORD]}" != [\\"\\']* ]]
            then
                compopt +o filenames -o nospace 2>/dev/null && names_item=1
            fi
            local path place end
            while IFS='' read -r path; do
                if ((names_item)); then
                    place="${path}"
                    [[ "${path}" = '~/'* ]] && place="${HOME}${path:1}"
                    end=' '
                    [[ -d "${place}" ]] && end='/'
                    printf -v path '%q%s' "${path}" "${end}"
                fi
                COMPREPLY+=("${start}${path}")
            done < <(compgen -f -- "${1##*@}")
        }

        _bluebonnet_request() {
            # The first word that is neither an option nor a value of one.
            local first=''
            local -i index is_value=0
            for ((index = 1; index < COMP_CWORD; index++)); do
                # Readline breaks a value at a colon, too.
                ((is_value)) && [[ "${COMP_WORDS[index]}" = ':' || "${COMP_WORDS[index - 1]}" = ':' ]] && continue
                is_value=0
                [[ "${COMP_WORDS[index]}" = -* || "${COMP_WORDS[index]}" = '=' ]] && continue
                __bluebonnet_takes_value "${COMP_WORDS[index - 1]}" && is_value=1
                [[ "${COMP_WORDS[index - 1]}" = '=' ]] && __bluebonnet_takes_value "${COMP_WORDS[index - 2]}" && is_value=1
                ((is_value)) && continue
                first="${COMP_WORDS[index]}"
                break
            done
            case "${first}" in
            \(CompletionScript.commands.joined(separator: " | ")))
                # The parser's function sees the command alone, and not the options before it.
                local -a words=("${1}" "${COMP_WORDS[@]:index:COMP_CWORD - index + 1}")
                local -a COMP_WORDS=("${words[@]}")
                local -i COMP_CWORD=$((${#words[@]} - 1))
                _bluebonnet "${@}"
                return
                ;;
            curl)
                if [[ "${2}" = -* ]]; then
                    COMPREPLY=($(compgen -W '\(CurlOption.names.joined(separator: " "))' -- "${2}"))
                else
                    __bluebonnet_add_files "${2}"
                fi
                return
                ;;
            esac
            local option="${3}"
            [[ "${option}" = '=' ]] && option="${COMP_WORDS[COMP_CWORD - 2]}"
            if __bluebonnet_takes_value "${option}" || [[ "${2}" = -* ]]; then
                # The parser's function sees no word that would end the options.
                local word="${2}"
                local -a COMP_WORDS=("${1}" "${option}" "${word}")
                if ! __bluebonnet_takes_value "${option}"; then
                    # Nor a whole option, which it would take for one that waits for its value, as "--auth" of "--auth-type".
                    word='-'
                    COMP_WORDS=("${1}" "${word}")
                fi
                local -i COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _bluebonnet "${1}" "${word}" "${option}"
                [[ "${word}" = "${2}" ]] || COMPREPLY=($(compgen -W "${COMPREPLY[*]}" -- "${2}"))
                return
            fi
            if [[ -z "${first}" ]]; then
                COMPREPLY=($(compgen -W 'curl \(CompletionScript.commands.joined(separator: " "))' -- "${2}"))
            fi
            __bluebonnet_add_files "${2}"
        }

        complete -o filenames -F _bluebonnet_request bluebonnet
        """
    }
}
