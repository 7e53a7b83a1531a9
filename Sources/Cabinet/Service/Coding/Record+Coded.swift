import Foundation

/// A record that a service returns, with everything that it has of it.
///
/// A record of a Cabinet store has its numbers, from which its change tag and its position in the order of a query follow. A record
/// of another server has a change tag.
extension Record: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Record {
        try reader.object { reader throws(CabinetError) in
            var header = CodedHeader()
            try header.code(with: &reader)
            var fields = FieldValues.empty
            try reader.part("fields", &fields)
            var isPartial: Bool?
            try reader.part("isPartial", &isPartial)
            if isPartial == true {
                fields = FieldValues(names: fields.names, values: fields.values, isComplete: false)
            }
            return try header.record(fields, from: &reader)
        }
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            var header = CodedHeader(self)
            try header.code(with: &writer)
            writer.key("fields")
            try fields.write(to: &writer)
            if !fields.isComplete {
                writer.key("isPartial")
                writer.write(true)
            }
        }
    }
}

/// The part of a record that is not fields, as it is coded.
struct CodedHeader: CodedObject {
    var type = ""
    var id = RecordID(recordName: "")
    var tag: String?
    var number: Int64?
    var insertionNumber: Int64?
    var creationDate: Date?
    var creator: String?
    var modificationDate: Date?
    var modifier: String?
    var parent: Reference?
    var share: Reference?

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("type", &type)
        try coder.part("id", &id)
        try coder.part("tag", &tag)
        try coder.part("number", &number)
        try coder.part("insertionNumber", &insertionNumber)
        try coder.part("created", &creationDate)
        try coder.part("creator", &creator)
        try coder.part("modified", &modificationDate)
        try coder.part("modifier", &modifier)
        try coder.part("parent", &parent)
        try coder.part("share", &share)
    }
}

extension CodedHeader {
    init(_ record: Record) {
        if let stored = record.unchanged {
            self.init(
                type: stored.recordType, id: stored.recordID, number: stored.sequenceNumber,
                insertionNumber: stored.insertionNumber == stored.sequenceNumber ? nil : stored.insertionNumber,
                creationDate: stored.creationDate, creator: stored.creatorName,
                modificationDate: stored.modificationDate, modifier: stored.lastModifierName, parent: stored.parent,
                share: stored.share)
        } else {
            let header = record.header
            self.init(
                type: header.recordType, id: header.recordID, tag: header.recordChangeTag,
                creationDate: header.creationDate, creator: header.creatorUserRecordID?.recordName,
                modificationDate: header.modificationDate, modifier: header.lastModifiedUserRecordID?.recordName,
                parent: header.parent, share: header.share)
        }
    }

    /// Returns the record as it was fetched.
    func record(_ fields: FieldValues, from reader: inout JSONReader) throws(CabinetError) -> Record {
        if let number {
            guard let creationDate, let creator, let modificationDate, let modifier else {
                throw reader.unexpected("a record with its dates and users")
            }
            return Record(
                StoredRecord(
                    recordID: id, sequenceNumber: number, insertionNumber: insertionNumber ?? number,
                    creationDate: creationDate, modificationDate: modificationDate,
                    attribution: reader.attribution(
                        type, creator, modifier, parent?.recordID.recordName, share?.recordID.recordName),
                    fields: fields))
        }
        return Record(
            header: header, fields: fields, fetched: Record.Fetched(fields: fields, parent: header.parent))
    }

    var header: Record.Header {
        Record.Header(
            recordType: type, recordID: id, recordChangeTag: tag, creationDate: creationDate,
            creatorUserRecordID: creator.map { RecordID(recordName: $0) }, modificationDate: modificationDate,
            lastModifiedUserRecordID: modifier.map { RecordID(recordName: $0) },
            parent: parent, share: share)
    }
}
