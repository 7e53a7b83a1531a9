import CSQLite
import Cabinet

/// The last references of a column, given out again: many records refer to few.
///
/// A reference that is found here costs a comparison of bytes, one that is made two allocations, and as much memory again as long as
/// somebody has the record. Where nearly all are different, keeping them costs more than it saves, so that it is left for a while.
final class ReferenceCache {
    /// What the references have in common that stand in a place; 0 where there is none.
    private var numbers: [UInt64] = []
    private var names: [String] = []
    private var actions: [Int64] = []
    private var zoneIDs: [RecordZone.ID] = []
    private var values: [FieldValue?] = []
    private var hits = 0
    private var misses = 0
    /// How many references are still to be made without being kept.
    private var rest = 0

    private static let count = 256

    /// The reference that a row has; `nil` if there is no such action, or the name is no UTF-8.
    func value(of name: UnsafeBufferPointer<UInt8>, action: Int64, zoneID: RecordZone.ID) -> FieldValue? {
        if rest > 0 {
            rest -= 1
            return Self.made(name, action, zoneID)
        }
        let number = Self.number(of: name)
        let index = Int(truncatingIfNeeded: number >> 56)
        if numbers.isEmpty { makePlaces() }
        if numbers[index] == number, actions[index] == action, names[index].hasScalars(name), zoneIDs[index] == zoneID {
            hits += 1
            return values[index]
        }
        guard let value = Self.made(name, action, zoneID), case .reference(let reference) = value else { return nil }
        misses += 1
        if misses == Self.count {
            if hits < misses / 2 { rest = 16 * Self.count }
            (hits, misses) = (0, 0)
        }
        numbers[index] = number
        names[index] = reference.recordID.recordName
        actions[index] = action
        zoneIDs[index] = zoneID
        values[index] = value
        return value
    }

    private func makePlaces() {
        numbers = Array(repeating: 0, count: Self.count)
        names = Array(repeating: "", count: Self.count)
        actions = Array(repeating: 0, count: Self.count)
        zoneIDs = Array(repeating: .default, count: Self.count)
        values = Array(repeating: nil, count: Self.count)
    }

    private static func made(
        _ name: UnsafeBufferPointer<UInt8>, _ action: Int64, _ zoneID: RecordZone.ID
    ) -> FieldValue? {
        guard let text = Statement.string(name), let known = Reference.Action(rawValue: Int(clamping: action)) else {
            return nil
        }
        return .reference(Reference(recordID: RecordID(recordName: text, zoneID: zoneID), action: known))
    }

    /// A number that is made of a name's last bytes, in which names differ that begin with the time.
    private static func number(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(name)
        let width = MemoryLayout<UInt64>.size
        guard bytes.count >= width else { return UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15 }
        return bytes.loadUnaligned(fromByteOffset: bytes.count - width, as: UInt64.self) &* 0x9E37_79B9_7F4A_7C15
    }
}
