@testable import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("Pending changes of a sync engine")
struct PendingChangeListTests {
    @Test("are in their order, one for each record, the last one of its kind")
    func order() throws {
        var generator = SeededGenerator(seed: 11)
        var (list, model) = (PendingChangeList<Int>(), [(id: Int, isSave: Bool)]())
        for number in 0..<2_000 {
            let new = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                PendingChangeList<Int>.Change(
                    isSave: .random(using: &generator), id: .random(in: 0..<9, using: &generator))
            }
            if number % 3 == 0 {
                list.remove(new)
                for change in new { model.removeAll { $0 == (change.id, change.isSave) } }
            } else {
                list.add(new, number: number)
                let last = Dictionary(new.map { ($0.id, $0.isSave) }, uniquingKeysWith: { $1 })
                model.removeAll { last[$0.id] == !$0.isSave }
                for change in new where !model.contains(where: { $0.id == change.id }) {
                    model.append((change.id, last[change.id] ?? change.isSave))
                }
            }
            #expect(list.changes.map(\.id) == model.map(\.id))
            #expect(list.changes.map(\.isSave) == model.map(\.isSave))
        }
        let copy = try JSONDecoder().decode(PendingChangeList<Int>.self, from: JSONEncoder().encode(list))
        #expect(copy.changes.map(\.id) == model.map(\.id))
    }
}
