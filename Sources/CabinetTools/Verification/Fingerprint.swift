/// A sum over values that compares two collections regardless of their order, without storing them.
struct Fingerprint: Hashable, Sendable {
    private(set) var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ value: some Hashable) {
        var hasher = Hasher()
        hasher.combine(value)
        count += 1
        // Hashes are practically random: the probability that sums of different values are equal is 2 to the -64.
        sum &+= UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
