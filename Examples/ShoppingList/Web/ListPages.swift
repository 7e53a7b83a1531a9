import Cabinet
import CabinetServer
import ExampleSupport
import Foundation

/// The page of all lists, with a form that adds one.
struct ListsPage {
    let lists: [List]
    let pages: PageGuard

    var response: HTTPResponse {
        get throws { try Site.page("Shopping lists", main, events: "/events").response() }
    }

    private var main: HTML {
        let rows = lists.map { list -> HTML in
            "<li><a href=\"\(list.address)\">\(list.title)</a>\(list.isOfAnotherUser ? " <small>shared with you</small>" : nil as HTML?)</li>"
        }
        return """
            <h1>Shopping lists</h1>
            \(rows.isEmpty ? "<p class=\"empty\">\(Sentence.noLists.rawValue)</p>" as HTML : "<ul class=\"lists\">\(rows)</ul>")
            <form class="add" method="post" action="/">\(pages.formField)
            <input name="name" aria-label="Name of the new list" placeholder="New list" required autocomplete="off">
            <button>Add</button></form>
            """
    }
}

/// The page of a list, with a form for each change of an item.
struct ItemsPage {
    let list: List
    let items: [Item]
    let pages: PageGuard

    var response: HTTPResponse {
        get throws { try Site.page(list.title, main, events: "\(list.address)/events").response() }
    }

    private var main: HTML {
        """
        <p><a href="/">All lists</a></p>
        <h1 dir="auto">\(list.title)</h1>
        \(items.isEmpty ? "<p class=\"empty\">\(Sentence.noItems.rawValue)</p>" as HTML : "<ul class=\"items\">\(items.map(row))</ul>")
        <form class="add" method="post" action="\(list.address)">\(pages.formField)
        <input name="name" aria-label="Name of the new item" placeholder="New item" required autocomplete="off">
        <input name="number" aria-label="Number to buy" type="number" min="1" max="999" value="1">
        <button name="do" value="add">Add</button></form>
        <p><a href="\(list.address)/delete">Delete this list…</a></p>
        """
    }

    private func row(_ item: Item) -> HTML {
        """
        <li><span dir="auto">\(item.title)</span>
        <form method="post" action="\(list.address)">\(pages.formField)<input type="hidden" name="item" value="\(item.id.recordID.recordName)">
        <button name="do" value="less" aria-label="One \(item.title) less"\(item.number == 1 ? " disabled" : nil as HTML?)>−</button>
        <output>\(item.number)</output>
        <button name="do" value="more" aria-label="One \(item.title) more">+</button>
        <button name="do" value="delete" aria-label="Delete \(item.title)">×</button></form></li>

        """
    }
}

/// The question before a list is deleted.
struct DeletionPage {
    let list: List
    let pages: PageGuard

    var response: HTTPResponse {
        get throws { try Site.page("Delete \(list.title)", main).response() }
    }

    private var main: HTML {
        """
        <h1 dir="auto">Delete \(list.title)?</h1><p>Its items go with it.</p>
        <form method="post" action="\(list.address)">\(pages.formField)
        <button name="do" value="delete-list">Delete</button> <a href="\(list.address)">Keep it</a></form>
        """
    }
}

extension List {
    /// The address of the list's page.
    var address: String {
        let name = id.recordID.recordName
        return "/lists/\(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name)"
    }
}
