package import Foundation

/// The parts in which the bytes of an asset are read and sent, so that the memory for them does not grow with the asset.
extension StoredAsset {
    /// The greatest number of bytes of one call.
    package static let partSize = 1 << 20

    /// Refuses more bytes than one call of a service may have.
    static func check(part count: Int64) throws(CabinetError) {
        if count <= partSize { return }
        throw CabinetError(
            .limitExceeded,
            "One call has at most \(partSize) bytes of an asset, and this one has \(count). Use several.")
    }

    /// Reads the bytes in parts, from the first to the last.
    ///
    /// - Parameters:
    ///   - part: Reads the bytes of a range; it may return fewer.
    ///   - body: Takes the bytes of each part.
    /// - Returns: Whether all bytes were read. A part that is missing, empty or too long ends the reading.
    package func read(
        _ part: (Range<Int64>) async throws -> Data?, each body: (Data) async throws -> Void
    ) async throws -> Bool {
        var position: Int64 = 0
        while position < size {
            let range = position..<position + min(Int64(Self.partSize), size - position)
            guard let bytes = try await part(range), 1...range.count ~= bytes.count else { return false }
            try await body(bytes)
            position += Int64(bytes.count)
        }
        return true
    }

    /// Computes the identity of a file's bytes.
    ///
    /// - Parameter file: A file that no process changes.
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` and ``CabinetError/Code/assetNotAvailable``.
    package init(of file: URL) throws(CabinetError) {
        var bytes = try AssetBytes(immutableFile: file)
        while try bytes.next() != nil {}
        self = bytes.stored
    }
}
