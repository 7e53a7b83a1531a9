/// A value for each of some records of a batch.
struct PerRecord<Value: Sendable>: Sendable {
    private let index: BatchIndex
    /// The values by position.
    private(set) var values: [Value?]

    init(_ index: BatchIndex) {
        self.index = index
        values = Array(repeating: nil, count: index.ids.count)
    }

    subscript(position: Int) -> Value? {
        get { values[position] }
        set { values[position] = newValue }
    }

    /// Returns the values without those of some records.
    func omitting(_ ids: some Sequence<RecordID>) -> Self {
        var copy = self
        for id in ids {
            if let position = index.position(of: id) { copy.values[position] = nil }
        }
        return copy
    }

    subscript(id: RecordID) -> Value? { index.position(of: id).flatMap { values[$0] } }
}
