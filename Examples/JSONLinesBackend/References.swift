import Cabinet

extension StateView {
    func references(to ids: [RecordID]) -> [StoredReference] {
        let state = state
        let targets = Set(ids)
        let sources = Set(targets.flatMap { state.referrers[$0] ?? [] })
        return sources.compactMap { state.records[$0] }
            .flatMap(\.references)
            .filter { $0.hasRule && targets.contains($0.target) }
    }
}
