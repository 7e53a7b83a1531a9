import Foundation

/// The URL of a share, which ends with 128 random bits.
///
/// A store indexes the hash of the bits, so that a copy of the index gives no URL.
struct ShareURL: Sendable, Hashable {
    /// The bits in 22 letters, digits, hyphens and underscores.
    let shortGUID: String

    private static let length = 22

    /// Creates the URL of new random bits.
    static func random() -> ShareURL { ShareURL(unchecked: URLBase64.random(16)) }

    private init(unchecked shortGUID: String) {
        self.shortGUID = shortGUID
    }

    /// Creates the URL from its part that identifies the share; `nil` if no share has such a part.
    init?(shortGUID: String) {
        guard shortGUID.utf8.count == Self.length, shortGUID.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.shortGUID = shortGUID
    }

    /// Returns the part of a stored text that identifies a share: the text is a server's URL, or this part alone.
    static func shortGUID(_ text: String) -> String {
        text.lastIndex(of: "/").map { String(text[text.index(after: $0)...]) } ?? text
    }

    /// The URL that every container of the store understands.
    var url: URL? { URL(string: "cabinet://share/\(shortGUID)") }

    /// The hash under which a store finds the share.
    var hash: String { Data(Asset.Checksum(of: Data("share \(shortGUID)".utf8)).bytes).base64EncodedString() }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
