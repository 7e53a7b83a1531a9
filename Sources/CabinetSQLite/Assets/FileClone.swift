import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Copies that share their blocks with the original until one of both is changed, where the file system can do that.
enum FileClone {
    /// Gives a new, empty file the bytes of another one at once.
    ///
    /// - Parameters:
    ///   - source: The file with the bytes, open.
    ///   - target: The new file, open; another descriptor of it may take the place of this one.
    ///   - path: The new file's path.
    /// - Returns: Whether that was possible; the new file is still empty if not.
    static func clone(_ source: Int32, to target: inout Int32, path: String) -> Bool {
        #if canImport(Darwin)
        // A clone is a new file, which takes the empty one's place only when it is there.
        let clone = path + ".clone"
        guard fclonefileat(source, AT_FDCWD, clone, 0) == 0 else { return false }
        let descriptor = open(clone, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, rename(clone, path) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            unlink(clone)
            return false
        }
        close(target)
        target = descriptor
        return true
        #else
        // FICLONE, a macro that Swift does not import.
        return ioctl(target, 0x4004_9409, source) == 0
        #endif
    }
}
