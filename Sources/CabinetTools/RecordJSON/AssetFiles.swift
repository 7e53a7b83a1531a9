import Cabinet
package import Foundation

/// The files that the assets of a JSON object may be read from.
package enum AssetFiles: Sendable {
    /// Any file; a relative path begins at the folder.
    case any(relativeTo: URL)
    /// Files in the folder alone, with the bytes that the object describes.
    case verified(in: URL)

    /// Whether an object may describe bytes that the store has already, without a file.
    var includesStored: Bool { if case .any = self { true } else { false } }

    /// Returns the asset that an object describes.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - object: The object, with the checksum in `asset` and the number of bytes in `size`; a person may leave both out.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the file lies outside of the folder, is not a file, or has
    ///   other bytes.
    func asset(at path: String, _ object: JSONValue) throws(CabinetError) -> Asset {
        switch self {
        case .any(let folder): return Asset(fileURL: URL(filePath: path, relativeTo: folder))
        case .verified(let folder):
            let file = try Self.file(at: path, in: folder)
            let size: Int64? = if case .integer(let number)? = object["size"] { number } else { nil }
            if let checksum = object["asset"]?.string, !checksum.isEmpty {
                let found = try StoredAsset(of: file)
                guard found.checksum.description == checksum, size == nil || found.size == size else {
                    throw CabinetError(
                        .invalidArguments,
                        "The file \(path) has \(found.size) bytes with the checksum \(found.checksum); the record has "
                            + "\(size.map { "\($0) bytes" } ?? "a file") with \(checksum). Export the records again.")
                }
            }
            return Asset(fileURL: file)
        }
    }

    /// Returns a file that lies in a folder, also if links lead to it.
    private static func file(at path: String, in folder: URL) throws(CabinetError) -> URL {
        let url = folder.appending(path: path)
        // By bytes: a name may begin with a combining mark, and a folder beside this one may have its name in another form.
        guard path.utf8.first != UInt8(ascii: "/"), let root = folder.realPath, let real = url.realPath,
            real.utf8.starts(with: (root.hasSuffix("/") ? root : root + "/").utf8)
        else {
            let exists = FileManager.default.fileExists(atPath: url.path) || path.hasPrefix("/")
            throw CabinetError(
                .invalidArguments,
                exists
                    ? "The file \(path) lies outside of the folder of the imported file, so it is not read."
                    : "There is no file \(path).")
        }
        var status = stat()
        guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CabinetError(.invalidArguments, "\(path) is not a file.")
        }
        return URL(filePath: real)
    }

    /// Whether a file has the bytes of an asset.
    static func has(_ asset: StoredAsset, at file: URL) throws(CabinetError) -> Bool {
        let size = (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize
        guard size.map(Int64.init) == asset.size else { return false }
        return try StoredAsset(of: file).checksum == asset.checksum
    }
}

extension URL {
    /// The path without links; `nil` if nothing exists at the URL.
    fileprivate var realPath: String? {
        guard let resolved = realpath(path.isEmpty ? "." : path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
