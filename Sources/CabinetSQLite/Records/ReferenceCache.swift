import CSQLite
import Cabinet

/// The recent references of a column.
///
/// Many records refer to the same few. A cached reference costs a comparison of bytes. A new one costs two allocations,
/// and its memory as long as the record is retained. If nearly all references are different, caching costs more than it
/// saves, so it is suspended for a while.
final class ReferenceCache {
    /// A cached reference.
    private struct Slot {
        /// The hash of the name; 0 in an empty slot.
        var number: UInt64 = 0
        var action: Int64 = 0
        var name = ""
        var zoneID = RecordZone.ID.default
        var value: FieldValue?
    }

    // Changed only by the thread that uses the connection, and never while they are read, so a check would find nothing.
    @exclusivity(unchecked) private var slots: [Slot] = []
    @exclusivity(unchecked) private var hits = 0
    @exclusivity(unchecked) private var misses = 0
    /// The number of references to create without caching.
    @exclusivity(unchecked) private var rest = 0

    private static let count = 256

    /// Returns the reference of a row; `nil` if the action is invalid, or the name is not valid UTF-8.
    func value(of name: UnsafeBufferPointer<UInt8>, action: Int64, zoneID: RecordZone.ID) -> FieldValue? {
        if rest > 0 {
            rest -= 1
            return Self.made(name, action, zoneID)
        }
        let number = Self.number(of: name)
        let index = Int(truncatingIfNeeded: number >> 56)
        if slots.isEmpty { slots = Array(repeating: Slot(), count: Self.count) }
        // Part by part, because a copy of the slot would count references to everything in it.
        if slots[index].number == number, slots[index].action == action, slots[index].zoneID == zoneID,
            slots[index].name.hasScalars(name), let value = slots[index].value
        {
            hits += 1
            return value
        }
        guard let value = Self.made(name, action, zoneID), case .reference(let reference) = value else { return nil }
        misses += 1
        if misses == Self.count {
            if hits < misses / 2 { rest = 16 * Self.count }
            (hits, misses) = (0, 0)
        }
        slots[index] = Slot(
            number: number, action: action, name: reference.recordID.recordName, zoneID: zoneID, value: value)
        return value
    }

    private static func made(
        _ name: UnsafeBufferPointer<UInt8>, _ action: Int64, _ zoneID: RecordZone.ID
    ) -> FieldValue? {
        guard let text = Statement.string(name), let known = Reference.Action(rawValue: Int(clamping: action)) else {
            return nil
        }
        return .reference(Reference(recordID: RecordID(recordName: text, zoneID: zoneID), action: known))
    }

    /// Returns a hash of a name's last bytes, which differ between names that begin with the time.
    private static func number(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(name)
        let width = MemoryLayout<UInt64>.size
        guard bytes.count >= width else { return UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15 }
        return bytes.loadUnaligned(fromByteOffset: bytes.count - width, as: UInt64.self) &* 0x9E37_79B9_7F4A_7C15
    }
}
