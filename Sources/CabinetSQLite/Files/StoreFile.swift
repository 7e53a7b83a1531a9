import Cabinet
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The names of database files, and their creation.
enum StoreFile {
    /// The suffix of the write-ahead log; SQLite appends no longer one for the files beside a database.
    private static let logSuffix = "-wal"
    private static let maximumNameLength = 255

    private static let suffix = ".sqlite"

    /// Returns the name of a database's file.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is too long for file systems.
    static func name(of database: DatabaseKey) throws -> String {
        let name = unchecked(database) + suffix
        guard name.utf8.count + logSuffix.utf8.count <= maximumNameLength else {
            throw CabinetError(
                .invalidArguments,
                "The user's record name is too long for the name of a file, which would be \(name). Use a shorter one.")
        }
        return name
    }

    /// Returns the name of a database's file without its extension.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is too long for file systems.
    static func stem(of database: DatabaseKey) throws -> String {
        String(try name(of: database).dropLast(suffix.count))
    }

    /// Returns the path of a database's file, which is its target if it is a symbolic link.
    ///
    /// SQLite keeps the other files beside the target.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is too long for file systems, and
    ///   ``/Cabinet/CabinetError/Code/badContainer`` if the target does not exist.
    static func path(of database: DatabaseKey, in directory: String) throws -> String {
        let path = directory + "/" + (try name(of: database))
        guard AssetFile.isLink(path) else { return path }
        guard let target = realpath(path, nil) else {
            throw CabinetError(
                .badContainer,
                "The store's file \(path) is a symbolic link that cannot be followed (\(String(cString: strerror(errno)))). "
                    + "Put its target back, or remove the link."
            ).ofStore
        }
        defer { free(target) }
        return String(cString: target)
    }

    /// Returns the databases that have a file in a directory, or the log of a missing one.
    static func databases(in directory: String) throws -> [DatabaseKey] {
        let databases = try names(in: directory).compactMap { name in
            guard name.hasSuffix(logSuffix) else { return database(named: name) }
            // The log of a database in use has no changes before the first write.
            if FileStamp(of: directory + "/" + name) == nil { return nil }
            return database(named: String(name.dropLast(logSuffix.count)))
        }
        return Array(Set(databases))
    }

    /// Returns the database whose file has a name; `nil` if the name does not belong to a database.
    static func database(named name: String) -> DatabaseKey? {
        guard name.hasSuffix(suffix) else { return nil }
        let stem = name.dropLast(suffix.count)
        let database: DatabaseKey? =
            if stem == "public" {
                .public
            } else if stem.hasPrefix("private-") {
                stem.dropFirst("private-".count).removingPercentEncoding.map(DatabaseKey.private)
            } else if stem.hasPrefix("shared-") {
                stem.dropFirst("shared-".count).removingPercentEncoding.map(DatabaseKey.shared)
            } else {
                nil
            }
        // Each database has exactly one spelling. Files with another spelling do not belong to Cabinet.
        return database.flatMap { unchecked($0) == stem ? $0 : nil }
    }

    private static func unchecked(_ database: DatabaseKey) -> String {
        switch database {
        case .public: "public"
        case .private(let owner): "private-\(encoded(owner))"
        case .shared(let owner): "shared-\(encoded(owner))"
        }
    }

    /// Percent-encodes each byte of a text except lowercase letters, digits, `-`, `_` and `.`.
    ///
    /// Some file systems ignore the case of letters.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "."):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the file exists, or cannot be examined.
    ///
    /// In the latter case, opening it reports the error.
    static func mayExist(at path: String) -> Bool {
        access(path, F_OK) == 0 || errno != ENOENT
    }

    /// Whether a database's file exists, or cannot be examined.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the file is missing, and its log has changes of it. SQLite would
    ///   delete the log, with saves that are in it alone.
    static func mayHaveDatabase(at path: String) throws -> Bool {
        if mayExist(at: path) { return true }
        if FileStamp(of: path + logSuffix) == nil { return false }
        // Another process may have created the file since, and then its log.
        if mayExist(at: path) { return true }
        throw CabinetError(
            .badContainer,
            "The file \(path) is missing, and its log \(path)-wal has changes of it. Move the file back, or move the log away."
        ).ofStore
    }

    /// Whether the file exists, and this process cannot write to it or to its directory, or the disk is read-only.
    static func isReadOnly(_ path: String) -> Bool {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return access(path, F_OK) == 0 && (access(path, W_OK) != 0 || access(directory, W_OK) != 0)
    }

    /// Whether the file exists and may be read.
    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// Returns the names in a directory.
    ///
    /// Foundation's list ends where the directory cannot be read further, without an error.
    static func names(in directory: String) throws -> [String] {
        guard let stream = opendir(directory) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return names }
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Creates the directory of a file, and those above it, durably.
    static func createDirectory(for path: String, _ access: FileAccess) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        guard !FileManager.default.fileExists(atPath: directory.path) else { return }
        do {
            try access.createDirectory(atPath: directory.path)
        } catch {
            let reason = String(cString: strerror(error.code.rawValue))
            throw CabinetError(
                [.EACCES, .EPERM, .EROFS].contains(error.code) ? .permissionFailure : .badContainer,
                "The store's directory \(directory.path) cannot be created (\(reason)). "
                    + "Check that its path is right and that this user may write there.", underlyingError: error
            ).ofStore
        }
        // A store can be created in a folder that this user may not read.
        for folder in [directory, directory.deletingLastPathComponent()] {
            try? AssetFile.synchronize(folder: folder.path)
        }
    }

    /// Creates an empty database file unless it exists.
    ///
    /// SQLite would create it with the permissions of the umask.
    static func create(_ path: String, _ access: FileAccess) throws {
        if try mayHaveDatabase(at: path) { return }
        // The file is linked to its path only after it is closed. Closing it later would release the locks that other
        // connections of this process hold on it.
        let new = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(".\(UUID()).new").path
        if let descriptor = try? access.createFile(atPath: new) {
            close(descriptor)
            defer { unlink(new) }
            if [0, EEXIST].contains(AssetFile.link(new, to: path)) { return }
        }
        // The file system has no hard links, or the link failed. SQLite reports the error.
        try withExtendedLifetime(DatabaseHandle(path: path, creates: true)) {
            _ = chmod(path, mode_t(access.filePermissions))
        }
    }
}
