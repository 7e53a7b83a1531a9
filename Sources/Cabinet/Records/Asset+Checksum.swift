public import Foundation

extension Asset {
    /// The SHA-256 checksum of an asset's bytes.
    ///
    /// Assets with the same checksum have the same bytes.
    public struct Checksum: Sendable, Hashable {
        /// The checksum's bits, the highest first.
        private let words: (UInt64, UInt64, UInt64, UInt64)

        /// Creates a checksum from its bytes, or returns `nil` if there are not exactly 32.
        ///
        /// - Parameter bytes: The 32 bytes, the most significant first.
        public init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == 32 else { return nil }
            self.init(digest: Array(bytes))
        }

        /// Computes the checksum of bytes.
        ///
        /// - Parameter data: The bytes.
        public init(of data: Data) {
            var hash = SHA256()
            hash.update(data)
            self = hash.checksum
        }

        /// Creates a checksum from the 32 bytes of a digest.
        init(digest: [UInt8]) {
            func word(_ position: Int) -> UInt64 {
                digest.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self).bigEndian }
            }
            words = (word(0), word(8), word(16), word(24))
        }

        /// Creates a checksum from its description, or returns `nil` if the text is not one.
        ///
        /// - Parameter hexadecimal: 64 hexadecimal digits.
        public init?(hexadecimal: some StringProtocol) {
            guard hexadecimal.utf8.count == 64, let bytes = Data(hexadecimal: hexadecimal) else { return nil }
            self.init(bytes)
        }

        /// The checksum's 32 bytes.
        public var bytes: [UInt8] { withBytes(Array.init) }

        fileprivate func withBytes<Output>(_ body: (UnsafeRawBufferPointer) -> Output) -> Output {
            withUnsafeBytes(
                of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
        }

        /// Returns a Boolean value that indicates whether two checksums are equal.
        public static func == (left: Self, right: Self) -> Bool {
            left.words == right.words
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            // The bits of a checksum are as good as random: a part of them suffices.
            hasher.combine(words.0)
        }
    }
}

extension Asset.Checksum: Comparable {
    /// Returns a Boolean value that indicates whether the first checksum's bytes come before the second one's.
    public static func < (left: Self, right: Self) -> Bool {
        left.words < right.words
    }
}

extension Asset.Checksum: Codable {
    /// Decodes a checksum from 64 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let text = try value.decode(String.self)
        guard let checksum = Self(hexadecimal: text) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "A checksum has 64 hexadecimal digits.")
        }
        self = checksum
    }

    /// Encodes the checksum as 64 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}

extension Asset.Checksum: CustomStringConvertible {
    /// The checksum as 64 hexadecimal digits, as `sha256sum` prints it.
    public var description: String { withBytes(\.hexadecimal) }

    /// The first 12 bytes in Base64, by which texts are compared that are not kept.
    var fingerprint: String { Data(bytes.prefix(12)).base64EncodedString() }
}
