// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The long part of `bluebonnet --help`.
enum HelpText {
    static let discussion = """
        The method is guessed where it is left out: POST with a body, GET without.
        The URL may be short: “:8080/path” is on localhost, “http://” is understood.
        Items add to the request; quote what your shell would change:

          Header:value        a header; “Header:” removes one, “Header;” is empty
          name==value         a query parameter
          name=value          a text in the body
          name:=json          JSON in the body: 29, true, '["a","b"]'
          name@file           a file to upload (--form); name@file;type=text/csv
          name=@file          the content of a file as a text
          name:=@file         the content of a file as JSON
          @file               the file is the whole body
          a[b][]=value        a place in the JSON: [] appends, [0] is a position

        A backslash before : ; = or @ makes it an ordinary character. Items that
        begin with “-” go after “--”. A body that is piped in is sent as it is.

        Examples:

          bluebonnet :8080/users                         a GET to localhost
          bluebonnet example.org/users name=Ada age:=36  a POST with JSON
          bluebonnet PUT example.org/users/1 'tags[]=a' 'tags[]=b'
          bluebonnet --form example.org/upload photo@me.jpg
          bluebonnet --offline POST example.org a=1      show it, send nothing
          bluebonnet --download example.org/file.iso
          bluebonnet --check-status --headers example.org/health
          bluebonnet demo         check the main job against an embedded server
          bluebonnet serve        run the embedded server, to try things against
          bluebonnet curl -L -d a=1 example.org    read a command of curl

        Exit codes:

          0    there was a response
          1    wrong use, or a file that cannot be read or written
          2    no response, or not a whole one
          3-5  with --check-status or --download: a status of 3xx, 4xx or 5xx
          130  interrupted
          141  the reader of the output closed its end of the pipe
        """

    /// What `bluebonnet curl` does.
    static let curl =
        "Write “bluebonnet” before a command of curl. Its options are read as curl reads them: the method, header fields, data, forms, uploads, credentials, cookies, proxies, certificates, time limits, --write-out. An option that has no counterpart is an error. Certificates are always verified; --trust takes the place of --insecure."
}
