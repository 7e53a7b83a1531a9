import Cabinet
import CabinetServer
import ExampleSupport
import Foundation

/// The lists in a browser: a function from requests to pages.
///
/// Every page is read with `GET` and changed with a form, so that it works without JavaScript. With it, a page also shows the changes
/// of other browsers and terminals as they happen.
struct ShoppingSite: Sendable {
    let store: ShoppingStore
    private let site: Site
    private var pages: PageGuard { site.pages }
    private let events = PageEvents()

    init(store: ShoppingStore, pages: PageGuard) {
        self.store = store
        site = Site(pages, style: PageStyle.text, icon: PageStyle.icon)
    }

    /// Answers requests: with a page, or with the reason that there is none.
    var handler: HTTPHandler {
        { request in
            try await site.answer(request, home: "All lists") { path in
                do {
                    return try await answer(request, path)
                } catch let error as ShoppingError {
                    throw HTTPError(.badRequest, "\(error)")
                }
            }
        }
    }

    private func answer(_ request: HTTPRequest, _ path: [String]) async throws -> HTTPResponse {
        switch (request.method, path.first, path.count) {
        case (.get, nil, _): return try await ListsPage(lists: store.lists(), pages: pages).response
        case (.get, "events", 1): return try events.response(changes(of: nil))
        case (.get, "lists", 2): return try await page(of: list(path[1]))
        case (.get, "lists", 3) where path[2] == "events":
            return try events.response(changes(of: try await list(path[1])))
        case (.get, "lists", 3) where path[2] == "delete":
            return try DeletionPage(list: try await list(path[1]), pages: pages).response
        case (.post, _, _):
            let form = try await HTTPForm(request)
            try pages.check(form)
            return try await .redirect(to: change(path, form))
        default: throw HTTPError(.notFound, "Nothing has this address.")
        }
    }

    private func page(of list: List) async throws -> HTTPResponse {
        try await ItemsPage(list: list, items: store.items(of: list), pages: pages).response
    }

    /// Finds a list of this user, or one that another user shares.
    private func list(_ name: String) async throws -> List {
        guard let list = try await store.lists().first(where: { $0.id.recordID.recordName == name }) else {
            throw HTTPError(.notFound, "The list does not exist. It may have been deleted.")
        }
        return list
    }
}

extension ShoppingSite {
    /// Changes something as a form says, and returns the address of the page that shows it.
    private func change(_ path: [String], _ form: HTTPForm) async throws -> String {
        if path.isEmpty { return try await store.addList(named: name(form)).address }
        guard path.first == "lists", path.count == 2 else { throw HTTPError(.notFound, "Nothing has this address.") }
        let list = try await list(path[1])
        switch form["do"] {
        case "delete-list":
            try await store.delete(list: list)
            return "/"
        case "add":
            _ = try await store.addItem(named: name(form), number: number(form), to: list)
        case "more": try await store.step(item: item(form, on: list), by: 1)
        case "less": try await store.step(item: item(form, on: list), by: -1)
        case "delete": try await store.delete(item: item(form, on: list))
        default: throw HTTPError(.badRequest, "The form does not say what to change.")
        }
        return list.address
    }

    private func name(_ form: HTTPForm) throws -> String {
        guard let name = Name(form["name"]) else { throw HTTPError(.badRequest, Name.blank) }
        return name.text
    }

    private func number(_ form: HTTPForm) throws -> Int {
        do {
            return form["number"].isEmpty ? 1 : try ItemNumber(form["number"]).value
        } catch {
            throw HTTPError(.badRequest, "\(error)")
        }
    }

    private func item(_ form: HTTPForm, on list: List) async throws -> Item {
        guard let item = try await store.items(of: list).first(where: { $0.id.recordID.recordName == form["item"] })
        else { throw HTTPError(.notFound, "The item does not exist. It may have been deleted.") }
        return item
    }
}
