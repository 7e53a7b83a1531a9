import Foundation

extension FileManager {
    /// The files in a folder and its subfolders.
    func files(in folder: URL) throws -> [URL] {
        guard let files = enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey, .fileSizeKey]) else {
            throw BenchmarkFailure("\(folder.path) cannot be read.")
        }
        return try files.compactMap { $0 as? URL }.filter {
            try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }
    }
}

extension URL {
    /// Whether a file has the header of a SQLite database.
    var isDatabase: Bool {
        guard let file = try? FileHandle(forReadingFrom: self) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }
}
