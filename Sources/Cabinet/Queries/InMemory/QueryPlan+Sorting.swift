extension QueryPlan {
    /// Returns records in the plan's order.
    ///
    /// Use it if an index finds few records in no order. ``page(of:resolving:)`` also filters and cuts off.
    ///
    /// - Parameters:
    ///   - records: Records with the plan's sort keys, which ``keysToFetch(for:)`` includes.
    ///   - resolver: Returns the records that references point to. It is called only if the order has key paths. The
    ///     default throws.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key path cannot be followed, and the errors of the resolver.
    /// - Complexity: O(*n* log *n*) in the number of records, O(*n*) if they are in order.
    public func sorted(
        _ records: [StoredRecord], resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> [StoredRecord] {
        var order = recordOrder
        // The sorted elements hold no references to objects, so that a move needs no reference counting.
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
    /// The elements to sort: records with ranks by their first sort keys, which are compared much faster than the
    /// values.
    fileprivate mutating func candidates(
        _ records: [StoredRecord], resolving resolver: CompiledFilter.Resolver
    ) throws -> [SortCandidate] {
        var candidates: [SortCandidate] = []
        candidates.reserveCapacity(records.count)
        for index in records.indices {
            let value = try firstValue(of: records[index], resolving: resolver)
            let rank = value?.sortRank ?? FieldValue.sortRankOfNil
            candidates.append(SortCandidate(index: index, rank: isFirstAscending ? rank : ~rank))
        }
        return candidates
    }
}
