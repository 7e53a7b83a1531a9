import Foundation
import Testing

@testable import Cabinet

@Suite("The parts of a collection")
struct CollectionPartsTests {
    @Test("have a size, but for the last one", arguments: [0, 1, 2, 3, 4, 6, 7])
    func sizes(count: Int) {
        let numbers = Array(0..<count)
        for size in [1, 2, 3, 10, .max] {
            let parts = Array(numbers.parts(of: size))
            #expect(parts.flatMap(\.self) == numbers)
            #expect(parts.dropLast().allSatisfy { $0.count == size } && parts.allSatisfy { 1...size ~= $0.count })
        }
    }

    @Test("are those of a slice, too")
    func slices() {
        #expect(Array(Array(0..<9)[3..<8].parts(of: 2)) == [[3, 4], [5, 6], [7]])
        #expect(Array(Data(0..<9).dropFirst(4).parts(of: 3)).map { Array($0) } == [[4, 5, 6], [7, 8]])
    }
}
