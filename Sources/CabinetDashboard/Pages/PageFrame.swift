import Cabinet
import CabinetServer
import CabinetWire
import Foundation

/// The frame of all pages: the head, the containers and databases, and the pages of the database that is shown.
struct PageFrame {
    let stores: [Dashboard.Store]
    /// The hidden field that proves that a form is the dashboard's own.
    let proof: HTML
    let address: RequestTarget

    private static let pages: [(name: String?, title: String)] = [
        (nil, "Record types"), ("zones", "Zones"), ("changes", "Changes"), ("schema", "Schema"), ("roles", "Roles"),
        ("subscriptions", "Subscriptions"), ("shares", "Shares"), ("import", "Import"), ("health", "Health"),
    ]
    /// The pages of a store that the dashboard has opened itself.
    private static let pagesOfStore: [(name: String?, title: String)] = [
        ("users", "Users"), ("keys", "Keys"),
    ]

    func response(_ page: Page, _ status: HTTPResponse.Status = .ok, _ place: Place? = nil) throws -> HTTPResponse {
        let trail = page.trail.map { part -> HTML in "<li><a href=\"\(part.address)\">\(part.title.shown(60))</a></li>"
        }
        let main: HTML = """
            \(trail.isEmpty ? nil : "<nav aria-label=\"Path\"><ol class=\"trail\">\(trail)</ol></nav>")
            \(page.main)
            """
        return try Self.response(
            title: page.title,
            body: """
                <a class="skip" href="#main">Skip to the content</a>
                <header>
                <a class="brand" href="/dashboard"><img src="/dashboard/style/icon.svg" alt="" width="20" height="20">Cabinet</a>
                \(place.map(choice))\(place.map(userChoice))
                <form class="end" method="post" action="/dashboard/sign-out">\(proof)\
                <a href="/dashboard/requests">Requests</a> <button class="link">Sign out</button></form>
                </header>
                \(place.flatMap { place in place.user.map { actor($0, place) } })\(place.map(navigation))
                \(PageEvents.main(main, events: page.events, script: "/dashboard/style/dashboard.js"))
                """, status)
    }

    /// The choice of a container and a database, and of the user to act as.
    private func choice(_ place: Place) -> HTML {
        let containers = stores.map { store -> HTML in
            let other = Place(container: store.identifier, environment: store.environment, scope: place.scope)
            let isShown = store.identifier == place.container && store.environment == place.environment
            return """
                <a href="\(other.link())"\(Self.mark(ifCurrent: isShown))>\(store.title.shown(60)) \
                <small>\(store.environment)</small></a>
                """
        }
        let databases = Place.scopes.map { name, scope -> HTML in
            let other = Place(
                container: place.container, environment: place.environment, scope: scope, user: place.user)
            return "<a href=\"\(other.link())\"\(Self.mark(ifCurrent: scope == place.scope))>\(name.capitalized)</a>"
        }
        return
            "<nav aria-label=\"Container\" class=\"choice\">\(containers)</nav><nav aria-label=\"Database\" class=\"tabs\">\(databases)</nav>"
    }

    /// The form that chooses the user to act as.
    private func userChoice(_ place: Place) -> HTML {
        """
        <details class="act"><summary class="button">Act as</summary><form method="get" action="/dashboard/act">\
        <input type="hidden" name="container" value="\(place.container)"><input type="hidden" name="environment" value="\(place.environment)">\
        <label>Record name of the user <input name="user" value="\(place.user ?? "")" spellcheck="false" autocomplete="off"></label> \
        <button>Act as</button></form></details>
        """
    }

    /// Returns the attribute of a link, if it leads to what is shown.
    private static func mark(ifCurrent isShown: Bool) -> HTML { isShown ? " aria-current=\"page\"" : .empty }

    /// The mark of pages on which the person acts as another user.
    private func actor(_ user: String, _ place: Place) -> HTML {
        let own = Place(container: place.container, environment: place.environment, scope: place.scope)
        return """
            <p class="actor">You act as <strong>\(user.shown(60))</strong>. Records that you save are this user's. \
            <a href="\(own.link())">Act as yourself</a></p>
            """
    }

    private func navigation(_ place: Place) -> HTML {
        let shown = address.path.count > 3 ? address.path[3] : nil
        let store = stores.first { $0.identifier == place.container && $0.environment == place.environment }
        let links = (Self.pages + (store?.storage == nil ? [] : Self.pagesOfStore)).map { page -> HTML in
            let isShown =
                page.name == shown || page.name == nil && ["records", "record", "new", "type"].contains(shown)
            return "<a href=\"\(place.link(page.name))\"\(Self.mark(ifCurrent: isShown))>\(page.title)</a>"
        }
        return "<nav aria-label=\"Pages\" class=\"pages\">\(links)</nav>"
    }

    /// Returns a whole page.
    static func response(title: String, body: HTML, _ status: HTTPResponse.Status) throws -> HTTPResponse {
        try HTMLDocument(
            title: "\(title.shown(80)) – Cabinet", stylesheet: "/dashboard/style/dashboard.css",
            icon: "/dashboard/style/icon.svg", body: body
        ).response(status)
    }
}
