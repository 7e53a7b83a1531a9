import Testing

@testable import Cabinet

@Suite("The texts of filters with counts of referring records, and with values in JSON")
struct FilterTextTests {
    @Test(
        "The description parses back to the same filter",
        arguments: ReferringTextTests.formats + JSONPathTests.formats)
    func description(format: String) throws {
        let filter = try Filter(format)
        #expect(try Filter(filter.description) == filter, "\(filter)")
        #expect(try Filter(filter.text()) == filter)
    }
}
