import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Copy-on-write clones of files, where the file system supports them.
enum FileClone {
    /// Clones the bytes of a file into a new, empty file.
    ///
    /// - Parameters:
    ///   - source: The descriptor of the file to clone.
    ///   - target: The descriptor of the new file, which may be replaced by another descriptor.
    ///   - path: The new file's path.
    /// - Returns: Whether the file was cloned. If not, the new file is still empty.
    static func clone(_ source: Int32, to target: inout Int32, path: String) -> Bool {
        #if canImport(Darwin)
        // A clone is a new file, which then replaces the empty one.
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
        // The value of FICLONE, a macro that Swift does not import.
        return ioctl(target, 0x4004_9409, source) == 0
        #endif
    }
}
