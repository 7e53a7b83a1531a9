import Cabinet
import Foundation

extension StateView {
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) -> [StoredRecord?] {
        let records = state.records
        return ids.map { records[$0]?.trimmed(to: keys) }
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        let records = state.records
        return try plan.page(of: records.values) { records[$0] }
    }

    func count(matching plan: QueryPlan) throws -> Int {
        let records = state.records
        return try plan.count(in: records.values) { records[$0] }
    }

    func schema() -> StoredSchema { state.schema }

    func lastSequenceNumber() -> Int64 { state.lastNumber }
}

extension Transaction {
    func reserveSequenceNumbers(_ count: Int) throws -> Int64 {
        let (last, isTooHigh) = state.lastNumber.addingReportingOverflow(Int64(count))
        if isTooHigh { throw CabinetError(.internalError, "There are no more numbers for changes.") }
        add([.numbersReserved(upTo: last)])
        return last - Int64(count) + 1
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) {
        add([.fieldsAdded(fields, recordType: recordType)])
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) {
        add([.indexesSet(indexes, recordType: recordType)])
    }

    func insert(_ records: [StoredRecord]) {
        add(records.map { .record($0) })
    }

    func update(_ records: [StoredRecord]) {
        add(records.map { .record($0) })
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) {
        let records = state.records
        add(
            ids.enumerated().compactMap { index, id in
                guard let record = records[id] else { return nil }
                return .deletion(
                    StoredDeletion(
                        recordID: id, recordType: record.recordType, sequenceNumber: firstSequenceNumber + Int64(index),
                        date: date))
            })
    }
}
