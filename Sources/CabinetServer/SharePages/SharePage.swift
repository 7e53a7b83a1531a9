import Cabinet

/// The page of a share's URL, before and after the user signs in.
struct SharePage {
    /// The state of the user in the share.
    enum State {
        /// The user has not signed in; a failure of the last try has its reason.
        case unknown(failure: String?)
        /// The user may join with a token.
        case invited(token: String)
        case joined
        case owner
    }

    /// The title and the owner of a share that the user may open, or that everyone may.
    var share: (title: String?, owner: String, permission: Share.ParticipantPermission)?
    var state: State
    /// The URLs by which programs open the share.
    var programURLs: [String]

    /// The page.
    var page: HTMLPage {
        HTMLPage(title: share.map { $0.title ?? "Shared records" } ?? "A share", body: parts.joined(by: "\n"))
    }

    private var parts: [HTML] {
        [description, Self.failure(of: state)] + programURLs.map(Self.link) + [form]
    }

    private var description: HTML {
        guard let share else {
            return
                "<p>This address leads to records that their owner shares. Sign in to see them, if they are shared with you.</p>"
        }
        let owner: HTML = "<strong>\(share.owner)</strong>"
        let rights = share.permission == .readWrite ? "read and change" : "read"
        return switch state {
        case .unknown:
            "<p>\(owner) shares these records with everyone who has this address. Sign in to \(rights) them.</p>"
        case .invited: "<p>\(owner) shares these records with you. You may \(rights) them.</p>"
        case .joined: "<p>You have joined. \(owner) lets you \(rights) these records.</p>"
        case .owner: "<p>You share these records. Send this address to the participants.</p>"
        }
    }

    private static func failure(of state: State) -> HTML {
        guard case .unknown(let failure?) = state else { return .empty }
        return "<p class=\"failure\" role=\"alert\">\(failure)</p>"
    }

    private static func link(_ url: String) -> HTML {
        "<a class=\"button\" href=\"\(url)\">Open in the program</a>"
    }

    private var form: HTML {
        switch state {
        case .unknown:
            """
            <form method="post">
            <label for="token">Your token</label>
            <input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required>
            <p class="hint">The operator of the server prints it: <code>cabinet users sign-in NAME</code></p>
            <button>Sign in</button>
            </form>
            """
        case .invited(let token):
            """
            <form method="post">
            <input name="token" type="hidden" value="\(token)">
            <button name="join" value="yes">Join</button>
            </form>
            """
        case .joined, .owner: .empty
        }
    }
}
