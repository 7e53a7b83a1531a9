import Cabinet
import CabinetServer
import Foundation
import TerminalProgram

extension Command {
    static let serve = Command(
        words: ["serve"],
        options: [CLIOption.listen, CLIOption.configuration, CLIOption.dashboard],
        summary: "Serve the store's records over HTTP, to Cabinet's and CloudKit's clients",
        details: """
            The first line is the address. A line of JSON follows for each request. SIGTERM finishes the requests under way, SIGHUP reads
            the certificate and the keys again, and prints another address of the dashboard. Users come from cabinet users add, and tokens from cabinet users sign-in. A file of JSON can say more:
            {"listen": ["0.0.0.0:8443"], "tls": {"certificate": FILE, "key": FILE}, "publicURL": URL, "isBehindProxy": false,
            "containers": [{"identifier": ID, "environment": "production", "store": STORE, "schema": NAME, "programURL": "notes://share/{guid}"}],
            "jwt": {"keys": FILE, "issuer": URL, "audience": NAME, "rolesClaim": NAME}, "limits": {"bodySize": 16777216, "seconds": 60, "userRate": 100, "addressRate": 500}}
            """,
        examples: [
            "cabinet serve --store ~/notes --container com.example.notes",
            "cabinet serve --store postgresql://localhost/notes --container com.example.notes --listen 0.0.0.0:8080",
            "cabinet serve --config /etc/cabinet.json",
        ]
    ) { invocation in
        let configuration = try ServeConfiguration(invocation)
        try await RecordListener.run(configuration, invocation)
    }
}

extension CLIOption {
    static let listen = Option(
        name: "--listen", value: "ADDRESS",
        summary: "127.0.0.1:8080 (default), [::]:8080 or unix:PATH; port 0 takes a free one")
    static let configuration = Option(
        name: "--config", value: "FILE",
        summary: "Take addresses, containers, certificate and limits from a file of JSON")
    static let dashboard = Option(
        name: "--dashboard", summary: "Serve the dashboard too, and print an address that signs one browser in")
    static let callback = Option(
        name: "--callback", value: "URL", summary: "The program's page to which the browser returns after a sign-in")
    static let publicKey = Option(
        name: "--public-key", value: "FILE", summary: "The public key in PEM")
    static let to = Option(
        name: "--to", value: "FILE", summary: "Write credentials to a new file, which its owner alone can read")
    static let email = Option(
        name: "--email", value: "ADDRESS", summary: "The address by which other users find this one")
    static let recordName = Option(
        name: "--record-name", value: "NAME",
        summary: "The record name of a user that a restored store lacks (default: a new one)")
    static let noEmail = Option(name: "--no-email", summary: "Remove the address")
    static let noRoles = Option(name: "--no-roles", summary: "Remove all roles")
}
