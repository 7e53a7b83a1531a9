import Foundation

/// An error is coded with its causes and the failures of its items.
///
/// Of a conflict, the server's record is coded: the client has the other two.
extension CabinetError: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> CabinetError {
        let parts = try Parts.read(from: &reader)
        var error = CabinetError(
            Code(rawValue: parts.code), parts.message, recordID: parts.record, fieldKey: parts.field,
            underlyingError: parts.cause, retryAfterSeconds: parts.retryAfter)
        error.isUndeclared = parts.isUndeclared ?? false
        error.didResetEncryptedData = parts.didResetEncryptedData ?? false
        for item in parts.items ?? [] { error.partialErrorsByItemID[item.id] = item.error }
        error.conflict = parts.serverRecord.map {
            RecordConflict(
                clientRecord: Record(recordType: $0.recordType, recordID: $0.recordID), serverRecord: $0,
                ancestorRecord: nil)
        }
        return error
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try (ServerCoding.current?.mask(self) ?? self).writeParts(to: &writer)
    }

    private func writeParts(to writer: inout JSONWriter) throws(CabinetError) {
        var parts = Parts(
            code: code.rawValue, message: message, record: recordID, field: fieldKey, retryAfter: retryAfterSeconds,
            serverRecord: serverRecord, isUndeclared: isUndeclared ? true : nil,
            didResetEncryptedData: didResetEncryptedData ? true : nil)
        parts.cause = underlyingError.map {
            $0 as? CabinetError ?? CabinetError(.internalError, String(describing: $0))
        }
        if !partialErrorsByItemID.isEmpty {
            parts.items = partialErrorsByItemID.map { CodedFailure(id: $0, error: $1) }
                .sorted(by: CodedFailure.areInOrder)
        }
        try parts.write(to: &writer)
    }

    private struct Parts: CodedObject {
        var code = 0
        var message = ""
        var record: RecordID?
        var field: Record.FieldKey?
        var retryAfter: TimeInterval?
        var serverRecord: Record?
        var isUndeclared: Bool?
        var didResetEncryptedData: Bool?
        var cause: CabinetError?
        var items: [CodedFailure]?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("code", &code)
            try coder.part("message", &message)
            try coder.part("record", &record)
            try coder.part("field", &field)
            try coder.part("retryAfter", &retryAfter)
            try coder.part("serverRecord", &serverRecord)
            try coder.part("isUndeclared", &isUndeclared)
            try coder.part("didResetEncryptedData", &didResetEncryptedData)
            try coder.part("cause", &cause)
            try coder.part("items", &items)
        }
    }
}

/// The failure of one item.
struct CodedFailure: CodedObject {
    var id = RecordID(recordName: "")
    var error = CabinetError(.internalError, "")

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("id", &id)
        try coder.part("error", &error)
    }

    static func areInOrder(_ left: Self, _ right: Self) -> Bool { RecordOrder.compare(left.id, right.id) == .before }
}
