import Cabinet

/// Lets several tasks that should act at the same time wait for each other, up to a timeout.
///
/// Where transactions run one after another, the second task arrives only when the first has ended. The first therefore
/// continues after the timeout.
actor Barrier {
    private let size: Int
    private let timeout: Duration
    private var present = 0
    private let isOver = Signal()

    /// - Parameters:
    ///   - size: The number of tasks that meet.
    ///   - timeout: The longest time that the first task waits.
    init(of size: Int, timeout: Duration = .milliseconds(60)) {
        self.size = size
        self.timeout = timeout
    }

    /// Waits until all tasks have arrived or the time is up.
    ///
    /// After the timeout, no task waits.
    func join() async {
        present += 1
        guard present < size else { return await isOver.give() }
        let timer = Task { [isOver, timeout] in
            try await Task.sleep(for: timeout)
            await isOver.give()
        }
        await isOver.wait()
        timer.cancel()
    }
}

extension StorageTransaction {
    /// Reserves sequence numbers for samples, counted in an entry as the core counts its own.
    ///
    /// - Returns: The first number.
    func reserveSampleNumbers(_ count: Int) async throws -> Int64 {
        let last = try await lastSampleNumber()
        try await apply([.setEntry(.lastSampleNumber, "\(last + Int64(count))")])
        return last + 1
    }

    /// Stores values of the field `x` of the type `Samples` as the core does: with numbers that are counted in an entry.
    ///
    /// - Parameters:
    ///   - values: The records' names and values.
    ///   - type: Their type.
    /// - Returns: The first number.
    @discardableResult
    func store(_ values: [(name: String, x: Int64)], type: Record.RecordType = "Samples") async throws -> Int64 {
        let ids = values.map { RecordID.named($0.name) }
        let found = try await load(StorageKeys(records: ids))
        var mutations: [StorageMutation] = []
        if found.schema.recordTypes[type]?["x"] == nil {
            mutations.append(.addFields([StoredField(name: "x", type: .int64)], to: type))
        }
        let first = try await reserveSampleNumbers(values.count)
        for (offset, (value, stored)) in zip(values, found.records).enumerated() {
            var record = StoredRecord.sample(value.name, .int64(value.x), type: type)
            record.sequenceNumber = first + Int64(offset)
            mutations.append(stored.map { .update(record, replacing: $0) } ?? .insert(record))
        }
        try await apply(mutations)
        return first
    }
}

extension StorageKey {
    /// The key under which samples' sequence numbers are counted.
    static let lastSampleNumber = StorageKey("sample/number")
}

extension Range<StorageKey> {
    /// The keys of samples' entries.
    static var samples: Range<StorageKey> { StorageKey("sample/")..<StorageKey("sample0") }
}

extension StorageSnapshot {
    /// The last sequence number that was reserved for samples, or 0.
    func lastSampleNumber() async throws -> Int64 {
        guard let text = try await entry(.lastSampleNumber) else { return 0 }
        return try require(Int64(text), "The number in the entry '\(text)'")
    }
}

extension StorageSnapshot {
    /// The value of the field `x` of the record with a name.
    ///
    /// The record must exist.
    func number(_ name: String) async throws -> Int64 {
        guard case .int64(let number)? = try await x(name) else {
            throw ConformanceFailure(message: "The record '\(name)' has no number.", fileID: nil, line: nil)
        }
        return number
    }
}
