import Cabinet
package import Foundation

/// The file of an export, which has a name of its own until it is complete.
///
/// Links stay, and the file that they lead to is replaced. A pipe or a device is written at once, and not replaced. The new file is
/// locked until it has its name, so that two exports never write the same one.
///
/// It knows which of its bytes belong to which zone, so that those of a zone that is deleted during the export can be left out.
struct ExportFile {
    private let file: URL
    /// The file until it is complete; `nil` for a pipe or a device.
    private let partial: URL?
    private var handle: FileHandle
    private var end: UInt64 = 0
    private var written: [RecordZone.ID: [Range<UInt64>]] = [:]
    private var dropped: [Range<UInt64>] = []
    /// The number of lines, and of those that belong to each zone.
    private var (lineCount, lineCounts): (Int, [RecordZone.ID: Int]) = (0, [:])

    /// The number of times that a file is opened again because another export has renamed or removed it.
    private static let maximumAttempts = 100

    init(_ file: URL) throws(CabinetError) {
        var status = stat()
        let exists = stat(file.path, &status) == 0
        guard exists || errno == ENOENT else { throw Self.failure(errno, file) }
        guard !exists || status.st_mode & S_IFMT != S_IFDIR else {
            throw CabinetError(.invalidArguments, "\(file.relativePath) is a folder. Name the file of the export.")
        }
        if file.isStream {
            (self.file, partial) = (file, nil)
            handle = try Self.handle(file, O_WRONLY | O_APPEND)
        } else {
            let target = file.followingLinks
            let partial = target.appendingPathExtension("partial")
            (self.file, self.partial) = (target, partial)
            handle = try Self.create(partial, for: target)
            // The new file has the permissions of the one that it replaces.
            if exists { fchmod(handle.fileDescriptor, status.st_mode & 0o777) }
        }
    }

