/// The last part of the URL that a share of a record has, or will have.
struct RecordShortGUID: Sendable, Hashable {
    var recordID = RecordID(recordName: "")
    var text = ""
}

extension RecordShortGUID: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("recordID", &recordID)
        try coder.part("text", &text)
    }
}
