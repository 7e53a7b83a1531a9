import Cabinet
import Foundation
import Synchronization

/// A file to which lines are added, each of them whole or not at all.
///
/// Its methods wait for the disk.
final class LogFile: Sendable {
    private let url: URL
    private let lock: FileHandle
    private let content = Mutex<(file: FileHandle?, length: UInt64, compactLength: UInt64)>((nil, 0, 0))
    private static let newline = UInt8(ascii: "\n")

    /// Opens a file, which is created if it is missing, and locks it against other processes.
    init(_ url: URL) throws {
        self.url = url
        // snippet: lock
        // Compacting replaces the file of the lines, so another one is locked.
        lock = try Self.open(url.appendingPathExtension("lock"))
        guard flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CabinetError(
                .zoneBusy, "\(url.path) is in use. Close the other backend first.")
        }
        // end
    }

    /// Reads all lines, and truncates the last one if it is incomplete: its write was interrupted, and had not
    /// returned.
    func read(_ body: (_ line: Data) throws -> Void) throws {
        let file = try Self.open(url)
        let text = try file.readToEnd() ?? Data()
        let length = text.lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
        let lines = text.prefix(length).split(separator: Self.newline, omittingEmptySubsequences: false).dropLast()
        for (index, line) in lines.enumerated() {
            do {
                try body(line)
            } catch {
                throw CabinetError(
                    .internalError,
                    "Line \(index + 1) of \(url.path) is damaged. Restore the file from a backup, or, if it is the last line and "
                        + "the machine has failed, remove the line.", underlyingError: error)
            }
        }
        try file.truncate(atOffset: UInt64(length))
        try file.synchronize()
        content.withLock { $0 = (file, UInt64(length), UInt64(length)) }
    }

    /// Whether the file is twice as long as when it was opened or compacted, and longer than a megabyte.
    var hasDoubled: Bool { content.withLock { $0.length > max(2 * $0.compactLength, 1 << 20) } }

    /// Adds a line, and returns when it is on the disk.
    ///
    /// If it throws, the file is unchanged, or accepts no more lines until it is reopened.
    func append(_ line: Data) throws {
        try content.withLock { content in
            guard let file = content.file else {
                throw CabinetError(.internalError, "An earlier write to \(url.path) failed. Open the file again.")
            }
            do {
                content.file = nil
                try file.write(contentsOf: line + [Self.newline])
                try file.synchronize()
                content.length += UInt64(line.count) + 1
                content.file = file
            } catch {
                // Removes a line that may be incomplete. If the removal fails too, no line may follow it.
                if (try? file.truncate(atOffset: content.length)) != nil, (try? file.synchronize()) != nil {
                    content.file = file
                }
                throw CabinetError(
                    (error as? CocoaError)?.code == .fileWriteOutOfSpace ? .quotaExceeded : .internalError,
                    "\(url.path) cannot be written. Check its disk.", underlyingError: error)
            }
        }
    }

    /// Replaces all lines at once.
    func replace(with lines: [Data]) throws {
        let new = url.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: new)
        let file = try Self.open(new)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        try FileManager.default.setAttributes(attributes.filter { $0.key == .posixPermissions }, ofItemAtPath: new.path)
        let text = Data(lines.map { $0 + [Self.newline] }.joined())
        try file.write(contentsOf: text)
        try file.synchronize()
        try content.withLock { content in
            // A process that opens the file finds either all the old lines or all the new ones.
            guard rename(new.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            content = (file, UInt64(text.count), UInt64(text.count))
        }
        try Self.synchronizeFolder(of: url)
    }

    /// Closes the file, and lets others open it.
    func close() {
        // Without a reference, the file is closed.
        content.withLock { $0.file = nil }
        // A process that is about to start has a copy of the descriptor, which would keep the lock.
        _ = flock(lock.fileDescriptor, LOCK_UN)
    }

    private static func open(_ url: URL) throws -> FileHandle {
        do {
            if FileManager.default.fileExists(atPath: url.path) { return try FileHandle(forUpdating: url) }
            let file = try FileAccess.owner.createFile(atPath: url.path)
            try synchronizeFolder(of: url)
            return FileHandle(fileDescriptor: file, closeOnDealloc: true)
        } catch {
            throw CabinetError(
                .badContainer, "\(url.path) cannot be opened. Check that its folder exists and can be written.",
                underlyingError: error)
        }
    }

    /// Makes the names in a file's folder durable.
    ///
    /// Synchronizing the file alone does not.
    private static func synchronizeFolder(of url: URL) throws {
        try FileHandle(forReadingFrom: url.deletingLastPathComponent()).synchronize()
    }
}
