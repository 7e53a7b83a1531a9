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

    subscript(id: RecordID) -> Value? { index.position(of: id).flatMap { values[$0] } }
}