    /// Opens an empty file that this export alone writes, until its handle is closed.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if another export writes the file.
    private static func create(_ file: URL, for target: URL) throws(CabinetError) -> FileHandle {
        for _ in 0..<maximumAttempts {
            let handle = try handle(file, O_RDWR | O_CREAT | O_NOFOLLOW)
            guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
                if errno != EWOULDBLOCK { throw failure(errno, file) }
                break
            }
            // Another export may have renamed or removed the file before it was locked.
            guard file.names(handle) else { continue }
            // Not before: the bytes of another export are lost with it.
            guard ftruncate(handle.fileDescriptor, 0) == 0 else { throw failure(errno, file) }
            return handle
        }
        throw CabinetError(
            .zoneBusy, "Another export writes \(target.relativePath). Wait until it ends, or export to another file.")
    }

    private static func handle(_ file: URL, _ flags: Int32) throws(CabinetError) -> FileHandle {
        let descriptor = open(file.path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(errno, file) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func failure(_ number: Int32, _ file: URL) -> CabinetError {
        let message = "The file \(file.relativePath) cannot be written: \(String(cString: strerror(number)))."
        return CabinetError([ENOSPC, EDQUOT, EFBIG].contains(number) ? .quotaExceeded : .permissionFailure, message)
    }

    /// Runs a closure that writes, and names the file in its error.
    private func writing<Success>(_ work: () throws -> Success) throws -> Success {
        do {
            return try work()
        } catch let error where !(error is CabinetError) {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
            throw Self.failure(cause.map { Int32(($0 as NSError).code) } ?? EIO, partial ?? file)
        }
    }

    /// Appends lines.
    ///
    /// - Parameter zoneID: The zone that the lines are about; `nil` for lines that stay in any case.
    mutating func write(_ lines: [JSONValue], of zoneID: RecordZone.ID? = nil) throws {
        if lines.isEmpty { return }
        let data = Data(lines.map { "\($0)\n" }.joined().utf8)
        try writing { try handle.write(contentsOf: data) }
        let range = end..<(end + UInt64(data.count))
        end = range.upperBound
        lineCount += lines.count
        guard let zoneID else { return }
        lineCounts[zoneID, default: 0] += lines.count
        var ranges = written[zoneID] ?? []
        // Adjacent ranges are one, so that their number is that of the zone's visits.
        let start = ranges.last?.upperBound == range.lowerBound ? ranges.removeLast().lowerBound : range.lowerBound
        written[zoneID] = ranges + [start..<range.upperBound]
    }

    /// Leaves out the lines of a zone that were written so far.
    mutating func drop(_ zoneID: RecordZone.ID) {
        dropped += written.removeValue(forKey: zoneID) ?? []
        lineCount -= lineCounts.removeValue(forKey: zoneID) ?? 0
    }

    /// Writes the last line, which counts the others, and gives the complete file its name.
    ///
    /// Afterwards, a loss of power does not lose it.
    mutating func finish() throws {
        let last: [JSONValue] = [["end": .integer(Int64(lineCount))]]
        guard let partial else {
            guard dropped.isEmpty else {
                throw CabinetError(
                    .zoneNotFound,
                    "A zone was deleted during the export, and \(file.relativePath) has its records already. Export again, or to a file."
                )
            }
            try write(last)
            return try writing { try handle.close() }
        }
        if !dropped.isEmpty { handle = try writing { try rewrite(partial) } }
        try write(last)
        try Disk.synchronize(handle.fileDescriptor) { Self.failure($0, partial) }
        guard partial.names(handle) else {
            throw CabinetError(
                .permissionFailure, "Another program has moved or removed \(partial.relativePath). Export again.")
        }
        // The handle stays open, so that the file stays locked as long as it has the name of a partial one.
        guard rename(partial.path, file.path) == 0 else {
            throw CabinetError(
                .permissionFailure,
                "The export is complete, but \(partial.relativePath) cannot be renamed to its name.")
        }
        try file.deletingLastPathComponent().synchronizeFolder()
    }

    /// Removes what is written of a file that will not be complete.
    func discard() {
        // After the file was renamed, the name may be that of another export.
        if let partial, partial.names(handle) { unlink(partial.path) }
    }

    /// Writes the file again, without the lines that were dropped.
    ///
    /// - Returns: The handle of the new file, which has the name of the partial one.
    private func rewrite(_ partial: URL) throws -> FileHandle {
        try Disk.synchronize(handle.fileDescriptor) { Self.failure($0, partial) }
        let kept = partial.appendingPathExtension("kept")
        let source = try FileHandle(forReadingFrom: partial)
        defer { try? source.close() }
        let target = try Self.create(kept, for: file)
        // After it was renamed, this has no effect.
        defer { if kept.names(target) { unlink(kept.path) } }
        var status = stat()
        if fstat(handle.fileDescriptor, &status) == 0 { fchmod(target.fileDescriptor, status.st_mode & 0o777) }
        var position: UInt64 = 0
        for range in dropped.sorted(by: { $0.lowerBound < $1.lowerBound }) + [end..<end] {
            try source.seek(toOffset: position)
            while position < range.lowerBound {
                let limit = Int(min(range.lowerBound - position, 1 << 20))
                guard let data = try source.read(upToCount: limit), !data.isEmpty else { break }
                try target.write(contentsOf: data)
                position += UInt64(data.count)
            }
            position = range.upperBound
        }
        try Disk.synchronize(target.fileDescriptor) { Self.failure($0, kept) }
        guard partial.names(handle), rename(kept.path, partial.path) == 0 else {
            throw CabinetError(.permissionFailure, "The file \(partial.relativePath) cannot be replaced.")
        }
        return target
    }
}

extension URL {
    /// Whether a pipe or a device is at the URL, or the output of this process, which a new file must not replace.
    var isStream: Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) || isStandardOutput
    }

    /// Whether the file is the output of this process, under any name.
    package var isStandardOutput: Bool {
        var (status, output) = (stat(), stat())
        return stat(path, &status) == 0 && fstat(STDOUT_FILENO, &output) == 0
            && status.st_dev == output.st_dev && status.st_ino == output.st_ino
    }

    /// Whether the URL itself, not a link at it, is the name of an open file.
    fileprivate func names(_ handle: FileHandle) -> Bool {
        var (status, opened) = (stat(), stat())
        return lstat(path, &status) == 0 && fstat(handle.fileDescriptor, &opened) == 0
            && status.st_dev == opened.st_dev && status.st_ino == opened.st_ino
    }

    /// The file that symbolic links lead to, which may be missing.
    fileprivate var followingLinks: URL {
        var file = self
        // A circle of links does not lead to a file, and the system refuses it before.
        while let path = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) {
            file = URL(filePath: path, relativeTo: file.deletingLastPathComponent())
        }
        return file
    }

    /// Makes the names in the folder durable.
    func synchronizeFolder() throws(CabinetError) {
        try Disk.synchronize(folder: path) { number in
            let reason = String(cString: strerror(number))
            return CabinetError(
                Disk.code(of: number), "The folder \(relativePath) cannot be synchronized: \(reason).")
        }
    }
}
