import ProgramTestSupport
import Testing

@testable import TerminalProgram

@Suite("A server's URL, whose credentials are hidden")
struct ServerURLTests {
    @Test(
        "It shows the location of the database, and not its user",
        arguments: [
            ("postgresql://db.example.com/shop", "postgresql://db.example.com/shop"),
            ("postgres://anna:geheim@db.example.com:5433/shop", "postgresql://db.example.com:5433/shop"),
            ("postgresql://anna:ge:he?im@a:1,b:2/shop?sslmode=require", "postgresql://a:1,b:2/shop"),
            ("postgresql://anna:geheim@%2Ftmp%2Fpg/shop?password=geheim", "postgresql://%2Ftmp%2Fpg/shop"),
            (
                "postgresql:///?user=anna&password=geheim&host=/tmp&dbname=shop&port=1",
                "postgresql:///?host=/tmp&dbname=shop&port=1"
            ),
            ("postgresql://anna:ge@heim@db.example.com/shop", "postgresql://db.example.com/shop"),
            ("postgresql://anna:ge/heim@db.example.com/shop", "postgresql://db.example.com/shop"),
            ("postgresql://anna:12/ge@heim@db.example.com/shop", "postgresql://db.example.com/shop"),
            ("postgresql://anna:ge/he?im@db.example.com/shop", "postgresql://…"),
            ("postgresql://anna:geheim@db.example.com", "postgresql://db.example.com/anna"),
            ("postgresql://[2001:db8::1]:5432/shop", "postgresql://[2001:db8::1]:5432/shop"),
            ("postgresql://", "postgresql:///"),
        ])
    func description(text: String, shown: String) throws {
        let url = try #require(ServerURL(text))
        #expect(url.description == shown)
        #expect(url.text == text)
        #expect("\(StoreLocation.server(url))" == shown)
    }

    @Test("A text that is not the URL of a PostgreSQL database is a folder, or invalid")
    func others() throws {
        #expect(ServerURL("folder/postgresql") == nil)
        #expect(throws: CommandError.self) { try StoreLocation("mysql://anna@db.example.com/shop") }
        #expect("\(try StoreLocation("/tmp/a/../b"))" == "/tmp/b")
        #expect("\(try StoreLocation("/tmp/user=ann"))" == "/tmp/user=ann")
    }

    @Test(
        "A list of parameters of PostgreSQL's own library is refused, and not shown",
        arguments: [
            "host=db dbname=shop password=geheim", "password=geheim", " user = ann password=geheim", "service=x",
        ])
    func parameters(text: String) throws {
        let error = try #require(throws: CommandError.self) { try StoreLocation(text) }
        #expect(error.description.contains("postgresql://USER@HOST/DATABASE"))
        #expect(!error.description.contains("geheim"))
    }
}
