/// How much a start has fetched.
struct FetchReport: Sendable, CustomStringConvertible {
    /// Notes that others have made or changed.
    var fetched = 0

    /// Notes that this device has saved itself, after it asked the last time.
    var known = 0

    /// Notes that others have deleted.
    var deleted = 0

    /// Why nothing of what was kept could be used.
    var startedAnew: String?

    var description: String {
        var parts = ["Fetched what is new: \(fetched) \(fetched == 1 ? "note" : "notes")"]
        if known > 0 { parts.append("\(known) that this device has saved itself") }
        parts.append("\(deleted) \(deleted == 1 ? "deletion" : "deletions")")
        return (startedAnew.map { $0 + "\n" } ?? "") + parts.joined(separator: ", ") + "."
    }
}
