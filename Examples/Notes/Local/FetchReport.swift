/// The result of fetching at the start.
struct FetchReport: Sendable, CustomStringConvertible {
    /// The number of notes that other devices have created or changed.
    var fetched = 0

    /// The number of notes that this device has saved since its last fetch.
    var known = 0

    /// The number of notes that other devices have deleted.
    var deleted = 0

    /// The reason that the stored notes could not be used.
    var restartReason: String?

    var description: String {
        var parts = ["Fetched the latest changes: \(fetched) \(fetched == 1 ? "note" : "notes")"]
        if known > 0 { parts.append("\(known) that this device has saved itself") }
        parts.append("\(deleted) \(deleted == 1 ? "deletion" : "deletions")")
        return (restartReason.map { $0 + "\n" } ?? "") + parts.joined(separator: ", ") + "."
    }
}
