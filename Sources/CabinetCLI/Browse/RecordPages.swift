import Cabinet
import TerminalProgram

/// The rows of a query of any size: the selection, and the records around it, which are loaded in chunks.
struct RecordPages: Sendable {
    static let chunkSize = 100
    /// The chunks on both sides of the selection that are kept.
    private static let keptDistance = 5

    private var chunks: [Int: [Record]] = [:]
    /// The positions at which the known chunks begin.
    private var starts: [Query.Cursor?] = [nil]
    private var pending: Set<Int> = []
    /// The number of rows, once the last chunk is known.
    private var end: Int?
    private(set) var position = 0
    private var first = 0
    private var height = 1
    /// Whether chunks are loaded until the last row is reached.
    private(set) var isSeekingEnd = false

    /// The number of rows that can be selected now.
    var count: Int { end ?? (starts.count - 1) * Self.chunkSize }

    /// Whether the first rows have arrived.
    var isLoaded: Bool { end != nil || starts.count > 1 }

    var visible: Range<Int> { first..<max(first, min(count, first + height)) }

    subscript(row: Int) -> Record? {
        guard row >= 0, let chunk = chunks[row / Self.chunkSize] else { return nil }
        let index = row % Self.chunkSize
        return chunk.indices.contains(index) ? chunk[index] : nil
    }

    var selected: Record? { self[position] }

    /// Loads the kept rows again; those that are shown stay until then.
    mutating func reload() {
        let shown = shownChunks
        chunks = chunks.filter { shown.contains($0.key) }
        pending = []
        reloading = shown
    }

    /// The chunks that are loaded although they are kept.
    private var reloading: Set<Int> = []

    private var shownChunks: Set<Int> {
        Set((first / Self.chunkSize)...((first + height) / Self.chunkSize))
    }

    /// Returns the chunks to load now, with their positions, and counts them as loading.
    mutating func missing() -> [(chunk: Int, start: Query.Cursor?)] {
        var wanted = shownChunks
        // The next rows are loaded before they are reached.
        wanted.insert((first + height * 2) / Self.chunkSize)
        if isSeekingEnd { wanted.insert(starts.count - 1) }
        let new = wanted.sorted().filter { chunk in
            starts.indices.contains(chunk) && !pending.contains(chunk)
                && (chunks[chunk] == nil || reloading.contains(chunk))
        }
        pending.formUnion(new)
        reloading.subtract(new)
        return new.map { ($0, starts[$0]) }
    }

    mutating func take(_ records: [Record], chunk: Int, next: Query.Cursor?) {
        pending.remove(chunk)
        chunks[chunk] = records
        if let next {
            if starts.count == chunk + 1 { starts.append(next) }
            if chunk + 1 < starts.count { starts[chunk + 1] = next }
            if let end, end <= (chunk + 1) * Self.chunkSize { self.end = nil }
        } else {
            starts.removeSubrange((chunk + 1)...)
            end = chunk * Self.chunkSize + records.count
        }
        if isSeekingEnd {
            position = max(0, count - 1)
            isSeekingEnd = end == nil
        }
        scroll()
        let middle = position / Self.chunkSize
        chunks = chunks.filter { abs($0.key - middle) <= Self.keptDistance }
    }

    mutating func fail(chunk: Int) {
        pending.remove(chunk)
        isSeekingEnd = false
    }

    mutating func resize(toHeight new: Int) {
        height = max(1, new)
        scroll()
    }

    mutating func handle(_ key: Key) -> Bool {
        let wasSeeking = isSeekingEnd
        isSeekingEnd = false
        switch key {
        case .up, .character("k"), .scrollUp: position -= 1
        case .down, .character("j"), .scrollDown: position += 1
        case .pageUp: position -= height
        case .pageDown, .character(" "): position += height
        case .home, .character("g"): position = 0
        case .end, .character("G"):
            position = count - 1
            isSeekingEnd = end == nil
        default:
            isSeekingEnd = wasSeeking
            return false
        }
        scroll()
        return true
    }

    /// Selects a visible row; whether it was selected before.
    mutating func select(visible row: Int) -> Bool? {
        guard row >= 0, visible.contains(first + row) else { return nil }
        defer { position = first + row }
        return position == first + row
    }

    private mutating func scroll() {
        position = max(0, min(position, count - 1))
        first = max(position - height + 1, min(first, position))
        first = max(0, min(first, count - height))
    }
}
