/// A skip scan for record names: sorted by their bytes, without duplicates.
struct SkipScan {
    private let names: [String]

    /// With fewer names, searching for each is fastest.
    private static let leapLimit = 8

    init(_ names: [String]) {
        var sorted = names
        if !zip(names, names.dropFirst()).allSatisfy(Self.precedes) { sorted.sort(by: Self.precedes) }
        var unique: [String] = []
        unique.reserveCapacity(sorted.count)
        for name in sorted where unique.last.map({ Self.precedes($0, name) }) ?? true { unique.append(name) }
        self.names = unique
    }

    /// Calls a closure with every name that an index may contain.
    ///
    /// Many names are not searched one by one. The scan reads the next entry of the index, and skips the names before
    /// it. So the work is proportional to the smaller of the number of names and the number of different entries.
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
            throw SQLiteFailure.damaged(path: next.handle.path, "an index of record names has a value that is not text")
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
