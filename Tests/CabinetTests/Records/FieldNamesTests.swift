import CabinetTesting
import Testing

@testable import Cabinet

/// The shared lists of field names are a cache of the whole process, so these tests run one after the other.
@Suite("Shared lists of field names", .serialized)
struct FieldNamesTests {
    @Test("Records that get the same fields one by one share a list")
    func sharing() {
        func names(_ count: Int) -> FieldNames {
            (0..<count).reduce(FieldNames.empty) { $0.appending("shared\($1)") }
        }
        #expect(names(30) === names(30))
        #expect(names(30).names == (0..<30).map { "shared\($0)" })
        #expect(FieldNames.known(names(5).names) === names(5))
    }

    @Test("Each name has its position, in lists of any length", arguments: [1, 8, 16, 17, 123])
    func positions(count: Int) {
        var generator = SeededGenerator(seed: 3)
        // Names of up to 60 bytes that share their beginnings, some of which end in a zero, and two that Swift holds for equal.
        let names = Array(
            (["\u{E9}", "e\u{301}", ""]
                + (1...60).flatMap { length in
                    let name = String(repeating: "n", count: length)
                    return [name, String(name.dropLast()) + "\0"]
                }).shuffled(using: &generator).prefix(count))
        let list = FieldNames(names)
        for (position, name) in names.enumerated() {
            #expect(list.position(of: name) == position, "\(name.debugDescription)")
            let values = FieldValues(names: list, values: names.map { .string($0) })
            #expect(ShortName(name).map { values[$0] == .string(name) } ?? (name.utf8.count > 31))
        }
        for absent in ["m", "n\0\0", String(repeating: "n", count: 61)] { #expect(list.position(of: absent) == nil) }
        #expect(FieldNames(names + names).position(of: names[0]) == 0)
    }

    @Test("For any number of names, the cached lists stay within the limit")
    func flood() {
        let before = FieldNames.sharedMemoryInUse
        var largest = 0
        for record in 0..<250 {
            var list = FieldNames.empty
            for field in 0..<100 { list = list.appending("r\(record)f\(field)") }
            #expect(list.count == 100)
            largest = max(largest, FieldNames.sharedMemoryInUse)
        }
        #expect(largest > before)
        // Concurrent tests that share lists retain some of them temporarily.
        #expect(largest <= FieldNames.sharedMemoryLimit + (1 << 20))
        // Afterwards, sharing works as before.
        #expect(FieldNames.empty.appending("later") === FieldNames.empty.appending("later"))
    }

    @Test("The longest possible names count by their length")
    func longNames() {
        for record in 0..<100 {
            let list = FieldNames.empty.appending("\(record)" + String(repeating: "x", count: 1 << 18))
            #expect(list.count == 1)
        }
        #expect(FieldNames.sharedMemoryInUse <= FieldNames.sharedMemoryLimit + (1 << 20))
    }

    @Test("Lists that records hold count too, and further ones are not shared")
    func held() {
        var held: [FieldNames] = []
        for record in 0..<200 {
            held.append((0..<100).reduce(FieldNames.empty) { $0.appending("h\(record)f\($1)") })
        }
        #expect(held.allSatisfy { $0.count == 100 })
        #expect(FieldNames.sharedMemoryInUse <= FieldNames.sharedMemoryLimit + (1 << 20))
    }
}
