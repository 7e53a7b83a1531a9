import Foundation

/// The header of a picture's file.
struct PictureHeader: Sendable, Hashable, Codable {
    let format: PictureFormat
    let width: Int
    let height: Int

    /// Reads a file's header alone.
    init(of file: URL) throws(PictureError) {
        let bytes = try FileBytes(file)
        defer { bytes.close() }
        for format in PictureFormat.allCases where bytes.bytes(format.signature.count, at: 0) == format.signature {
            guard let size = format.size(in: bytes) else { throw .damaged(file, format) }
            self.format = format
            (width, height) = size
            return
        }
        throw .notAPicture(file)
    }

    /// Width and height, for display.
    var dimensions: String { "\(width) × \(height)" }
}

/// A picture format that the program knows.
enum PictureFormat: String, Sendable, Codable, CaseIterable {
    case jpeg = "JPEG"
    case png = "PNG"

    /// The file name extensions.
    var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        }
    }

    /// The first bytes of its files.
    var signature: [UInt8] {
        switch self {
        case .jpeg: [0xFF, 0xD8, 0xFF]
        case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        }
    }

    /// The picture's width and height, or `nil` if the header is incomplete or invalid.
    func size(in bytes: FileBytes) -> (width: Int, height: Int)? {
        switch self {
        case .jpeg: JPEGHeader.size(in: bytes)
        case .png: PNGHeader.size(in: bytes)
        }
    }
}
