import Cabinet
import Foundation

/// The temporary files of a form, which are removed with it.
final class UploadFolder: Sendable {
    private let directory: TemporaryDirectory

    /// The number of files of a form.
    private static let maximumCount = 256

    init() throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-forms-\(geteuid())")
        directory = try TemporaryDirectory(inOwn: parent)
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
        return Writer(field: field, name: name, url: url, handle: try FileHandle(forWritingTo: url))
    }

    /// A file that arrives.
    final class Writer {
        private let field: String
        private let name: String
        private let url: URL
        private let handle: FileHandle
        private var size: Int64 = 0

        fileprivate init(field: String, name: String, url: URL, handle: FileHandle) {
            (self.field, self.name, self.url, self.handle) = (field, name, url, handle)
        }

        func write(_ bytes: Data) throws {
            try handle.write(contentsOf: bytes)
            size += Int64(bytes.count)
        }

        func finish() throws -> HTTPForm.File {
            try handle.close()
            return HTTPForm.File(field: field, name: name, url: url, size: size)
        }
    }
}
