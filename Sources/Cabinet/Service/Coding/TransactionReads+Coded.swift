extension TransactionReads: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("end", &end)
        try coder.part("records", &records)
        try coder.part("queries", &queries)
    }
}

extension ReadRecord: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("id", &recordID)
        try coder.part("changeTag", &changeTag)
    }
}

extension ReadQuery: CodedObject, QueryingRequest {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("query", &query)
        try coder.part("zone", &zoneID)
    }
}
