/// The beginning of a PNG file: its signature, then a chunk with the size of the picture.
enum PNGHeader {
    /// The picture's width and height.
    static func size(in file: FileBytes) -> (width: Int, height: Int)? {
        // After the signature: the chunk's length, its name, width, height, five bytes about colors, the checksum.
        guard let chunk = file.bytes(25, at: 8), chunk[0..<4].bigEndian == 13, chunk[4..<8].elementsEqual("IHDR".utf8),
            chunk[21..<25].bigEndian == UInt64(crc32(chunk[4..<21]))
        else { return nil }
        let sides = (width: chunk[8..<12].bigEndian, height: chunk[12..<16].bigEndian)
        let allowed: ClosedRange<UInt64> = 1...0x7FFF_FFFF
        guard allowed.contains(sides.width), allowed.contains(sides.height) else { return nil }
        return (Int(sides.width), Int(sides.height))
    }

    /// The checksum that a chunk ends with.
    private static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
