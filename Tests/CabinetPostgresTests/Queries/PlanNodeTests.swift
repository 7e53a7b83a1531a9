import Cabinet
import SQLSupport
import Testing

@testable import CabinetPostgres

/// PostgreSQL's plans are parsed correctly.
@Suite struct PlanNodeTests {
    private func columns(_ condition: String) -> [String] {
        PlanCondition(condition).columns.map { "\($0.qualifier ?? "-") \($0.name)" }
    }

    @Test func columnsOfConditions() {
        #expect(
            columns(#"((___database = '1'::bigint) AND ("left"(name, 200) = 'it''s "x" n'::text) AND ("myField" > 5))"#)
                .filter { !$0.hasSuffix("AND") } == ["- ___database", "- name", "- myField"])
        #expect(
            columns(#"((t."___database" = '1'::bigint) AND (t.list = r1."___recordID"))"#)
                == ["t ___database", "t list", "r1 ___recordID"])
        #expect(columns(#"("odd ""name""" = ANY ('{a,b}'::text[]))"#) == [#"- odd "name""#])
        #expect(
            columns("((place[1] >= '10'::double precision) AND (place[2] <= '6'::double precision))")
                == ["- place", "- place"])
        #expect(columns("'unclosed \"").isEmpty)
        for text in ["\u{301}x", "x\u{600}"] {
            #expect(columns("(name = '\(text)'::text) OR (note > 5)") == ["- name", "- note"], "\(text)")
        }
    }

    @Test func steps() throws {
        let json = """
            [{"Plan": {"Node Type": "Limit", "Plans": [{"Node Type": "Incremental Sort", "Plans": [
              {"Node Type": "Nested Loop", "Plans": [
                {"Node Type": "Sort", "Plans": [{"Node Type": "Seq Scan", "Relation Name": "Lists", "Alias": "r1"}]},
                {"Node Type": "Index Scan", "Relation Name": "Items", "Alias": "t", "Index Name": "i",
                 "Index Cond": "((t.\\"___database\\" = 1) AND (t.list = r1.\\"___recordID\\"))"}]}]}]}}]
            """
        let table = Table(
            TableDefinition(
                id: 1, recordType: "Items", name: "Items",
                columns: [Table.Column(field: "list", type: .reference, name: "list")]), schema: "s")
        let catalog = Catalog(id: 1, content: DatabaseSchema(), tables: [table])
        let plan = try #require(try PlanNode.plan(from: json))
        #expect(!plan.isSorted)
        #expect(plan.accesses(in: catalog) == [.scan, .index(name: "i", fields: ["list"])])
        let sorted = try #require(try PlanNode.plan(from: #"[{"Plan": {"Node Type": "Sort"}}]"#))
        #expect(sorted.isSorted)
        let merged = try #require(
            try PlanNode.plan(
                from: """
                    [{"Plan": {"Node Type": "Sort", "Plans": [{"Node Type": "Append", "Plans": [
                      {"Node Type": "Limit", "Plans": [{"Node Type": "Index Scan"}]},
                      {"Node Type": "Subquery Scan", "Plans": [{"Node Type": "Limit", "Plans": []}]}]}]}}]
                    """))
        #expect(!merged.isSorted)
        #expect(throws: (any Error).self) { try PlanNode.plan(from: "{}") }
    }
}
