import Cabinet

/// Lets those who should do something at the same time wait for each other, for a while.
///
/// Where transactions run one after the other, the second one begins when the first has ended: nobody comes, and the first goes on.
actor Meeting {
    private let size: Int
    private let patience: Duration
    private var present = 0
    private let isOver = Signal()

    /// - Parameters:
    ///   - size: How many are to meet.
    ///   - patience: How long the first one waits.
    init(of size: Int, patience: Duration = .milliseconds(60)) {
        self.size = size
        self.patience = patience
    }

    /// Waits until all are here, or the time is up; once it is, nobody waits any more.
    func join() async {
        present += 1
        guard present < size else { return await isOver.give() }
        let timer = Task { [isOver, patience] in
            try await Task.sleep(for: patience)
            await isOver.give()
        }
        await isOver.wait()
        timer.cancel()
    }
}

extension StorageTransaction {
    /// Stores values of the field `x` of the type `Samples` as the core does: with numbers that are reserved, in a zone that is marked.
    ///
    /// - Parameters:
    ///   - values: The records' names and values.
    ///   - type: Their type.
    /// - Returns: The first number.
    @discardableResult
    func store(_ values: [(name: String, x: Int64)], type: Record.RecordType = "Samples") async throws -> Int64 {
        if try await schema().recordTypes[type]?["x"] == nil {
            try await add([StoredField(name: "x", type: .int64)], to: type)
        }
        let first = try await reserveSequenceNumbers(values.count)
        let known = try await records(for: values.map { .named($0.name) }, keys: [])
        var number = first
        var (new, old): ([StoredRecord], [StoredRecord]) = ([], [])
        for ((name, x), stored) in zip(values, known) {
            var record = StoredRecord.sample(name, .int64(x), type: type)
            record.sequenceNumber = number
            number &+= 1
            if stored == nil { new.append(record) } else { old.append(record) }
        }
        if !new.isEmpty { try await insert(new) }
        if !old.isEmpty { try await update(old) }
        try await markZones([.default], sequenceNumber: number - 1)
        return first
    }
}

extension StorageSnapshot {
    /// The value of the field `x` of the record with a name, which must be there.
    func number(_ name: String) async throws -> Int64 {
        guard case .int64(let number)? = try await x(name) else {
            throw ConformanceFailure(message: "The record '\(name)' has no number.", fileID: nil, line: nil)
        }
        return number
    }
}
