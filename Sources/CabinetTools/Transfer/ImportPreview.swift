package import Cabinet
package import Foundation

/// The content of a file that an import reads, which a person checks before anything is saved.
package struct ImportPreview: Sendable {
    /// The number of records of each type.
    package private(set) var counts: [Record.RecordType: Int] = [:]
    /// The number of deletions.
    package private(set) var deletionCount = 0
    /// The zones that the import creates if they do not exist.
    package private(set) var zones: Set<String> = []
    /// The schema that is applied first; `nil` if the file has none.
    package private(set) var schema: Schema?
    /// The first records, with the texts of their fields.
    package private(set) var samples: [(name: String, type: Record.RecordType, fields: [(key: String, text: String)])] =
        []

    private static let sampleCount = 5

    /// Reads a file of JSON lines.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the line of the first mistake.
    package init(of file: URL) throws {
        let lines = try LineReader(file)
        var number = 0
        var export = ExportSection()
        while let line = try lines.next() {
            try Task.checkCancellation()
            number += 1
            if line.allSatisfy(\.isWhitespace) { continue }
            do {
                let object = try JSONValue(record: line)
                if try !export.isEnd(object, line: number) { try add(object) }
            } catch {
                throw CabinetError(.invalidArguments, "Line \(number): \(error.localizedDescription)")
            }
        }
        if let defect = export.defect { throw CabinetError(.invalidArguments, defect) }
    }

    private mutating func add(_ object: JSONValue) throws {
        if let text = object.schemaText {
            schema = try SchemaDocument(parsing: text).schema
        } else if let zone = object.zoneName {
            zones.insert(zone)
        } else if let deleted = object["deleted"] {
            _ = try deleted.recordNameAndType()
            deletionCount += 1
        } else {
            let (name, type) = try object.recordNameAndType()
            counts[type, default: 0] += 1
            guard samples.count < Self.sampleCount else { return }
            var fields: [(String, String)] = []
            if case .object(let members)? = object["fields"] { fields = members.map { ($0.key, $0.value.text) } }
            samples.append((name, type, fields))
        }
    }
}
