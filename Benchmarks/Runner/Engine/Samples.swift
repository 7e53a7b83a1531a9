/// The data that all competitors store: N items in lists of a hundred, with IDs ordered by time, as Cabinet's are.
///
/// Each sample follows from its number alone. A million of them take no memory, and every process has the same ones.
struct Samples: Sendable {
    /// A list.
    ///
    /// Its name, and the name of an item, are indexed.
    struct List: Sendable {
        let id: String
        let name: String
    }

    struct Item: Sendable {
        let id: String
        let name: String
        let number: Int64
        /// The ID of its list.
        let list: String
    }

    /// A text to be searched for words.
    struct Note: Sendable {
        let id: String
        let text: String
    }

    /// The initial number of items.
    let count: Int
    /// The initial number of lists.
    let listCount: Int
    /// The number of notes.
    let noteCount: Int
    /// The number of lists that are deleted in all turns.
    ///
    /// They are the first ones.
    let deletedLists: Int

    /// - Parameters:
    ///   - count: The initial number of items.
    ///   - turns: The number of times that a store does the work of all rows.
    init(count: Int, turns: Int) {
        self.count = count
        deletedLists = min(turns * Row.deletedListsPerTurn, count / 200)
        listCount = max(count / 100, 2)
        noteCount = max(count / 10, 1_000)
    }

    func list(_ index: Int) -> List {
        List(id: Self.identifier(index, kind: 1), name: "List \(index)")
    }

    /// One of the initial items.
    ///
    /// Consecutive items are in different lists.
    func item(_ index: Int) -> Item { item(index, list: index % listCount) }

    /// Any item.
    func item(_ index: Int, list: Int) -> Item {
        var hash = Self.hash(index, kind: 2)
        let number = Int64(hash >> 40) % 1_000
        var letters: [UInt8] = []
        for _ in 0..<6 {
            letters.append(UInt8(97 + hash % 26))
            hash /= 26
        }
        return Item(
            id: Self.identifier(index, kind: 2), name: String(decoding: letters, as: UTF8.self) + " \(index)",
            number: number, list: Self.identifier(list, kind: 1))
    }

    /// A note of twenty words; half of the words are rare.
    func note(_ index: Int) -> Note {
        let words = (0..<20).map { offset in
            Self.word(Int(Self.hash(index &* 20 &+ offset, kind: 3) % (offset < 10 ? 100 : 5_000)))
        }
        return Note(id: Self.identifier(index, kind: 3), text: words.joined(separator: " "))
    }

    /// Items after the initial ones, in lists that are not deleted.
    ///
    /// - Parameters:
    ///   - turn: The turn in which they are inserted.
    ///   - offset: Their offset among those of the turn.
    func more(_ wanted: Int, turn: Int, from offset: Int) -> [Item] {
        let half = listCount / 2
        return (0..<wanted).map { item(count + turn * 100_000 + offset + $0, list: half + $0 % (listCount - half)) }
    }

    static func word(_ number: Int) -> String { "word\(number)" }

    /// Items from the whole store, without repetitions, and none from the lists that are deleted.
    func some(_ wanted: Int) -> [Item] {
        let kept = (0..<listCount).filter { $0 >= deletedLists }
        let perList = count / listCount
        let available = kept.count * perList
        let step = max(available / wanted, 1)
        return stride(from: 0, to: available, by: step).prefix(wanted).map { offset in
            item(offset / kept.count * listCount + kept[offset % kept.count])
        }
    }

    /// Lists from the whole store that are not deleted, in an endless cycle.
    func someLists(_ wanted: Int) -> [List] {
        let kept = listCount - deletedLists
        return (0..<wanted).map { list(deletedLists + $0 * max(kept / wanted, 1) % kept) }
    }

    /// A UUID of version 7 that is greater than those of smaller numbers.
    private static func identifier(_ index: Int, kind: UInt64) -> String {
        let milliseconds = 1_750_000_000_000 + UInt64(index)
        let random = hash(index, kind: kind &+ 16)
        let high = milliseconds << 16 | 0x7000 | random & 0xFFF
        let low = 0x8000_0000_0000_0000 | random >> 2
        return String(unsafeUninitializedCapacity: 36) { bytes in
            var position = 0
            for nibble in 0..<32 {
                if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                    bytes[position] = 45
                    position += 1
                }
                let half = nibble < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - nibble % 16 * 4)) & 15
                bytes[position] = digit < 10 ? 48 + digit : 55 + digit
                position += 1
            }
            return position
        }
    }

    /// A pseudorandom number.
    private static func hash(_ index: Int, kind: UInt64) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15 &+ kind &* 0xD1B5_4A32_D192_ED03
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return hash ^ hash >> 31
    }
}
