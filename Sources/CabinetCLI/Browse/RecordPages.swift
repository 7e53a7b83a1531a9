import Cabinet
import CabinetTools
import TerminalProgram

/// The rows of a query of any size: the selection, and the records around it, which are loaded in chunks.
struct RecordPages: Sendable {
    private static let chunkSize = BrowseStore.chunkSize
    /// The chunks on both sides of the selection that are kept.
    private static let keptDistance = 5

    private var chunks: [Int: [Record]] = [:]
    /// The positions at which the known chunks begin; the first one begins without a position.
    private var starts: [Int: Query.Cursor] = [:]
    /// The last chunk of those that follow each other from the first one, with known positions.
    private var reached = 0
    private var pending: Set<Request> = []
    /// The chunks that are loaded although they are kept.
    private var reloading: Set<Int> = []
    /// The number of rows, once it is known.
    private var end: Int?
    private(set) var position = 0
    private var first = 0
    private var height = 1
    /// Whether the last row is selected as soon as it is found.
    private(set) var isSeekingEnd = false

    /// A request for rows that are not loaded.
    enum Request: Sendable, Hashable {
        case rows(chunk: Int, after: Query.Cursor?)
        /// The position of a chunk that begins at a number of rows before the end.
        case start(chunk: Int, rowsToEnd: Int)
    }

    /// The number of rows that can be selected now.
    var count: Int { end ?? reached * Self.chunkSize }

    /// Whether the first rows have arrived.
    var isLoaded: Bool { end != nil || reached > 0 }

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

    private var shownChunks: Set<Int> {
        Set((first / Self.chunkSize)...((first + height) / Self.chunkSize))
    }

    /// Returns the requests for the rows to load now, and counts them as sent.
    ///
    /// - Parameter total: The number of rows that the store has counted; `nil` if it is unknown.
    mutating func missing(total: Int?) -> [Request] {
        var wanted = shownChunks
        // The next rows are loaded before they are reached.
        wanted.insert((first + height * 2) / Self.chunkSize)
        if isSeekingEnd, let total { wanted.insert(max(starts.keys.max() ?? 0, (total - 1) / Self.chunkSize)) }
        let rows = max(end ?? 0, total ?? 0)
        let new = wanted.sorted().compactMap { chunk -> Request? in
            if chunks[chunk] != nil, !reloading.contains(chunk) { return nil }
            if chunk == 0 { return .rows(chunk: 0, after: nil) }
            if let start = starts[chunk] { return .rows(chunk: chunk, after: start) }
            let rowsToEnd = rows - chunk * Self.chunkSize
            // Rows after the reached ones can be selected only if the number of all rows is known.
            guard rowsToEnd > 0, isSeekingEnd || end != nil else { return nil }
            return .start(chunk: chunk, rowsToEnd: rowsToEnd)
        }.filter { !pending.contains($0) }
        pending.formUnion(new)
        for case .rows(let chunk, _) in new { reloading.remove(chunk) }
        return new
    }

    mutating func take(_ records: [Record], chunk: Int, next: Query.Cursor?) {
        // A deletion renumbers the rows, and removes the requests for the old numbers.
        guard pending.contains(where: { if case .rows(chunk, _) = $0 { true } else { false } }) else { return }
        forget(chunk)
        chunks[chunk] = records
        if let next {
            starts[chunk + 1] = next
            if let end, end <= (chunk + 1) * Self.chunkSize { self.end = nil }
        } else {
            starts = starts.filter { $0.key <= chunk }
            end = chunk * Self.chunkSize + records.count
        }
        updateReached()
        if isSeekingEnd, let end {
            position = max(0, end - 1)
            isSeekingEnd = false
        }
        scroll()
        let middle = position / Self.chunkSize
        chunks = chunks.filter { ($0.key - middle).magnitude <= Self.keptDistance }
    }

    /// Stores the position at which a chunk begins.
    ///
    /// - Parameter start: The position; `nil` if there are fewer rows than the store has counted.
    mutating func take(start: Query.Cursor?, chunk: Int) {
        forget(chunk)
        guard let start else {
            isSeekingEnd = false
            return
        }
        starts[chunk] = start
    }

    /// Compares the number of rows that the store has counted with the known ones.
    ///
    /// Rows have other numbers after a change of the store, so their chunks are searched again from the end.
    mutating func take(total: Int) {
        guard let end, end != total else { return }
        starts = [:]
        chunks = chunks.filter { $0.key == 0 }
        pending = pending.filter { if case .rows(0, _) = $0 { true } else { false } }
        self.end = total
        updateReached()
        scroll()
    }

    mutating func fail(chunk: Int) {
        forget(chunk)
        stopSeeking()
    }

    /// Leaves the selection where it is.
    mutating func stopSeeking() {
        isSeekingEnd = false
    }

    private mutating func forget(_ chunk: Int) {
        pending = pending.filter { request in
            switch request {
            case .rows(chunk, _), .start(chunk, _): false
            default: true
            }
        }
    }

    private mutating func updateReached() {
        while reached > 0, starts[reached] == nil { reached -= 1 }
        while starts[reached + 1] != nil { reached += 1 }
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
            if let end { position = end - 1 }
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
