import CabinetServer

/// The page that signs a person in.
enum SignInForm {
    static func response(code: String) throws -> HTTPResponse {
        try PageFrame.response(
            title: "Sign in",
            body: """
                <main id="main" class="narrow"><h1>Dashboard</h1>
                <form method="post" action="/dashboard/sign-in"><input type="hidden" name="code" value="\(code)">
                <p>This address signs you in once.</p><button class="main" autofocus>Open the dashboard</button></form></main>
                """, .ok)
    }
}
