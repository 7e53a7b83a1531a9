import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// The file that an import reads, more than once: a pipe is copied, and an archive unpacked, into a temporary folder.
struct ImportFile {
    let url: URL
    /// The folder with the files of assets.
    let assets: URL
    private let folder: TemporaryDirectory?

    /// Finds the file.
    init(_ given: URL) throws {
        do {
            try self.init(readable: given)
        } catch {
            throw CommandError(describing: error)
        }
    }

    private init(readable given: URL) throws {
        guard FileManager.default.isReadableFile(atPath: given.path) else {
            throw CommandError(.notFound, "The file \(given.relativePath.printable) cannot be read.")
        }
        var status = stat()
        stat(given.path, &status)
        if status.st_mode & S_IFMT == S_IFDIR {
            throw CommandError.usage(
                "\(given.relativePath.printable) is a folder. Name a file: one of an export, or rows with their TYPE.")
        }
        let isPipe = status.st_mode & S_IFMT != S_IFREG
        let folder = isPipe || ZipReader.isArchive(given) ? try TemporaryDirectory(for: "imports") : nil
        var file = given
        if isPipe, let folder {
            // Its name in messages, and its ending, are those of the pipe.
            file = URL(filePath: given.lastPathComponent, relativeTo: folder.url)
            try Self.copy(given, to: file)
        }
        self.folder = folder
        if let folder, ZipReader.isArchive(file) {
            url = try ZipReader.unpack(file, to: folder.url.appending(path: "sent"))
            assets = url.deletingLastPathComponent()
        } else {
            (url, assets) = (file, given.deletingLastPathComponent())
        }
    }

    private static func copy(_ pipe: URL, to file: URL) throws {
        let source = try FileHandle(forReadingFrom: pipe)
        defer { try? source.close() }
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CommandError(.failure, "The file \(file.path) cannot be written.")
        }
        let target = try FileHandle(forWritingTo: file)
        defer { try? target.close() }
        while let data = try source.read(upToCount: 1 << 18), !data.isEmpty {
            do {
                try target.write(contentsOf: data)
            } catch {
                let reason = error.systemReason ?? error.localizedDescription
                throw CommandError(
                    .failure, "\(pipe.relativePath.printable) cannot be copied to \(file.path): \(reason).")
            }
        }
    }
}
