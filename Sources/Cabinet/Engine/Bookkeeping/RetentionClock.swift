import Foundation

/// The time by which a store forgets: the clock of the process that cleans up, unless it jumps.
///
/// One process whose clock is years ahead would forget everything for all users. So each cleanup records its time. A clock that is more
/// than ``tolerance`` ahead of the last cleanup is believed only once it has been ahead for so long, and no cleanup with an
/// earlier clock came in between. Until then, nothing is forgotten by its age.
struct RetentionClock {
    /// The number of seconds that a clock may be ahead of the last cleanup: 30 days.
    static let tolerance: Int64 = 30 * 86_400

    /// The time of the last cleanup whose clock was believed, in seconds.
    private var last: Int64

    /// The time of the first later cleanup whose clock was ahead; `nil` if there was none.
    private var suspect: Int64?

    private init(last: Int64, suspect: Int64?) {
        self.last = last
        self.suspect = suspect
    }

    /// Creates the clock of a store that was not cleaned up yet.
    ///
    /// - Parameter date: The date of the oldest item that the store remembers.
    init(last date: Date) {
        self.init(last: Self.time(date), suspect: nil)
    }

    /// Returns whether a clock is believed, and records it.
    mutating func believes(_ date: Date) -> Bool {
        let now = Self.time(date)
        // The stored numbers may be damaged, and the present one is bounded.
        let limit = now - Self.tolerance
        if limit > last, suspect.map({ limit < $0 }) ?? true {
            suspect = min(suspect ?? now, now)
            return false
        }
        last = now
        suspect = nil
        return true
    }

    /// The seconds of a date, for every date that a program's clock can return.
    private static func time(_ date: Date) -> Int64 {
        let time = date.timeIntervalSinceReferenceDate
        return time.isNaN ? 0 : Int64(min(max(time, -1e12), 1e12))
    }
}

extension RetentionClock {
    private static let key = StorageKey("clock")

    /// Reads the clock of a database.
    static func read(in snapshot: any StorageSnapshot) async throws -> Self? {
        guard let text = try await snapshot.load(StorageKeys(entries: [key])).entries.first ?? nil else { return nil }
        var reader = EntryReader(text)
        guard let last = reader.number() else { throw CabinetError.damagedEntry(key, text) }
        return Self(last: last, suspect: reader.number())
    }

    /// The mutation that stores the clock.
    var mutation: StorageMutation {
        .setEntry(Self.key, suspect.map { "\(last) \($0)" } ?? "\(last)")
    }
}
