import Cabinet
import CabinetTools
import Testing

@Suite("Digests of records")
struct RecordDigestTests {
    private func digest(_ records: Record...) -> RecordDigest {
        records.reduce(into: RecordDigest()) { $0.add($1) }
    }

    @Test("Each part of a record counts, and the order of records does not")
    func parts() {
        let id = RecordID(recordName: "a")
        let record = Record(recordType: "T", recordID: id)
        var (named, child) = (record, record)
        named["name"] = "x"
        child.setParent(RecordID(recordName: "p"))
        let others = [
            named, child, Record(recordType: "U", recordID: id), Record(recordType: "T", recordID: "b"),
            Record(recordType: "T", recordID: RecordID(recordName: "a", zoneID: RecordZone.ID(zoneName: "Z"))),
        ]
        #expect(Set(others.map { digest($0) } + [digest(record)]).count == 6)
        #expect(digest(named, child) == digest(child, named) && digest(named).recordCount == 1)
    }
}
