import Foundation

/// A database file that is read without locks, because this process may not create files beside it, or the disk has no room for them.
///
/// Usually the readers and writers of a write-ahead log share an index of it, in a file ending in `-shm`. Without that file,
/// SQLite builds the index in memory, or reads the database file alone if there is no log. Processes with more rights do not
/// notice such a reader, so each read compares the files with their state when they were opened.
struct FrozenFile {
    private let path: String
    private let stamps: [FileStamp?]

    /// Creates the description of a file; `nil` if its connections can use locks.
    init?(path: String) {
        let sharesLog = StoreFile.isReadable(path + "-shm") && StoreFile.isReadable(path + "-wal")
        guard StoreFile.isReadOnly(path), !sharesLog else { return nil }
        self.init(unsharedAt: path)
    }

    /// Creates the description of a file whose connections cannot use locks.
    init(unsharedAt path: String) {
        self.path = path
        stamps = Self.stamps(of: path)
    }

    /// Whether another process has changed the file or its log.
    var hasChanged: Bool { stamps != Self.stamps(of: path) }

    /// The file's name for SQLite.
    ///
    /// `immutable` reads no log, and `unix-none` is SQLite's implementation of files without locks.
    var uri: String {
        let name = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return "file://\(name)?\(hasLog ? "vfs=unix-none" : "immutable=1")"
    }

    /// Whether the file has a write-ahead log.
    var hasLog: Bool { stamps[1] != nil }

    private static func stamps(of path: String) -> [FileStamp?] {
        [path, path + "-wal"].map(FileStamp.init)
    }
}
