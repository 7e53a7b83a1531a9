import Cabinet
import Foundation

/// The folder of a copy that is not complete.
///
/// A file in it marks it, so that only what an interrupted copy has left is removed, and not the folder of another program. The file is locked
/// while the copy is made.
final class PartialFolder: Sendable {
    let path: String
    private let lock: Int32

    private static let mark = ".cabinet-partial"

    /// Creates the folder, after it has removed that of an interrupted copy.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if another folder or file has the name, and
    ///   ``/Cabinet/CabinetError/Code/zoneBusy`` while another copy is made.
    init(path: String, _ access: FileAccess) throws {
        self.path = path
        let mark = path + "/" + Self.mark
        if StoreFile.mayExist(at: path) {
            let old = open(mark, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            // A copy that was interrupted at its beginning or end has left an empty folder.
            guard old >= 0 || rmdir(path) == 0 else {
                throw CabinetError(
                    .invalidArguments, "\(path) exists, and is not what an interrupted copy has left. Move it away.")
            }
            if old >= 0 {
                defer { close(old) }
                guard flock(old, LOCK_EX | LOCK_NB) == 0 else {
                    throw CabinetError(
                        .zoneBusy, "Another copy is made in \(path). Wait for its end, or choose another name.")
                }
                try Self.remove(path)
            }
        }
        try AssetFile.makeFolder(path, access)
        lock = open(mark, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            let number = errno
            // Without its mark, the next copy would take the folder for that of another program.
            rmdir(path)
            throw AssetFile.failure(number, mark)
        }
        // A file system without locks has no copies at once.
        _ = flock(lock, LOCK_EX | LOCK_NB)
    }

    deinit { close(lock) }

    /// Removes the folder, as far as it can be removed.
    func remove() { try? Self.remove(path) }

    /// Removes a folder, and its mark last, so that what a killed process leaves can still be removed.
    private static func remove(_ path: String) throws {
        for name in try StoreFile.names(in: path) where name != mark {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Removes the mark of a complete copy, which has another name by then.
    func removeMark(in path: String) { unlink(path + "/" + Self.mark) }
}
