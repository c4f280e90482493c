// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What completes the words of a request in fish, behind the parser's own script.
enum FishCompletion {
    /// The functions, two of which take the place of the parser's, and the completions.
    static var text: String {
        """

        # Prints the first word before the cursor that is neither an option nor a value of one; fails if there is none.
        function __bluebonnet_first
            set -l tokens (__bluebonnet_tokens -pc)
            set -l previous ''
            for token in $tokens[2..]
                if not string match -q -- '-*' $token; and not contains -- "$previous" \
        \(CompletionScript.optionsWithValue.joined(separator: " "))
                    printf %s\\n $token
                    return 0
                end
                set previous $token
            end
            return 1
        end

        function __bluebonnet_is_curl
            test "$(__bluebonnet_first)" = curl
        end

        # The options of a request are not those of curl, and subcommands stand before everything else.
        functions -e __bluebonnet_offers_option __bluebonnet_offers_command
        functions -c __bluebonnet_should_offer_completions_for_flags_or_options __bluebonnet_offers_option
        functions -c __bluebonnet_should_offer_completions_for_positional __bluebonnet_offers_command

        function __bluebonnet_should_offer_completions_for_flags_or_options
            not __bluebonnet_is_curl; and __bluebonnet_offers_option $argv
        end

        function __bluebonnet_should_offer_completions_for_positional
            not __bluebonnet_first >/dev/null; and __bluebonnet_offers_command $argv
        end

        # A file behind an “@”.
        function __bluebonnet_file_items
            set -l raw (commandline -ct)
            # Without its quotes and escapes, also where a quote is still open.
            set -l token (string unescape -- $raw; or string unescape -- $raw\\'; or string unescape -- $raw\\")
            string match -q -- '*@*' $token; or return 0
            set -l start (string replace -r '@[^@]*$' '@' -- $token)
            set -l path (string replace -r '^.*@' '' -- $token)
            set -l home ''
            if string match -q '~/*' -- $path
                set home $HOME
                set path (string sub -s 2 -- $path)
                set start $start~
            end
            for file in $home$path*
                set -l word $start(string sub -s (math 1 + (string length -- "$home")) -- $file)
                test -d $file; and set word $word/
                printf '%s\\n' $word
            end
        end

        complete -c 'bluebonnet' -n 'not __bluebonnet_first' -fa 'curl' -d 'Read a command of curl.'
        complete -c 'bluebonnet' -fa '(__bluebonnet_file_items)'
        complete -c 'bluebonnet' -n '__bluebonnet_is_curl' -F
        complete -c 'bluebonnet' -n '__bluebonnet_is_curl' -a '\(CurlOption.names.joined(separator: " "))'
        """
    }
}
