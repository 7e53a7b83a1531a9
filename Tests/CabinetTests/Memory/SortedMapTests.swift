import CabinetTesting
import Testing

@testable import Cabinet

@Suite("A sorted map")
struct SortedMapTests {
    @Test("After any changes it equals a dictionary, in the order of the keys", arguments: 1...4)
    func changes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var map = SortedMap<Int, String>()
        var model: [Int: String] = [:]
        let keys = [40, 400, 2000][Int(seed) % 3]
        for step in 0..<5000 {
            let key = Int.random(in: 0..<keys, using: &random)
            // The map grows at first, and becomes empty at the end.
            let isRemoved = Int.random(in: 0..<5000, using: &random) < step
            map[key] = isRemoved ? nil : "\(step)"
            model[key] = isRemoved ? nil : "\(step)"
            #expect(map[key] == model[key])
            #expect(map.count == model.count)
            guard step % 100 == 0 else { continue }
            let sorted = model.sorted { $0.key < $1.key }
            #expect(Array(map.values) == sorted.map(\.value))
            let start = Int.random(in: -1...keys, using: &random)
            let found = map.elements(from: start).map { "\($0.key) \($0.value)" }
            #expect(found == sorted.filter { $0.key >= start }.map { "\($0.key) \($0.value)" })
        }
        for key in 0..<keys {
            #expect(map[key] == model[key])
            map[key] = nil
        }
        #expect(map.count == 0)
        #expect(Array(map.values) == [])
    }

    @Test("A copy does not change with its original")
    func copies() {
        var map = SortedMap<Int, Int>()
        for number in 0..<1000 { map[number] = number }
        let copy = map
        for number in 0..<1000 { map[number] = number % 2 == 0 ? nil : -number }
        #expect(Array(copy.values) == Array(0..<1000))
        #expect(map.count == 500)
    }
}
