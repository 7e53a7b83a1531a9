/// A sum over values, which shows whether two collections hold the same ones, in any order, without keeping them.
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
