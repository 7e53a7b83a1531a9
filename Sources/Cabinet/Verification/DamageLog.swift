/// What was found so far in a database: of each kind the first, and how many there are.
final class DamageLog {
    /// Of each kind, the most damages that are kept.
    static let limit = 100

    private(set) var damages: [StoredDamage] = []
    private(set) var omittedCount = 0
    private var counts: [StoredDamage.Kind: Int] = [:]

    func add(_ damage: StoredDamage) {
        counts[damage.kind, default: 0] += 1
        if hasRoom(for: damage.kind, beside: 1) { damages.append(damage) } else { omittedCount += 1 }
    }

    func add(_ kind: StoredDamage.Kind, _ record: StoredRecord, _ message: String, isRepairable: Bool = false) {
        add(
            StoredDamage(
                kind, message, recordType: record.recordType, recordID: record.recordID,
                isRepairable: isRepairable))
    }

    /// Whether another damage of a kind would be kept, so that it is worth looking for.
    func hasRoom(for kind: StoredDamage.Kind) -> Bool { hasRoom(for: kind, beside: 0) }

    private func hasRoom(for kind: StoredDamage.Kind, beside new: Int) -> Bool {
        counts[kind, default: 0] - new < Self.limit
    }
}

/// A sum over values, which tells whether two collections hold the same ones, in whatever order, without keeping them.
struct Fingerprint: Hashable, Sendable {
    private(set) var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ value: some Hashable) {
        var hasher = Hasher()
        hasher.combine(value)
        count += 1
        // Hashes are as good as random: sums of different values are equal once in 2 to the 64.
        sum &+= UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
