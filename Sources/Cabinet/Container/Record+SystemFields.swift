public import Foundation

extension Record {
    /// Returns the record without its fields, as bytes that ``init(systemFields:)`` reads.
    ///
    /// ```swift
    /// let bytes = item.encodeSystemFields()
    /// var edited = try Record(systemFields: bytes)
    /// edited["number"] = 3
    /// edited = try await database.save(edited)
    /// ```
    ///
    /// A program that keeps records in a store of its own keeps these bytes with them, and creates from them a record
    /// that can be saved. The bytes hold identity, type, change tag, dates, users and parent. They do not hold unsaved
    /// changes.
    public func encodeSystemFields() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var header = header
        if let fetched { header.parent = fetched.parent }
        // A header holds strings, dates and IDs, all of which JSON can hold.
        return (try? encoder.encode(header)) ?? Data()
    }

    /// Creates a record from the bytes of ``encodeSystemFields()``.
    ///
    /// The record has no fields and no changed keys. Fields that are set on it are saved; the others keep the server's
    /// values.
    ///
    /// - Parameter systemFields: The bytes.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the bytes do not hold the system fields of a record.
    public init(systemFields: Data) throws {
        do {
            let header = try JSONDecoder().decode(Header.self, from: systemFields)
            let nothingKnown = FieldValues(names: .empty, values: [], isComplete: false)
            // A record that was never saved has no tag, and all fields that are set on it are new.
            let fetched = header.recordChangeTag.map { _ in Fetched(fields: nothingKnown, parent: header.parent) }
            self.init(header: header, fields: fetched == nil ? .empty : nothingKnown, fetched: fetched)
        } catch {
            throw CabinetError(
                .invalidArguments, "These bytes are not a record's encoded system fields.", underlyingError: error)
        }
    }
}
