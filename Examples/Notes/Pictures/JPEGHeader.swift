/// The beginning of a JPEG file: segments, one of which has the size of the picture.
enum JPEGHeader {
    // Cameras and editors write some dozens of segments before that one. A file with many more is not a picture.
    private static let mostSegments = 2000

    /// The picture's width and height.
    static func size(in file: FileBytes) -> (width: Int, height: Int)? {
        var offset: UInt64 = 2
        for _ in 0..<mostSegments {
            guard let head = file.bytes(2, at: offset), head[0] == 0xFF else { return nil }
            switch head[1] {
            case 0xFF:
                // A fill byte: the marker begins one byte later.
                offset += 1
            case 0x01:
                // A marker without a segment.
                offset += 2
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(head[1]):
                return frameSize(in: file, at: offset + 2)
            case 0x00, 0xD0...0xDA:
                // The picture's content, or its end, before any segment with a size.
                return nil
            default:
                guard let length = file.bytes(2, at: offset + 2)?.bigEndian, length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    /// Reads the segment that begins a frame: length, precision, height, width, number of colors.
    private static func frameSize(in file: FileBytes, at offset: UInt64) -> (width: Int, height: Int)? {
        guard let frame = file.bytes(8, at: offset) else { return nil }
        let (height, width, colors) = (Int(frame[3..<5].bigEndian), Int(frame[5..<7].bigEndian), UInt64(frame[7]))
        // Each color takes three bytes, which must be present, too.
        guard width > 0, height > 0, colors > 0, frame[0..<2].bigEndian == 8 + 3 * colors,
            file.bytes(Int(3 * colors), at: offset + 8) != nil
        else { return nil }
        return (width, height)
    }
}
