import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The bytes of an asset.
enum AssetPage {
    /// The number of bytes of the largest picture that pages show.
    static let largestPicture = 2 << 20
    /// The number of bytes of the largest asset that is held in memory.
    private static let largestAsset: Int64 = 64 << 20

    static func answer(_ visit: Visit) async throws -> Answer {
        guard let key = visit["field"] else { throw HTTPError(.badRequest, "The address names no field.") }
        let record = try await visit.database.record(for: try visit.recordID)
        let index = Int(visit["index"] ?? "0") ?? 0
        let assets = record.fields[key]?.assets ?? []
        guard assets.indices.contains(index) else { throw HTTPError(.notFound, "The record has no such asset.") }
        let asset = assets[index]
        let name = "\(key)-\(index)".filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard asset.size ?? 0 <= largestAsset else {
            var response = try HTTPResponse(contentType: "application/octet-stream", body: body(of: asset))
            try response.headerFields.set(.contentDisposition, to: "attachment; filename=\"\(name)\"")
            return .response(response)
        }
        let bytes = try await asset.data()
        // Only a picture of a known kind is shown; a browser that opens other bytes might run them.
        let picture = pictureType(bytes)
        var response = try HTTPResponse(contentType: picture ?? "application/octet-stream", body: HTTPBody(bytes))
        try response.headerFields.set(
            .contentDisposition, to: picture == nil ? "attachment; filename=\"\(name)\"" : "inline")
        return .response(response)
    }

    /// Returns the bytes of a large asset, in parts from a temporary file.
    private static func body(of asset: Asset) -> HTTPBody {
        HTTPBody(writing: { output in
            let folder = try TemporaryDirectory(for: "exports")
            let file = folder.url.appending(path: "asset")
            try await asset.write(to: file)
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            while let chunk = try handle.read(upToCount: 1 << 18), !chunk.isEmpty { try await output(chunk) }
        })
    }

    /// Returns the type of a picture, by its first bytes; `nil` for other bytes.
    static func pictureType(_ bytes: Data) -> String? {
        let head = Array(bytes.prefix(12))
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) { return "image/gif" }
        if head.count == 12, head.starts(with: Array("RIFF".utf8)), Array(head[8...]) == Array("WEBP".utf8) {
            return "image/webp"
        }
        return nil
    }
}
