import Cabinet
import CabinetServer
import Foundation
import ProgramTestSupport
import TerminalProgram
import Testing

@testable import ShoppingList

@Suite("Shopping list: the pages")
struct ShoppingSiteTests {
    private let folder: TemporaryFolder
    private let store: ShoppingStore
    private let visitor: SiteVisitor

    init() throws {
        folder = try TemporaryFolder()
        store = try ShoppingStore(.folder(folder.url.appending(path: "store")))
        visitor = SiteVisitor(handler: ShoppingSite(store: store, pages: SiteVisitor.pages).handler)
    }

    @Test("Lists and items are added, counted and deleted with forms alone")
    func forms() async throws {
        let list = try await visitor.submit("/", ["name": "  Groceries "])
        #expect(try await visitor.submit(list, ["do": "add", "name": "Milk", "number": "2"]) == list)
        let item = try #require(try await store.items(of: store.lists()[0]).first).id.recordID.recordName
        _ = try await visitor.submit(list, ["do": "more", "item": item])
        #expect(try await visitor.page(list).contains("<output>3</output>"))
        _ = try await visitor.submit(list, ["do": "less", "item": item])
        #expect(try await visitor.page(list).contains("<output>2</output>"))
        _ = try await visitor.submit(list, ["do": "delete", "item": item])
        #expect(try await visitor.page(list).contains("No Items Found"))
        #expect(try await visitor.page("\(list)/delete").contains("Delete Groceries?"))
        #expect(try await visitor.submit(list, ["do": "delete-list"]) == "/")
        #expect(try await visitor.page("/").contains("No Records Found"))
        _ = try await visitor.page(list, status: 404)
    }

    @Test("A name or number that cannot be saved is refused with the reason")
    func refusals() async throws {
        #expect(try await visitor.submit("/", ["name": " "], status: 400).contains("cannot be blank"))
        let list = try await visitor.submit("/", ["name": "Groceries"])
        for number in ["0", "1000", "x", "99999999999999999999"] {
            let text = try await visitor.submit(
                list, ["do": "add", "name": "Milk", "number": number], status: 400)
            #expect(text.contains("type a number from 1 to 999"))
        }
        _ = try await visitor.submit(list, ["do": "more", "item": "none"], status: 404)
        _ = try await visitor.submit(list, ["do": "none"], status: 400)
        #expect(try await store.items(of: store.lists()[0]).isEmpty)
    }

    @Test("A number that another program has saved out of the range is refused with its step")
    func greatNumbers() async throws {
        let list = try await visitor.submit("/", ["name": "Groceries"])
        _ = try await visitor.submit(list, ["do": "add", "name": "Milk"])
        for (number, step) in [(Int.max, "more"), (Int.min, "less")] {
            let item = try #require(try await store.items(of: store.lists()[0]).first)
            _ = try await store.change(item: item, number: number)
            _ = try await visitor.submit(list, ["do": step, "item": item.id.recordID.recordName], status: 400)
            #expect(try await store.items(of: store.lists()[0]).map(\.number) == [number])
        }
    }

    @Test("Other sites reach neither the pages nor their forms")
    func safety() async throws {
        try await visitor.expectSafety(form: "/")
        #expect(try await store.lists().isEmpty)
    }

    @Test("No name becomes markup", arguments: SiteVisitor.hostile)
    func hostile(_ name: String) async throws {
        let list = try await visitor.submit("/", ["name": name])
        _ = try await visitor.submit(list, ["do": "add", "name": name])
        for path in ["/", list, "\(list)/delete"] {
            let text = try await visitor.page(path)
            #expect(!text.contains("<script>") && !text.contains("<img") && !text.contains("'alert"), "\(path)")
        }
    }
}
