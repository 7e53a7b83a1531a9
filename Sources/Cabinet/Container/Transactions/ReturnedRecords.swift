/// A result of a transaction's closure that holds records.
protocol ReturnedRecords {
    /// Returns the result with the records that the transaction has saved as the server has stored them.
    func replacing(_ saved: [RecordID: Record]) -> Self
}

extension Record: ReturnedRecords {
    func replacing(_ saved: [RecordID: Record]) -> Record { saved[recordID] ?? self }
}

extension Array: ReturnedRecords where Element: ReturnedRecords {
    func replacing(_ saved: [RecordID: Record]) -> [Element] { map { $0.replacing(saved) } }
}
