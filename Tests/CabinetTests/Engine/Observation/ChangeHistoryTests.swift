import Foundation
import Testing

@testable import Cabinet

@Suite("The history of an observed database", .timeLimit(.minutes(15)))
struct ChangeHistoryTests {
    private let history = ChangeHistory(of: .public)

    private func starts(after number: Int) -> [Int64]? {
        history.changes(after: TimelinePoint(number: Int64(number)))?.sets.map(\.start)
    }

    private func begin(at number: Int) {
        let version = DatabaseVersion(end: TimelinePoint(number: Int64(number)), schema: StoredSchema())
        history.begin(at: version, signalCount: history.signalCount)
    }

    @Test("Each reader gets the change sets after its own state")
    func readers() {
        #expect(starts(after: 0) == nil, "Nothing is known before a live query reads the history.")
        begin(at: 0)
        #expect(starts(after: 0) == [])
        for number in 0..<5 { history.append(.zone(number)) }
        #expect(starts(after: 0) == [0, 1, 2, 3, 4])
        #expect(starts(after: 3) == [3, 4])
        #expect(starts(after: 5) == [])
        #expect(starts(after: 6) == nil, "A state that the history has not reached is read from the store.")
        #expect(starts(after: 0) == [0, 1, 2, 3, 4], "Reading takes nothing from other readers.")
        let other = TimelinePoint(number: 3, timeline: 7)
        #expect(history.changes(after: other) == nil, "Another timeline has other changes.")
    }

    @Test("A version from before a signal is not the beginning")
    func oldVersion() {
        let count = history.signalCount
        #expect(history.receiveSignal() == nil)
        let version = DatabaseVersion(end: TimelinePoint(number: 3), schema: StoredSchema())
        history.begin(at: version, signalCount: count)
        #expect(history.receiveSignal() == nil)
        history.begin(at: version, signalCount: history.signalCount)
        #expect(history.receiveSignal() == version)
    }

    @Test("After a failed read, changes are unknown until a reader has read them")
    func reset() {
        begin(at: 0)
        history.append(.zone(0))
        history.reset()
        #expect(starts(after: 0) == nil)
        #expect(starts(after: 1) == nil)
        #expect(history.size == 0)
        begin(at: 7)
        #expect(starts(after: 7) == [])
        history.append(.zone(7))
        #expect(starts(after: 7) == [7])
        #expect(starts(after: 1) == nil)
    }

    @Test("A reader that has read nothing costs nothing, and takes nothing from one that reads at once")
    func slowReader() {
        begin(at: 0)
        for number in 0..<50_000 {
            history.append(.zone(number))
            #expect(starts(after: number)?.count == 1)
            #expect(history.size <= ChangeHistory.sizeLimit)
        }
        #expect(starts(after: 0) == nil)
    }

    @Test("The bytes of records count, and a set that exceeds the limit alone is not held")
    func largeRecords() {
        func set(_ number: Int, bytes: Int) -> ChangeSet {
            var fields = FieldValues.empty
            fields["data"] = .bytes(Data(count: bytes))
            let record = StoredRecord(
                recordID: RecordID(recordName: "r"), recordType: "Items", sequenceNumber: Int64(number),
                creationDate: Date(timeIntervalSinceReferenceDate: 0), creatorName: "_a",
                modificationDate: Date(timeIntervalSinceReferenceDate: 0), lastModifierName: "_a", fields: fields)
            var set = ChangeSet.zone(number)
            set.changes = [.saved(record)]
            return set
        }
        begin(at: 0)
        for number in 0..<10 { history.append(set(number, bytes: 1 << 20)) }
        #expect(starts(after: 6) == nil)
        #expect(starts(after: 7) == [7, 8, 9])
        history.append(set(10, bytes: 5 << 20))
        #expect(history.size == 0)
        #expect(starts(after: 10) == nil)
        #expect(starts(after: 11) == [])
        history.append(set(11, bytes: 1))
        #expect(starts(after: 11) == [11])
    }

    @Test("Several arrivals are one, none is lost, and the stream ends with the history")
    func arrivals() async {
        var arrivals = ChangeHistory.arrivals(in: [history]).makeAsyncIterator()
        for number in 0..<10 { history.append(.zone(number)) }
        #expect(await arrivals.next() != nil)
        history.reset()
        #expect(await arrivals.next() != nil)
        history.finish()
        #expect(await arrivals.next() == nil)
    }
}
