public import Foundation

extension Record {
    /// The record without its fields, as bytes that ``init(systemFields:)`` reads.
    ///
    /// A program that keeps records in a store of its own keeps these bytes beside them, and makes of them a record that
    /// can be saved: identity, type, change tag, dates, users and parent. Unsaved changes are not among them.
    public func encodeSystemFields() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var header = header
        if let fetched { header.parent = fetched.parent }
        // A header holds strings, dates and IDs, all of which JSON can hold.
        return (try? encoder.encode(header)) ?? Data()
    }

    /// Makes a record of what ``encodeSystemFields()`` wrote.
    ///
    /// The record has no fields and no changed keys. Fields set on it are saved; the others keep the server's values.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the bytes are not of that kind.
    public init(systemFields: Data) throws {
        do {
            let header = try JSONDecoder().decode(Header.self, from: systemFields)
            let nothingKnown = RecordFields(names: .empty, values: [], isComplete: false)
            // A record that was never saved has no tag, and all that is set on it is new.
            let fetched = header.recordChangeTag.map { _ in Fetched(fields: nothingKnown, parent: header.parent) }
            self.init(header: header, fields: fetched == nil ? .empty : nothingKnown, fetched: fetched)
        } catch {
            throw CabinetError(
                .invalidArguments, "These bytes are not a record's encoded system fields.", underlyingError: error)
        }
    }
}
