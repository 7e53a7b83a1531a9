public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory for files that nobody needs any more once its owner is gone.
///
/// The owner holds a lock on it, which the system releases when the process ends, in whatever way. Whoever makes the next one beside
/// it removes those whose owners are gone.
public final class LeasedDirectory: Sendable {
    /// The directory, which is empty at first.
    public let url: URL = URL(fileURLWithPath: "/")

    /// The descriptor that holds the lock.
    private let lock: Int32 = -1

    /// Creates a directory, and removes those beside it whose owners are gone.
    ///
    /// - Parameter parent: The directory to create it in, which is created if it is missing.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if this user may not write there, ``CabinetError/Code/quotaExceeded`` if the disk
    ///   is full, and otherwise ``CabinetError/Code/badContainer``.
    public init(in parent: URL) throws {
        throw CabinetError(.badContainer, "This version of Cabinet cannot store assets.")
    }

    /// Removes the directories whose owners are gone.
    ///
    /// - Parameter parent: The directory that they were created in; it need not exist.
    /// - Returns: How many files were removed.
    @discardableResult
    public static func removeAbandoned(in parent: URL) -> Int { 0 }

    /// Removes the directory with all files in it, and gives back the lock.
    ///
    /// It happens at the latest when nobody refers to this object any more. Removing twice is removing once.
    public func remove() {}
}
