import Foundation
import Testing

@testable import Cabinet

@Suite("Arithmetic: numbers stay whole if possible")
struct ArithmeticTests {
    @Test(
        "Results",
        arguments: [
            (.int64(5), .plus, .int64(2), .int64(7)), (.int64(5), .minus, .int64(7), .int64(-2)),
            (.int64(5), .times, .int64(2), .int64(10)), (.int64(6), .dividedBy, .int64(2), .int64(3)),
            (.int64(5), .dividedBy, .int64(2), .double(2.5)), (.int64(5), .dividedBy, .int64(0), nil),
            (.int64(0), .dividedBy, .double(0), nil), (.double(1), .dividedBy, .double(-0.0), nil),
            (.int64(.min), .dividedBy, .int64(-1), .double(0x1p63)), (.int64(.max), .plus, .int64(1), .double(0x1p63)),
            (.int64(.min), .minus, .int64(1), .double(-0x1p63)), (.int64(.max), .times, .int64(.max), .double(0x1p126)),
            (.double(2), .times, .int64(3), .double(6)), (.double(.infinity), .minus, .double(.infinity), nil),
            (.int64(2), .toThePower, .int64(10), .int64(1024)), (.int64(2), .toThePower, .int64(62), .int64(1 << 62)),
            (.int64(2), .toThePower, .int64(63), .double(0x1p63)), (.int64(-2), .toThePower, .int64(63), .int64(.min)),
            (.int64(3), .toThePower, .int64(0), .int64(1)), (.int64(0), .toThePower, .int64(0), .int64(1)),
            (.int64(2), .toThePower, .int64(-1), .double(0.5)), (.int64(0), .toThePower, .int64(-1), nil),
            (.int64(1), .toThePower, .int64(.max), .int64(1)), (.int64(-1), .toThePower, .int64(.max), .int64(-1)),
            (.int64(2), .toThePower, .int64(.max), .double(.infinity)),
            (.double(2), .toThePower, .int64(2), .double(4)),
            (.int64(-8), .toThePower, .double(0.5), nil), (nil, .plus, .int64(1), nil), (.int64(1), .plus, nil, nil),
            (.double(.nan), .plus, .int64(1), nil),
        ] as [(FieldValue?, Filter.Arithmetic, FieldValue?, FieldValue?)])
    func results(left: FieldValue?, operation: Filter.Arithmetic, right: FieldValue?, expected: FieldValue?) throws {
        #expect(try operation.result(of: left, and: right) == expected)
    }

    @Test("The opposite sign")
    func negated() throws {
        #expect(try Filter.Arithmetic.negated(.int64(5)) == .int64(-5))
        #expect(try Filter.Arithmetic.negated(.int64(.min)) == .double(0x1p63))
        #expect(try Filter.Arithmetic.negated(.double(-2.5)) == .double(2.5))
        #expect(try Filter.Arithmetic.negated(nil) == nil)
        #expect(try Filter.Arithmetic.negated(.double(.nan)) == nil)
    }

    @Test("A value that is not a number is refused")
    func refused() {
        for value in [FieldValue.string("1"), .timestamp(.distantPast), .list(.int64([1]))] {
            expectInvalidArguments { try Filter.Arithmetic.plus.result(of: value, and: .int64(1)) }
            expectInvalidArguments { try Filter.Arithmetic.plus.result(of: nil, and: value) }
            expectInvalidArguments { try Filter.Arithmetic.negated(value) }
        }
    }
}
