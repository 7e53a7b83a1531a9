import Foundation

/// Pictures for tests: real ones, and files that are built by hand.
enum TestPicture {
    /// The default picture, 320 × 240.
    static let standard = file("Pictures/default.png")

    /// A small photo, 240 × 160.
    static let hills = file("Demo/hills.jpg")

    /// The beginning of a PNG file, with the right checksum, and some bytes instead of its content.
    static func png(width: UInt32, height: UInt32) -> [UInt8] {
        let chunk = Array("IHDR".utf8) + bytes(width) + bytes(height) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + bytes(13) + chunk + bytes(crc32(chunk))
            + Array(repeating: 0, count: 100)
    }

    /// The beginning of a JPEG file: some segments, then the one with the size.
    static func jpeg(width: UInt16, height: UInt16, after segments: [[UInt8]] = [], frame: UInt8 = 0xC0) -> [UInt8] {
        let size = [8] + bytes(UInt32(height)).suffix(2) + bytes(UInt32(width)).suffix(2)
        let colors: [UInt8] = [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        return [0xFF, 0xD8] + segments.flatMap { $0 } + [0xFF, frame, 0, 17] + size + colors + [0xFF, 0xDA]
    }

    /// A segment of a JPEG file.
    static func segment(_ marker: UInt8, length: Int) -> [UInt8] {
        [0xFF, marker] + bytes(UInt32(length + 2)).suffix(2) + Array(repeating: 0xAA, count: length)
    }

    private static func file(_ path: String) -> URL {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appending(path: "Examples/Notes/\(path)")
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
