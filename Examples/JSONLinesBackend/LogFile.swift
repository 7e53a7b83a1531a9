import Cabinet
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that lines are added to, each of them whole or not at all.
///
/// Its calls wait for the disk.
final class LogFile: Sendable {
    private struct Content {
        var file: FileHandle?
        var length: UInt64 = 0
    }

    private let url: URL
    private let lock: FileHandle
    private let content = Mutex(Content())
    private static let newline = UInt8(ascii: "\n")

    /// Opens a file, which is created if it is missing, and locks it against other processes.
    init(_ url: URL) throws {
        self.url = url
        // The lock is a file of its own, because compacting puts another one in the place of the lines.
        lock = try Self.open(url.appendingPathExtension("lock"))
        guard flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CabinetError(
                .zoneBusy,
                "\(url.path) is in use by another process, or by another backend of this one. Close that first.")
        }
    }

    /// Reads all lines, and cuts off the last one if it has no end: its write was interrupted, and had not returned.
    func read(_ body: (_ line: Data, _ number: Int) throws -> Void) throws {
        let file = try Self.open(url)
        let text = try file.readToEnd() ?? Data()
        let length = text.lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
        let lines = text.prefix(length).split(separator: Self.newline, omittingEmptySubsequences: false).dropLast()
        for (index, line) in lines.enumerated() { try body(line, index + 1) }
        try file.truncate(atOffset: UInt64(length))
        try file.synchronize()
        content.withLock { $0 = Content(file: file, length: UInt64(length)) }
    }

    /// Adds a line, and returns when it is on the disk.
    ///
    /// If it throws, the file is as it was, or takes no more lines until it is opened again.
    func append(_ line: Data) throws {
        try content.withLock { content in
            guard let file = content.file else {
                throw CabinetError(.internalError, "\(url.path) could not be written before. Open it again.")
            }
            do {
                content.file = nil
                try file.write(contentsOf: line + [Self.newline])
                try file.synchronize()
                content.length += UInt64(line.count) + 1
                content.file = file
            } catch {
                // What is not known to be whole goes. If even that fails, nothing must follow it.
                if (try? file.truncate(atOffset: content.length)) != nil, (try? file.synchronize()) != nil {
                    content.file = file
                }
                let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
                throw CabinetError(
                    isFull ? .quotaExceeded : .internalError, "\(url.path) cannot be written. Look at its disk.",
                    underlyingError: error)
            }
        }
    }

    /// Puts other lines in the place of all, at once.
    func replace(with lines: [Data]) throws {
        let new = url.appendingPathExtension("new")
        let text = Data(lines.map { $0 + [Self.newline] }.joined())
        try? FileManager.default.removeItem(at: new)
        let file = try Self.open(new)
        // Whoever may use the old file may use the new one.
        if let permissions = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: new.path)
        }
        try file.write(contentsOf: text)
        try file.synchronize()
        try content.withLock { content in
            // Who opens the file after this finds all of the new lines, who has opened it before, all of the old ones.
            guard rename(new.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            content = Content(file: file, length: UInt64(text.count))
        }
        try Self.synchronizeFolder(of: url)
    }

    /// Closes the file, and lets others open it.
    func close() {
        content.withLock { content in
            try? content.file?.close()
            content.file = nil
        }
        try? lock.close()
    }

    private static func open(_ url: URL) throws -> FileHandle {
        do {
            if !FileManager.default.fileExists(atPath: url.path) {
                let file = FileHandle(
                    fileDescriptor: try FileAccess.owner.createFile(atPath: url.path), closeOnDealloc: true)
                try synchronizeFolder(of: url)
                return file
            }
            return try FileHandle(forUpdating: url)
        } catch {
            throw CabinetError(
                .badContainer, "\(url.path) cannot be opened. Check that its folder is there and may be written.",
                underlyingError: error)
        }
    }

    /// Makes a file's name durable, which is not the file's but its folder's.
    private static func synchronizeFolder(of url: URL) throws {
        try FileHandle(forReadingFrom: url.deletingLastPathComponent()).synchronize()
    }
}
