import ProgramTestSupport
import Testing

@Suite("Shopping list: the store in the sqlite3 shell")
struct SQLiteShellTests {
    @Test("A table for each record type and a column for each field, under the names that the program uses")
    func tables() async throws {
        let shopping = try ShoppingList()
        #expect(try await shopping.run("demo").status == 0)

        let tables = try await SQLiteShell.output("SELECT name FROM sqlite_schema WHERE type = 'table'", on: shopping)
        #expect(tables.contains("Lists"))
        #expect(tables.contains("Items"))

        let columns = try await SQLiteShell.output("SELECT name, type FROM pragma_table_info('Items')", on: shopping)
        #expect(Set(["name|TEXT", "list|TEXT", "number|INTEGER", "___recordID|TEXT"]).isSubset(of: columns))

        let items = try await SQLiteShell.output(
            """
            SELECT Lists.name, Items.name, ifnull(number, 'NULL')
            FROM Items JOIN Lists ON Items.list = Lists.___recordID ORDER BY Items.name
            """, on: shopping)
        #expect(items == ["Groceries|Apples|NULL", "Groceries|Eggs|6", "Groceries|Milk|2", "Groceries|Rye bread|NULL"])
    }
}
