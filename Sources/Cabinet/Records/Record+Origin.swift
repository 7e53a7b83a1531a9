package import Foundation

extension Record {
    /// The part of a record that is not fields.
    package struct Header: Sendable, Hashable, Codable {
        package var recordType: RecordType
        package var recordID: RecordID
        package var recordChangeTag: String?
        package var creationDate: Date?
        package var creatorUserRecordID: RecordID?
        package var modificationDate: Date?
        package var lastModifiedUserRecordID: RecordID?
        package var parent: Reference?
        /// The share whose root the record is.
        package var share: Reference?
    }

    /// The values that a client can change, as they were fetched.
    package struct Fetched: Sendable, Hashable, Codable {
        package var fields: FieldValues
        package var parent: Reference?
    }

    /// The origin of a record, which never changes.
    enum Origin: Sendable {
        case new(RecordType, RecordID)
        case stored(StoredRecord)
        case archive(Archive)

        /// The system values and the parent, as they were fetched.
        var header: Header {
            switch self {
            case .new(let recordType, let recordID): Header(recordType: recordType, recordID: recordID)
            case .stored(let stored): Header(stored)
            case .archive(let archive): archive.header
            }
        }

        /// The values that were fetched, or `nil` for a record that was never saved.
        var fetched: Fetched? {
            switch self {
            case .new: nil
            case .stored(let stored): Fetched(fields: stored.fields, parent: stored.parent)
            case .archive(let archive): archive.fetched
            }
        }

        /// Whether ``fetched`` has a value, which need not be made to know that.
        var wasFetched: Bool {
            switch self {
            case .new: false
            case .stored: true
            case .archive(let archive): archive.fetched != nil
            }
        }

        var recordType: RecordType {
            switch self {
            case .new(let recordType, _): recordType
            case .stored(let stored): stored.recordType
            case .archive(let archive): archive.header.recordType
            }
        }

        var recordID: RecordID {
            switch self {
            case .new(_, let recordID): recordID
            case .stored(let stored): stored.recordID
            case .archive(let archive): archive.header.recordID
            }
        }
    }

    /// The record as it was fetched, with its change tag; `nil` if it never was.
    var ancestor: Record? {
        fetched.map { fetched in
            var header = header
            header.parent = fetched.parent
            return Record(header: header, fields: fetched.fields, fetched: fetched)
        }
    }

    /// A record that came neither from this program nor from a backend, such as a decoded one.
    final class Archive: Sendable {
        let header: Header
        let fetched: Fetched?

        init(header: Header, fetched: Fetched?) {
            self.header = header
            self.fetched = fetched
        }
    }
}

extension Record.Header {
    /// Creates the header of a record that was never saved.
    package init(_ recordType: Record.RecordType, _ recordID: RecordID) {
        self.init(recordType: recordType, recordID: recordID)
    }
}

extension Record.Fetched {
    /// Creates the values that were fetched of a record.
    package init(_ fields: FieldValues, _ parent: Reference?) {
        self.init(fields: fields, parent: parent)
    }
}
