import Cabinet
import Foundation

/// The file of an export, which has a name of its own until it is complete.
///
/// It knows which of its bytes belong to which zone, so that those of a zone that is deleted during the export can be left out.
struct ExportFile {
    private let file: URL
    private let partial: URL
    private let handle: FileHandle
    private var end: UInt64 = 0
    private var written: [RecordZone.ID: [Range<UInt64>]] = [:]
    private var dropped: [Range<UInt64>] = []

    init(_ file: URL) throws {
        self.file = file
        partial = file.appendingPathExtension("partial")
        handle = try Self.create(partial)
    }

    private static func create(_ file: URL) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: file.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: file.path)
        else { throw CabinetError(.permissionFailure, "The file \(file.relativePath) cannot be written.") }
        return handle
    }

    /// Appends lines.
    ///
    /// - Parameter zoneID: The zone that the lines are about; `nil` for lines that stay in any case.
    mutating func write(_ lines: [JSONValue], of zoneID: RecordZone.ID? = nil) throws {
        if lines.isEmpty { return }
        let data = Data(lines.map { "\($0)\n" }.joined().utf8)
        try handle.write(contentsOf: data)
        let range = end..<(end + UInt64(data.count))
        end = range.upperBound
        guard let zoneID else { return }
        var ranges = written[zoneID] ?? []
        // Adjacent ranges are one, so that their number is that of the zone's visits.
        let start = ranges.last?.upperBound == range.lowerBound ? ranges.removeLast().lowerBound : range.lowerBound
        written[zoneID] = ranges + [start..<range.upperBound]
    }

    /// Leaves out the lines of a zone that were written so far.
    mutating func drop(_ zoneID: RecordZone.ID) {
        dropped += written.removeValue(forKey: zoneID) ?? []
    }

    /// Gives the complete file its name.
    ///
    /// Afterwards, a loss of power does not lose it.
    func finish() throws {
        if !dropped.isEmpty { try rewrite() }
        try handle.synchronize()
        try handle.close()
        guard rename(partial.path, file.path) == 0 else {
            throw CabinetError(
                .permissionFailure,
                "The export is complete, but \(partial.relativePath) cannot be renamed to its name.")
        }
        try file.deletingLastPathComponent().synchronizeFolder()
    }

    /// Writes the file again, without the lines that were dropped.
    private func rewrite() throws {
        try handle.synchronize()
        let kept = partial.appendingPathExtension("kept")
        let (source, target) = (try FileHandle(forReadingFrom: partial), try Self.create(kept))
        defer { try? source.close() }
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
        try target.synchronize()
        try target.close()
        guard rename(kept.path, partial.path) == 0 else {
            throw CabinetError(.permissionFailure, "The file \(partial.relativePath) cannot be replaced.")
        }
    }
}

extension URL {
    /// Makes the names in the folder durable.
    func synchronizeFolder() throws(CabinetError) {
        let descriptor = open(path.isEmpty ? "." : path, O_RDONLY)
        guard descriptor >= 0 else {
            throw CabinetError(.permissionFailure, "The folder \(relativePath) cannot be opened.")
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw CabinetError(.internalError, "The folder \(relativePath) cannot be synchronized.")
        }
    }
}
