import Cabinet
import Testing

@Suite("Numbers convert as NSNumber does, and never trap")
struct NumberConversionTests {
    private static let hostile: [FieldValue] = [
        .int64(.min), .int64(.max), .int64(-1), .int64(0), .int64(255), .int64(256), .int64(300),
        .double(.nan), .double(.infinity), .double(-.infinity), .double(.greatestFiniteMagnitude),
        .double(-.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(1e19), .double(-1e19),
        .double(9_223_372_036_854_775_808), .double(-9_223_372_036_854_775_808), .double(2.5), .double(-0.0),
        .double(2),
    ]

    @Test("Reading a number as any type does not trap", arguments: hostile)
    func reading(_ value: FieldValue) {
        func read<Value: RecordValue>(_ type: Value.Type) -> Value? { Value(fieldValue: value) }
        _ = (read(Int.self), read(Int8.self), read(Int16.self), read(Int32.self), read(Int64.self))
        _ = (read(UInt.self), read(UInt8.self), read(UInt16.self), read(UInt32.self), read(UInt64.self))
        _ = (read(Float.self), read(Double.self), read(Bool.self), read([Int].self), read(String.self))
    }

    @Test("A whole number reads as the integer types that can hold it")
    func integers() {
        #expect(UInt8(fieldValue: .int64(255)) == 255)
        #expect(UInt8(fieldValue: .int64(256)) == nil)
        #expect(UInt(fieldValue: .int64(-1)) == nil)
        #expect(Int8(fieldValue: .int64(-128)) == -128)
        #expect(UInt64(fieldValue: .int64(.max)) == 9_223_372_036_854_775_807)
    }

    @Test("A floating-point number reads as an integer only if it is one")
    func fractions() {
        #expect(Int(fieldValue: .double(2)) == 2)
        #expect(Int(fieldValue: .double(-0.0)) == 0)
        #expect(Int(fieldValue: .double(2.5)) == nil)
        #expect(Int(fieldValue: .double(.nan)) == nil)
        #expect(Int(fieldValue: .double(.infinity)) == nil)
        #expect(Int64(fieldValue: .double(-9_223_372_036_854_775_808)) == .min)
        #expect(Int64(fieldValue: .double(9_223_372_036_854_775_808)) == nil)
        #expect(UInt64(fieldValue: .double(9_223_372_036_854_775_808)) == 9_223_372_036_854_775_808)
    }

    @Test("A whole number reads as a floating-point type")
    func floatingPoint() {
        #expect(Double(fieldValue: .int64(3)) == 3)
        #expect(Float(fieldValue: .int64(16_777_217)) == 16_777_216)
        #expect(Double(fieldValue: .int64(.max)) == 9_223_372_036_854_775_808)
    }

    @Test("One and zero read as booleans, other numbers do not")
    func booleans() {
        #expect(Bool(fieldValue: .int64(1)) == true)
        #expect(Bool(fieldValue: .double(0)) == false)
        #expect(Bool(fieldValue: .int64(2)) == nil)
        #expect(Bool(fieldValue: .string("true")) == nil)
    }

    @Test("Nothing converts between numbers, text and dates")
    func kinds() {
        #expect(Int(fieldValue: .string("5")) == nil)
        #expect(String(fieldValue: .int64(5)) == nil)
        #expect([Int](fieldValue: .int64(5)) == nil)
        #expect(Int(fieldValue: .list(.int64([5]))) == nil)
    }

    @Test("A list converts if all its elements do")
    func lists() {
        #expect([Double](fieldValue: .list(.int64([1, 2]))) == [1, 2])
        #expect([UInt8](fieldValue: .list(.int64([1, 256]))) == nil)
        #expect([Int](fieldValue: .list(.double([1, 2.5]))) == nil)
        #expect([Int](fieldValue: .list(.string([]))) == [])
    }

    @Test("A number that fits no field has no stored value")
    func unstorable() {
        #expect(UInt64.max.fieldValue == nil)
        #expect([UInt64.max].fieldValue == nil)
        #expect(UInt64(Int64.max).fieldValue == .int64(.max))
    }
}
