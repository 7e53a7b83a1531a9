import Foundation

extension QueryPlan {
    /// Records in the plan's order.
    ///
    /// For a backend that finds few records fast and in no order; ``page(of:resolving:)`` does the rest as well.
    ///
    /// - Parameters:
    ///   - records: Records that have the plan's sort keys, as ``keysToFetch(for:)`` makes sure.
    ///   - resolver: Finds the records that references point to; asked only if the order has key paths. By default that fails.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key path cannot be followed, and what the resolver throws.
    /// - Complexity: O(*n* log *n*) in the number of records, O(*n*) if they are in order.
    public func sorted(
        _ records: [StoredRecord], resolving resolver: CompiledFilter.Resolver = CompiledFilter.noResolver
    ) throws -> [StoredRecord] {
        var order = RecordOrder(order)
        // What is moved while it is sorted refers to nothing, so that moving it is all there is to do.
        var candidates = try order.candidates(records, resolving: resolver)
        // Mostly the ranks decide all.
        candidates.sort { $0.rank < $1.rank }
        var start = 0
        while start < candidates.count {
            var end = start + 1
            while end < candidates.count, candidates[end].rank == candidates[start].rank { end += 1 }
            if end - start > 1 {
                let alike = try candidates[start..<end].map { candidate in
                    (candidate, place: try order.place(of: records[candidate.index], resolving: resolver))
                }
                let sorted = alike.indices.sorted { order.compare(alike[$0].place, to: alike[$1].place) == .before }
                candidates.replaceSubrange(start..<end, with: sorted.map { alike[$0].0 })
            }
            start = end
        }
        return candidates.map { records[$0.index] }
    }
}

/// A record that is sorted among others.
private struct SortCandidate {
    let index: Int
    /// Of two records with different ranks, the one with the lower rank comes first.
    let rank: UInt64
}

extension RecordOrder {
    /// What is sorted: records with ranks by their first sort keys, which are compared much faster than what they are made of.
    fileprivate mutating func candidates(
        _ records: [StoredRecord], resolving resolver: CompiledFilter.Resolver
    ) throws -> [SortCandidate] {
        var ranking: Ranking?
        var candidates: [SortCandidate] = []
        candidates.reserveCapacity(records.count)
        for index in records.indices {
            let value = try firstValue(of: records[index], resolving: resolver)
            if ranking == nil { ranking = value.map(Ranking.init) }
            guard let rank = (ranking ?? .unranked).rank(of: value) else {
                // Values of several kinds: their places alone decide.
                return records.indices.map { SortCandidate(index: $0, rank: 0) }
            }
            candidates.append(SortCandidate(index: index, rank: isFirstAscending ? rank : ~rank))
        }
        return candidates
    }
}

/// How values of one kind get numbers that are in the order of the values, though different values may have the same number.
private enum Ranking {
    case unranked, text, number, date

    init(_ value: FieldValue) {
        self =
            switch value {
            case .string: .text
            case .int64, .double: .number
            case .timestamp: .date
            case .bytes, .reference, .location, .asset, .list: .unranked
            }
    }

    /// The number of a value; `nil` if the value is of another kind.
    func rank(of value: FieldValue?) -> UInt64? {
        guard let value else { return 0 }
        // Beside nil, which is 0, there is room for 63 bits.
        switch (self, value) {
        case (.unranked, _): return 0
        case (.text, .string(let text)): return Self.beginning(of: text) >> 1 | 1 << 63
        case (.number, .int64(let number)): return Self.bits(of: Double(number)) >> 1 | 1 << 63
        case (.number, .double(let number)): return Self.bits(of: number) >> 1 | 1 << 63
        case (.date, .timestamp(let date)):
            return Self.bits(of: date.timeIntervalSinceReferenceDate) >> 1 | 1 << 63
        default: return nil
        }
    }

    /// The first bytes of a text.
    private static func beginning(of text: String) -> UInt64 {
        var number: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            if count == 8 { return number }
            number = number << 8 | UInt64(byte)
            count += 1
        }
        return count == 0 ? 0 : number << UInt64(8 * (8 - count))
    }

    /// The bits of a number, changed so that they are in the order of the numbers; what is not a number comes first.
    private static func bits(of number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        // Zero has two signs and one place.
        let bits = number == 0 ? 0 : number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}
