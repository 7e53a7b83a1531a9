import Cabinet

/// The lines of one export in a file: its first line has a version, and its last line is `{"end":57}`, with the number of the others.
///
/// By the last line, an import recognizes a file that was cut between two lines. Files of version 1, and those without a version, have no
/// such line.
struct ExportSection: Sendable, Hashable, Codable {
    /// The version of the files that an export writes.
    static let version: Int64 = 2

    /// The number of the first line of an export whose last line is missing so far, or counts other lines.
    private var start: Int?

    /// Reads a line of a file.
    ///
    /// - Parameter number: The number of the line.
    /// - Returns: Whether it is the last line of an export, which has nothing to import.
    mutating func isEnd(_ object: JSONValue, line number: Int) throws(CabinetError) -> Bool {
        if let count = object.lineCount {
            start = start.map { Int64(number - $0) } == count ? nil : start ?? number
            return true
        }
        guard object.schemaText != nil, case .integer(let version)? = object["cabinet"] else { return false }
        guard version <= Self.version else {
            throw CabinetError(
                .invalidArguments, "A newer version of Cabinet has written this file. Import it with that version.")
        }
        if version == Self.version { start = start ?? number }
        return false
    }

    /// The sentence that an export in the file lacks lines; `nil` if none does.
    var defect: String? {
        start.map { _ in
            "The file is not a whole export: its last line, {\"end\":LINES}, is missing or counts other lines. Export it again."
        }
    }
}

extension JSONValue {
    /// The number in the last line of an export.
    fileprivate var lineCount: Int64? {
        guard case .object(let members) = self, members.count == 1, case .integer(let count)? = self["end"] else {
            return nil
        }
        return count
    }
}
