import Cabinet
import Foundation

/// The folder of a form's temporary files, which is removed after the last of them.
final class UploadFolder: Sendable {
    private let directory: TemporaryDirectory

    /// The number of files of a form.
    private static let maximumCount = 256

    init() throws {
        directory = try TemporaryDirectory(for: "forms")
    }

    /// Creates a file, whose path says nothing of its name.
    func file(named name: String, of field: String) throws -> Writer {
        let url = directory.url.appendingPathComponent(UUID().uuidString)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        guard files.count < Self.maximumCount else {
            throw HTTPError(.contentTooLarge, "The form has too many files.")
        }
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw HTTPError(.internalServerError, "The server cannot store the file.") }
        let file = StoredFile(url, in: self)
        return Writer(field: field, name: name, file: file, handle: try FileHandle(forWritingTo: url))
    }

    /// A file of the folder, which is removed when its last owner releases it.
    final class StoredFile: Sendable {
        let url: URL
        private let folder: UploadFolder

        fileprivate init(_ url: URL, in folder: UploadFolder) {
            (self.url, self.folder) = (url, folder)
        }

        deinit {
            unlink(url.path)
        }
    }

    /// A file that arrives.
    final class Writer {
        private let field: String
        private let name: String
        private let file: StoredFile
        private let handle: FileHandle
        private var size: Int64 = 0

        fileprivate init(field: String, name: String, file: StoredFile, handle: FileHandle) {
            self.field = field
            self.name = name
            self.file = file
            self.handle = handle
        }

        func write(_ bytes: Data) throws {
            try handle.write(contentsOf: bytes)
            size += Int64(bytes.count)
        }

        func finish() throws -> HTTPForm.File {
            try handle.close()
            return HTTPForm.File(field: field, name: name, size: size, file: file)
        }
    }
}
