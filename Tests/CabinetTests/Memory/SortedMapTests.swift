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

    @Test("The difference of two states has what was changed between them, in either direction", arguments: 1...2)
    func differences(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var map = SortedMap<Int, String>()
        for number in 0..<600 { map[number * 2] = "\(number)" }
        var (states, models) = ([map], [Dictionary(map.elements.map { ($0.key, $0.value) }) { $1 }])
        for step in 0..<20 {
            for _ in 0..<[0, 1, 30, 300][step % 4] {
                let key = Int.random(in: -10...1300, using: &random)
                let isRemoved = Bool.random(using: &random)
                if isRemoved { map[key] = nil } else { map.update(key, default: "") { $0 += "\(step)" } }
            }
            states.append(map)
            models.append(Dictionary(map.elements.map { ($0.key, $0.value) }) { $1 })
            let other = Int.random(in: 0...step, using: &random)
            for (from, to) in [(other, step + 1), (step + 1, other)] {
                let (removed, added) = states[to].difference(from: states[from])
                let changed = Set(models[from].keys).union(models[to].keys).sorted()
                    .filter { models[from][$0] != models[to][$0] }
                #expect(removed == changed.compactMap { models[from][$0] })
                #expect(added == changed.compactMap { models[to][$0] })
            }
        }
    }
}
