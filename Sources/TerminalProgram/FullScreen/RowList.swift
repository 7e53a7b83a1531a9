/// The selection in a list of rows, and the visible rows.
///
/// It identifies the rows by their IDs, so that the selection stays with its row when others are inserted or removed.
package struct RowList<ID: Hashable & Sendable>: Sendable {
    /// The position of the selected row; 0 if there are no rows.
    package private(set) var position = 0

    private var ids: [ID] = []
    private var first = 0
    private var height = 1
    /// A row to select as soon as it appears.
    private var expected: ID?

    /// Creates a list without rows.
    package init() {}

    /// The positions of the visible rows.
    package var visible: Range<Int> { first..<min(ids.count, first + height) }

    /// The selected row; `nil` if there are no rows.
    package var selection: ID? { ids.indices.contains(position) ? ids[position] : nil }

    /// The position of the selection, such as `3 of 2000`.
    package var status: String { ids.isEmpty ? "" : "\(position + 1) of \(ids.count)" }

    /// Sets the current rows.
    ///
    /// If the selected row was deleted, the row at its position is selected.
    package mutating func update(_ new: [ID]) {
        if let expected, let index = new.firstIndex(of: expected) {
            (position, self.expected) = (index, nil)
        } else if let selection, !(new.indices.contains(position) && new[position] == selection) {
            position = new.firstIndex(of: selection) ?? position
        }
        ids = new
        scroll()
    }

    /// Sets the number of visible rows.
    package mutating func resize(toHeight new: Int) {
        height = max(1, new)
        scroll()
    }

    /// Selects a row with the next update that contains it: a row that was just saved may not be here yet.
    package mutating func selectLater(_ id: ID) {
        expected = id
    }

    /// Moves the selection if the key is one that does so.
    ///
    /// - Returns: Whether it is.
    package mutating func handle(_ key: Key) -> Bool {
        let old = position
        defer { if position != old { expected = nil } }
        switch key {
        case .up, .character("k"), .scrollUp: position -= 1
        case .down, .character("j"), .scrollDown: position += 1
        case .pageUp: position -= height
        case .pageDown, .character(" "): position += height
        case .home, .character("g"): position = 0
        case .end, .character("G"): position = ids.count - 1
        default: return false
        }
        scroll()
        return true
    }

    /// Selects the row that is shown at a position, counted from the first visible one.
    ///
    /// - Returns: Whether it was selected before; `nil` for a position without a row.
    package mutating func select(visible row: Int) -> Bool? {
        guard row >= 0, visible.contains(first + row) else { return nil }
        let wasSelected = position == first + row
        position = first + row
        expected = nil
        return wasSelected
    }

    private mutating func scroll() {
        position = max(0, min(position, ids.count - 1))
        first = max(position - height + 1, min(first, position))
        // Avoids empty lines at the end while rows are hidden at the beginning.
        first = max(0, min(first, ids.count - height))
    }
}
