/// The notifications of a user, in the order of their numbers.
struct NotificationLog: Sendable {
    /// The highest number that is not remembered any more.
    private(set) var expirationNumber: Int64 = 0
    /// Those that were replaced by later ones among them, until they are too many.
    private var entries: [StoredNotification] = []
    /// The number of the last notification with each replacement key.
    private var lastNumbers: [String: Int64] = [:]
    /// How many entries were replaced by later ones.
    private var replacedCount = 0

    /// The notifications after a number, the first so many.
    func entries(after number: Int64, limit: Int) -> [StoredNotification] {
        var range = entries.startIndex..<entries.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                entries[middle].sequenceNumber > number
                ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return Array(entries[range.lowerBound...].lazy.filter(isCurrent).prefix(limit))
    }

    /// Adds notifications, whose numbers are higher than all before.
    mutating func append(_ notifications: [StoredNotification]) {
        for notification in notifications {
            if let key = notification.replacementKey,
                lastNumbers.updateValue(notification.sequenceNumber, forKey: key) != nil
            {
                replacedCount += 1
            }
            entries.append(notification)
        }
        guard replacedCount > entries.count / 2 + 32 else { return }
        entries = entries.filter(isCurrent)
        replacedCount = 0
    }

    /// Forgets all notifications up to a number.
    mutating func forget(upTo number: Int64) {
        if number <= expirationNumber { return }
        expirationNumber = number
        entries.removeAll { $0.sequenceNumber <= number }
        lastNumbers = lastNumbers.filter { $0.value > number }
        replacedCount = entries.count { !isCurrent($0) }
    }

    private func isCurrent(_ notification: StoredNotification) -> Bool {
        notification.replacementKey.map { lastNumbers[$0] == notification.sequenceNumber } ?? true
    }
}
