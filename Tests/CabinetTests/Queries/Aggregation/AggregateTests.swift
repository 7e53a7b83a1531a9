import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("Aggregates: exact, and in no order")
struct AggregateTests {
    private func sum(_ numbers: [Double]) throws -> Double? {
        guard case .double(let sum)? = try Aggregate.sum.value(of: numbers.map { .double($0) }) else { return nil }
        return sum
    }

    @Test("Of nothing, the sum is 0 and the others are nil")
    func empty() throws {
        #expect(try Aggregate.sum.value(of: []) == .int64(0))
        #expect(try Aggregate.sum.value(of: [nil, nil]) == .int64(0))
        for aggregate in [Aggregate.average, .minimum, .maximum] { #expect(try aggregate.value(of: [nil]) == nil) }
    }

    @Test("Whole numbers are summed up exactly, and beyond 64 bits the sum is rounded once")
    func wholeNumbers() throws {
        func sum(_ numbers: Int64...) throws -> FieldValue? {
            try Aggregate.sum.value(of: numbers.map { .int64($0) })
        }
        #expect(try sum(1, 2, 3) == .int64(6))
        #expect(try sum(.max, 1, -1) == .int64(.max))
        #expect(try sum(.min, .min, .max, .max) == .int64(-2))
        #expect(try sum(.max, .max) == .double(0x1p64))
        #expect(try sum(.max, 1) == .double(0x1p63))
        #expect(try sum(.min, -1) == .double(-0x1p63))
        #expect(try Aggregate.average.value(of: [.int64(.max), .int64(.max)]) == .double(0x1p63))
        #expect(try Aggregate.average.value(of: [.int64(1), nil, .int64(2)]) == .double(1.5))
    }

    @Test("Floating-point numbers are summed up exactly, and rounded once")
    func floatingPoint() throws {
        #expect(try sum([1e100, 1, -1e100]) == 1)
        #expect(try sum([Double](repeating: 0.1, count: 10)) == 1)
        #expect(
            try sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude])
                == .greatestFiniteMagnitude)
        #expect(try sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) == .infinity)
        #expect(try sum([-.greatestFiniteMagnitude, -.greatestFiniteMagnitude]) == -.infinity)
        #expect(try sum([.leastNonzeroMagnitude, .leastNonzeroMagnitude]) == 2 * .leastNonzeroMagnitude)
        #expect(try sum([.leastNormalMagnitude, -.leastNonzeroMagnitude]) == Double.leastNormalMagnitude.nextDown)
        #expect(try sum([-5, 3]) == -2)
        #expect(try sum([2, -2]) == 0)
        // Ties round to even, unless a later digit decides.
        #expect(try sum([1, 0x1p-53]) == 1)
        #expect(try sum([1, 0x1p-53, 0x1p-1074]) == 1 + 0x1p-52)
        #expect(try sum([-1, -0x1p-53, -0x1p-1074]) == -1 - 0x1p-52)
        #expect(try sum([1, 0x1p-52, 0x1p-53]) == 1 + 0x1p-51)
        #expect(try sum([.infinity, -1e308]) == .infinity)
        #expect(try sum([-.infinity, 1]) == -.infinity)
        #expect(try sum([-.infinity, .infinity]) == nil)
        #expect(try Aggregate.sum.value(of: [.int64(.max), .double(0.5), .int64(-.max)]) == .double(0.5))
    }

    @Test("The order of numbers does not matter")
    func order() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            let numbers = (0..<100).map { _ in
                Double(
                    sign: Bool.random(using: &generator) ? .plus : .minus,
                    exponent: Int.random(in: -1074...1000, using: &generator),
                    significand: Double.random(in: 1..<2, using: &generator))
            }
            let expected = try sum(numbers)
            #expect(try sum(numbers.reversed()) == expected)
            #expect(try sum(numbers.shuffled(using: &generator)) == expected)
            // Adding a number and its opposite twice changes nothing.
            #expect(try sum(numbers + numbers + numbers.map { -$0 }) == expected)
        }
    }

    @Test("Sums of two equal those of the processor")
    func pairs() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<2_000 {
            let left = Double(bitPattern: generator.next())
            let exponent = left.isFinite ? Int.random(in: -60...60, using: &generator) : 0
            let right =
                Double.random(in: -2..<2, using: &generator)
                * Double(sign: .plus, exponent: exponent, significand: left)
            if !left.isFinite || !right.isFinite { continue }
            #expect(try sum([left, right]) == left + right)
        }
    }

    @Test("The least and the greatest are found in the order of a sort")
    func extremes() throws {
        let cases: [(values: [FieldValue?], least: FieldValue, greatest: FieldValue)] = [
            ([.int64(3), nil, .int64(1), .int64(2)], .int64(1), .int64(3)),
            ([.string("b"), .string("Z"), .string("é")], .string("Z"), .string("é")),
            ([.double(-.infinity), .double(5)], .double(-.infinity), .double(5)),
            ([.bytes(Data([2])), .bytes(Data([1, 5]))], .bytes(Data([1, 5])), .bytes(Data([2]))),
            (
                [.timestamp(.distantFuture), .timestamp(.distantPast)], .timestamp(.distantPast),
                .timestamp(.distantFuture)
            ),
        ]
        for (values, least, greatest) in cases {
            #expect(try Aggregate.minimum.value(of: values) == least)
            #expect(try Aggregate.maximum.value(of: values) == greatest)
        }
    }

    @Test("Values without an aggregate are refused")
    func refused() {
        for value in [FieldValue.string("1"), .timestamp(.distantPast), .list(.int64([1]))] {
            expectInvalidArguments { try Aggregate.sum.value(of: [value]) }
            expectInvalidArguments { try Aggregate.average.value(of: [value]) }
        }
        let place = FieldValue.location(Location(latitude: 0, longitude: 0))
        expectInvalidArguments { try Aggregate.minimum.value(of: [place]) }
        expectInvalidArguments { try Aggregate.maximum.value(of: [.list(.string(["a"]))]) }
    }
}
