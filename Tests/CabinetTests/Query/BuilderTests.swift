import Cabinet
import Foundation
import Testing

@Suite("Builders: filters written in Swift read well and compile")
struct BuilderTests {
    let reference = Reference(recordID: RecordID(recordName: "list"), action: .deleteSelf)

    @Test("The spellings of the documentation compile where a filter is expected")
    func spellings() {
        let text: String? = nil
        let date = Date()
        let queries = [
            Query(recordType: "Items", filter: .field("list") == reference),
            Query(recordType: "Items", filter: .field("number") > 3 && .field("list") == reference),
            Query(recordType: "Items", filter: .field("name").beginsWith("M")),
            Query(recordType: "Items", filter: !(.field("number") > 3)),
            Query(recordType: "Items", filter: !.field("name").beginsWith("M")),
            Query(recordType: "Items", filter: .field("x") == nil || .field("x") != text),
            Query(recordType: "Items", filter: .field("tags").contains("x") && .field("status").isIn(["a", "b"])),
            Query(recordType: "Items", filter: .field("number").isBetween(1, 5) && .field("at").isBetween(date, date)),
            Query(recordType: "Items", filter: .field("number") < .field("stock")),
            Query(recordType: "Items", filter: .value("urgent").isIn(.field("tags"))),
            Query(recordType: "Items", filter: .field("done") == true && .field("price") >= 1.5 && .field("a") <= -1),
        ]
        #expect(queries.count == 11)

        let filter: Filter = .field("number") > 3 && .field("list") == reference && .field("a") == .field("b")
        let long: Filter =
            (.field("a") == 1 || .field("b") == "x" || .field("c") >= 2.5) && !(.field("d") != nil)
            && .field("e").beginsWith("M") && (.field("f") < 3 || .field("g") <= date)
        #expect(filter != long)
    }
}
