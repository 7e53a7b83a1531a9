import Cabinet

extension View {
    func references(to ids: [RecordID]) -> [StoredReference] {
        let targets = Set(ids)
        return content.records.values.flatMap(\.references).filter { $0.hasRule && targets.contains($0.target) }
    }
}
