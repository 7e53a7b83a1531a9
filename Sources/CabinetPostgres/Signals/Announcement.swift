import Cabinet

/// A message from one backend to the others that a database has changed.
struct Announcement: Sendable, Hashable {
    /// The backend that has changed the database, or that tests whether it hears itself.
    let sender: String
    /// The number of the database's writes; 0 for the test.
    let number: Int64
    /// The database's name in `cabinet_database`; a random text for the test.
    let name: String

    /// The text that PostgreSQL delivers.
    var payload: String { "\(sender) \(number) \(name)" }

    /// Whether PostgreSQL delivers a text of this length.
    var isDeliverable: Bool { payload.utf8.count < 8000 }
}

extension Announcement {
    /// Reads an announcement; `nil` if the text is not one.
    init?(payload: String) {
        let parts = payload.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int64(parts[1]) else { return nil }
        self.init(sender: String(parts[0]), number: number, name: String(parts[2]))
    }
}
