extension RecordChanges {
    /// Arranges the changes of a plan.
    init(_ plan: BatchPlan) {
        self.init()
        for record in plan.deletions { add(record, nil, in: record.recordID.zoneID) }
        for insertion in plan.insertions {
            add(nil, insertion.record, in: insertion.record.recordID.zoneID, isInsertion: true)
        }
        for update in plan.updates { add(update.replaced, update.record, in: update.record.recordID.zoneID) }
    }
}
