import Cabinet

extension View {
    func references(to ids: [RecordID]) -> [StoredReference] {
        let targets = Set(ids)
        let all = content.records.values.flatMap(\.references)
        return all.filter { $0.hasRule && targets.contains($0.target) }
    }
}
