// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetFiles
import FoundationEssentials

extension LinkTraits {
    /// Reads the traits from sysfs.
    ///
    /// - Parameter name: The name of the interface.
    package init(ofInterface name: String) {
        self.init(ofInterface: name, below: "/sys/class/net")
    }

    /// Reads the traits from files laid out as in sysfs.
    ///
    /// - Parameters:
    ///   - name: The name of the interface; one that is not a valid file name has no traits.
    ///   - folder: The folder that contains one folder per interface.
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
