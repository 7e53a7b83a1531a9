import Testing

@testable import CabinetPostgres

/// The marks by which a process finds out whether a write was committed whose answer was lost.
@Suite struct CommitMarkTests {
    private func marks(_ writes: [(writer: Int64, number: Int64)]) -> CommitMarks {
        var marks = CommitMarks()
        for (writer, number) in writes { marks.add(CommitMark(number: number, writer: writer)) }
        return marks
    }

    @Test("The last write of each writer is known, however often the others write")
    func writers() {
        let marks = marks([(7, 1)] + (2..<1000).map { (8, $0) } + (1000..<1010).map { ($0, $0) })
        #expect(marks.contains(CommitMark(number: 1, writer: 7)) == true)
        #expect(marks.contains(CommitMark(number: 2, writer: 7)) == false)
        #expect(marks.contains(CommitMark(number: 999, writer: 8)) == true)
        #expect(marks.contains(CommitMark(number: 1010, writer: 8)) == false)
        #expect(marks.contains(CommitMark(number: 3, writer: 9)) == false)
        #expect(marks.stored.count == 2 * 12)
        #expect(CommitMarks(stored: marks.stored)?.stored == marks.stored)
    }

    @Test("A mark that later writers have displaced is unknown, and one that was never stored is not")
    func displaced() {
        let limit = Int64(CommitMarks.limit)
        let marks = marks((1...limit + 1).map { ($0, $0) })
        #expect(marks.stored.count == 2 * CommitMarks.limit)
        #expect(marks.contains(CommitMark(number: 1, writer: 1)) == nil)
        #expect(marks.contains(CommitMark(number: 2, writer: 2)) == true)
        #expect(marks.contains(CommitMark(number: limit, writer: 99)) == false)
        #expect(marks.contains(CommitMark(number: 1, writer: 99)) == nil)
    }

    @Test("Damaged marks are refused", arguments: [[1], [1, nil], [1, 2, 3]] as [[Int64?]])
    func damage(stored: [Int64?]) {
        #expect(CommitMarks(stored: stored) == nil)
    }
}
