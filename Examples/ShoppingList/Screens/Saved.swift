import Cabinet

/// What an editor did: the screen below it puts the record in its place, without fetching anything.
enum Saved {
    case added(Record)
    case updated(Record)
}

extension [Record] {
    /// Puts a record that was saved in its place.
    mutating func place(_ saved: Saved) {
        switch saved {
        case .added(let record):
            append(record)
        case .updated(let record):
            guard let index = firstIndex(where: { $0.recordID == record.recordID }) else { return }
            self[index] = record
        }
        sortByName()
    }
}
