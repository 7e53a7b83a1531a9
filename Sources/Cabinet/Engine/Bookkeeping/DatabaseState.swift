/// The state of a database as a whole: the last sequence number, and the timeline that numbers are reserved on.
package struct DatabaseState: Sendable, Hashable {
    /// The highest sequence number that a committed transaction, or this one, has reserved; 0 if none has.
    package var lastSequenceNumber: Int64 = 0

    /// The first number of the current timeline, and its ID; `nil` before the first one.
    var timeline: TimelineStart?

    /// The number of timelines that are remembered.
    var timelineCount = 0

    /// The origin of the last timeline that began because of one; empty or `nil` if none did.
    var origin: String?

    /// The first number of a timeline, and its ID.
    struct TimelineStart: Sendable, Hashable {
        let first: Int64
        let id: Int64
    }
}

extension DatabaseState {
    /// The key that the state is stored under.
    static let key = StorageKey("database")

    /// Reads a state from its entry; a database without one was never written.
    init(entry text: String?) throws(CabinetError) {
        guard let text else { return }
        var reader = EntryReader(text)
        // The number after the last one can always be computed.
        guard let last = reader.number(), (0..<Int64.max).contains(last) else { throw .damagedEntry(Self.key, text) }
        lastSequenceNumber = last
        if reader.isAtEnd { return }
        guard let first = reader.number(), let id = reader.number(), let count = reader.number() else {
            throw .damagedEntry(Self.key, text)
        }
        timeline = TimelineStart(first: first, id: id)
        timelineCount = Int(clamping: count)
        origin = reader.rest()
    }

    /// Throws ``CabinetError/Code/limitExceeded`` if fewer sequence numbers are left.
    func checkNumbers(_ count: Int) throws(CabinetError) {
        // One number stays unused, so that the number after the last one can be computed.
        if lastSequenceNumber < .max - Int64(count) { return }
        throw CabinetError(.limitExceeded, "The database has used all its sequence numbers. Copy it to a new store.")
    }

    /// The mutation that stores the state.
    var mutation: StorageMutation {
        guard let timeline else { return .setEntry(Self.key, String(lastSequenceNumber)) }
        let origin = origin ?? ""
        var text = ""
        // Every save stores the state, so its text is built in one allocation.
        text.reserveCapacity(80 + origin.utf8.count)
        text += "\(lastSequenceNumber) "
        text += "\(timeline.first) "
        text += String(timeline.id)
        text += " \(timelineCount) "
        text += origin
        return .setEntry(Self.key, text)
    }
}

extension CabinetError {
    /// Returns the error for a damaged entry.
    static func damagedEntry(_ key: StorageKey, _ text: String) -> CabinetError {
        CabinetError(
            .internalError,
            "The store's entry '\(key)' is damaged: it is '\(text.prefix(80))'. Verify the store, or restore a backup.")
    }
}
