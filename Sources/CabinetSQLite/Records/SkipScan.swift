/// Record names in the order of their bytes, without repetitions, to be looked up in an index.
struct SkipScan {
    private let names: [String]

    /// With fewer names than this, looking each of them up is the fastest.
    private static let leapLimit = 8

    init(_ names: [String]) {
        var sorted = names
        if !zip(names, names.dropFirst()).allSatisfy(Self.precedes) { sorted.sort(by: Self.precedes) }
        var unique: [String] = []
        unique.reserveCapacity(sorted.count)
        for name in sorted where unique.last.map({ Self.precedes($0, name) }) ?? true { unique.append(name) }
        self.names = unique
    }

    /// Calls a closure with every name that an index may hold.
    ///
    /// Many names are not looked up one by one: the index is asked which entry comes next, and the names before that
    /// are skipped. So the work is the smaller of the number of names and the number of different entries.
    ///
    /// - Parameter next: A statement that takes a name and returns the first entry that does not come before it.
    func forEach(in next: Statement, _ body: (String) throws -> Void) throws {
        guard names.count >= Self.leapLimit else { return try names.forEach(body) }
        var index = names.startIndex
        while index < names.endIndex {
            guard let entry = try Self.entry(next, from: names[index]) else { return }
            while index < names.endIndex, Self.precedes(names[index], entry) { index += 1 }
            guard index < names.endIndex else { return }
            if !Self.precedes(entry, names[index]) {
                try body(names[index])
                index += 1
            }
        }
    }

    private static func entry(_ next: Statement, from name: String) throws -> String? {
        defer { next.reset() }
        try next.bind(name, at: 1)
        guard try next.step() else { return nil }
        guard let entry = next.string(0) else {
            throw SQLiteFailure.damaged(path: next.handle.path, "an index of record names holds something else")
        }
        return entry
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in left.lexicographicallyPrecedes(right) }
        }
    }
}
