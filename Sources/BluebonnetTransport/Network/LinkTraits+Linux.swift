// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetFiles
import FoundationEssentials

extension LinkTraits {
    /// Looks at the system's files.
    ///
    /// - Parameter name: The name of the interface.
    package init(ofInterface name: String) {
        self.init(ofInterface: name, below: "/sys/class/net")
    }

    /// Looks at files as the system has them.
    ///
    /// - Parameters:
    ///   - name: The name of the interface; one that is no name of a file has no traits.
    ///   - folder: The folder with one folder for each interface.
    init(ofInterface name: String, below folder: String) {
        self.init()
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else { return }
        let path = "\(folder)/\(name)"
        let files = FileManager.default
        self.isWireless = files.fileExists(atPath: path + "/wireless") || files.fileExists(atPath: path + "/phy80211")
        let event = (try? FileContent.read(path + "/uevent", upTo: 64 * 1024)) ?? []
        for line in event.split(separator: UInt8(ascii: "\n")) {
            if line.elementsEqual("DEVTYPE=wwan".utf8) { self.isMobile = true }
            if line.elementsEqual("DEVTYPE=wlan".utf8) { self.isWireless = true }
        }
    }
}
#endif
