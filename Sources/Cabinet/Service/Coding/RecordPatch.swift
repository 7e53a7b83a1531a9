/// The part of a record that a save sends: its system values, and the fields that have changed or that the policy sends in any case.
struct RecordPatch: Coded {
    var record: Record
    var sendsAllKeys = false

    static func read(from reader: inout JSONReader) throws(CabinetError) -> RecordPatch {
        let parts = try Parts.read(from: &reader)
        var fetched: Record.Fetched?
        if let base = parts.base {
            // Other fields are unknown, so each that was sent and is not among these has changed.
            let names = Set(base.unchanged).subtracting(base.references.names.names).filter { parts.fields[$0] != nil }
            let known = base.references.names.names + names.sorted()
            fetched = Record.Fetched(
                fields: FieldValues(
                    names: .known(known), values: known.map { base.references[$0] ?? parts.fields[$0] },
                    isComplete: false),
                parent: base.parent)
        }
        var record = Record(header: parts.header.header, fields: parts.fields, fetched: fetched)
        if let misfits = parts.misfits { record.mutate { $0.misfits = misfits.values } }
        return RecordPatch(record: record)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        let header = record.header
        var parts = Parts()
        parts.header = CodedHeader(
            type: header.recordType, id: header.recordID, tag: header.recordChangeTag, parent: header.parent)
        parts.fields = record.fields
        if let fetched = record.fetched {
            let names = record.fields.names.names
            let positions = names.indices.filter { record.fields.isChanged(at: $0, since: fetched.fields) }
            let unchanged =
                sendsAllKeys
                ? names.indices.filter { record.fields.values[$0] != nil && !positions.contains($0) } : []
            let sent = (positions + unchanged).sorted()
            if sent.count < names.count {
                parts.fields = FieldValues(
                    names: .known(sent.map { names[$0] }), values: sent.map { record.fields.values[$0] })
            }
            let references = positions.map { names[$0] }.filter { fetched.fields[$0]?.fieldType.scalar == .reference }
            parts.base = Base(
                unchanged: unchanged.map { names[$0] },
                references: FieldValues(
                    names: .known(references), values: references.map { fetched.fields[$0] }),
                parent: fetched.parent)
        }
        parts.misfits = record.misfits.isEmpty ? nil : CodedDictionary(record.misfits)
        try parts.write(to: &writer)
    }

    private struct Parts: CodedObject {
        var header = CodedHeader()
        var fields = FieldValues.empty
        var base: Base?
        var misfits: CodedDictionary<String>?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try header.code(with: &coder)
            try coder.part("fields", &fields)
            try coder.part("base", &base)
            try coder.part("misfits", &misfits)
        }
    }

    /// The part of the record as it was fetched that the engine needs.
    private struct Base: CodedObject {
        /// The sent fields that have not changed.
        var unchanged: [Record.FieldKey] = []
        /// The old values of changed fields with references, whose actions a strict schema keeps.
        var references = FieldValues.empty
        var parent: Reference?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("unchanged", &unchanged)
            try coder.part("references", &references)
            try coder.part("parent", &parent)
        }
    }
}
