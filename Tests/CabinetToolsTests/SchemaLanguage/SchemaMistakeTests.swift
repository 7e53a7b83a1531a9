import Cabinet
import CabinetTools
import Testing

@Suite("Mistakes in the schema language are reported with line and column")
struct SchemaMistakeTests {
    /// A body of a record type that begins in line 2 and column 1, and the message without its end.
    static let bodies: [(body: String, message: String)] = [
        ("name STRNG", "2:6: Expected a data type such as STRING, and this is 'STRNG'. Did you mean STRING?"),
        (
            "name STRING QUERABLE",
            "2:13: Expected an option such as QUERYABLE, ',' or ')', and this is 'QUERABLE'. Did you mean QUERYABLE?"
        ),
        ("name STRING QUERYABLE QUERYABLE", "2:23: QUERYABLE is declared twice."),
        ("name", "2:5: Expected a data type such as STRING, and this is ')'."),
        ("name STRING,", "2:13: Expected the name of a field, and this is ')'."),
        ("name STRING number INT64", "2:13: Expected an option"),
        ("a STRING,\n\n  a INT64", "4:3: The field 'a' is declared twice in Items."),
        (
            "grant STRING",
            "2:7: Expected READ, CREATE or WRITE after GRANT. The name of a field 'grant' needs double quotes"
        ),
        ("queryable STRING", "2:1: 'queryable' is a reserved word; write \"queryable\" in double quotes"),
        ("___modTime TIMESTAMP", "2:1: Names that begin with an underscore are the system's; write \"___modTime\""),
        ("\"___modTime\" STRING", "2:14: The system field '___modTime' is of type TIMESTAMP, and this is STRING."),
        (
            "\"___mod\" STRING",
            "2:1: '___mod' begins with an underscore, as system names do; expected one of ___createTime,"
        ),
        ("\"größe\" INT64", "2:1: 'größe' cannot be the name of a field; expected an ASCII letter"),
        ("größe INT64", "2:3: 'ö' cannot stand here."),
        ("2nd INT64", "2:1: '2nd' cannot be the name of a field"),
        ("\"name STRING", "2:1: This name has no closing quotation mark on its line."),
        ("/* ä */ name SRING", "2:14: Expected a data type"),
        ("/* name STRING", "2:1: This comment has no closing '*/'."),
        ("a LIST<LIST<STRING>>", "2:8: A list cannot contain lists."),
        ("a LIST STRING", "2:8: Expected '<' after LIST"),
        ("a LIST<STRING", "2:14: Expected '>' after the type"),
        ("a ENCRYPTED ASSET", "2:13: ASSET cannot be ENCRYPTED."),
        ("a ENCRYPTED STRING QUERYABLE", "2:20: An encrypted field has no index"),
        ("a NUMBER PREFERRED INT64", "2:20: Expected PREFERRED AS, and this is 'INT64'."),
        ("a NUMBER PREFERRED AS STRING", "2:23: A number is preferred as INT64 or DOUBLE, and this is STRING."),
        (
            "b STRING, a INT64 SEARCHABLE",
            "2:11: The field 'a' of Items is of type INT64 and cannot be SEARCHABLE; expected STRING."
        ),
        ("a ASSET QUERYABLE", "2:1: The field 'a' of Items is of type ASSET and cannot be QUERYABLE"),
        (
            "recordID STRING",
            "2:1: 'recordID' is a property of every record, and no field can have that name. To declare"
        ),
        ("share STRING", "2:1: 'share' is a property of every record"),
        ("GRANT READ TO Editor", "2:15: There is no role 'Editor'. Create it with CREATE ROLE Editor;"),
        ("GRANT READ, READ TO \"_world\"", "2:13: READ is granted twice."),
        ("GRANT REED TO \"_world\"", "2:7: Expected READ, CREATE or WRITE after GRANT."),
        ("GRANT READ \"_world\"", "2:12: Expected TO after the permissions, and this is '\"_world\"'."),
        ("GRANT READ TO \"_word\"", "2:15: '_word' begins with an underscore"),
        ("a STRING ON DELETE DENY", "2:10: Only references have a rule for deletions, and 'a' is STRING."),
        ("a REFERENCE ON DELETE CASCADE", "2:23: Expected NONE, DELETE_SELF, NULLIFY or DENY after ON DELETE"),
        ("a STRING, UNIQUE (a, b)", "1:27: UNIQUE names 'b', which is not a field of Items."),
        ("a STRING, UNIQUE (a), UNIQUE (a)", "2:30: This UNIQUE is declared twice."),
        ("a STRING, INDEX (a, b)", "1:27: The index (a, b) of Items names 'b'"),
    ]

    @Test("In a record type", arguments: bodies)
    func body(_ body: String, _ message: String) {
        expectMistake("DEFINE SCHEMA RECORD TYPE Items (\n\(body));", message)
    }

    @Test(
        "Outside of record types",
        arguments: [
            ("", "1:1: A schema begins with DEFINE SCHEMA, and this is the end of the text."),
            ("RECORD TYPE Items ();", "1:1: A schema begins with DEFINE SCHEMA, and this is 'RECORD'."),
            (
                "DEFINE SCHEMA\nRECRD TYPE Items ();",
                "2:1: Expected CREATE ROLE or RECORD TYPE, and this is 'RECRD'. Did you mean RECORD?"
            ),
            (
                "DEFINE SCHEMA\nRECORD TYPE Items ()",
                "2:21: Expected ';' after the definition, and this is the end of the text."
            ),
            ("DEFINE SCHEMA RECORD TYPE (", "1:27: Expected the name of a record type, and this is '('."),
            ("DEFINE SCHEMA RECORD TYPE A (); RECORD TYPE A ();", "1:45: The record type 'A' exists already."),
            ("DEFINE SCHEMA CREATE ROLE A; CREATE ROLE A;", "1:42: The role 'A' exists already."),
            ("DEFINE SCHEMA CREATE ROLE \"_world\";", "1:27: '_world' begins with an underscore"),
            ("DEFINE SCHEMA RECORD TYPE Users (a STRING QUERYABLE);", "1:27: Users records cannot be queried"),
            ("DEFINE SCHEMA &", "1:15: '&' cannot stand here."),
        ])
    func text(_ text: String, _ message: String) {
        expectMistake(text, message)
    }

    @Test("Huge texts and names are refused, and long names are shortened in messages")
    func limits() {
        expectMistake(
            String(repeating: " ", count: SchemaDocument.maximumSize + 1),
            "The schema has 1048577 bytes; expected at most 1048576.",
            code: .limitExceeded)
        let name = String(repeating: "a", count: 256)
        expectMistake(
            "DEFINE SCHEMA RECORD TYPE \(name) ();", "1:27: '\(name.prefix(60))…' cannot be the name of a record type")
        let open = String(repeating: "LIST<", count: 100_000)
        expectMistake("DEFINE SCHEMA RECORD TYPE T (a \(open)", "1:37: A list cannot contain lists.")
    }

    @Test("A text of the maximum size with many fields, keys and types parses")
    func large() throws {
        let fields = (0..<20_000).map { "f\($0) STRING QUERYABLE UNIQUE" }.joined(separator: ",")
        let types = (0..<5_000).map { "RECORD TYPE T\($0) (f REFERENCE);" }.joined()
        let document = try SchemaDocument(parsing: "DEFINE SCHEMA RECORD TYPE T (\(fields));\(types)")
        #expect(document.schema.recordTypes.count == 5_001)
        #expect(document.schema["T"].fields.count == 20_000)
        #expect(document.description.utf8.count > 1_000_000)
    }
}

private func expectMistake(
    _ text: String, _ message: String, code: CabinetError.Code = .invalidArguments,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let error = #expect(throws: CabinetError.self, sourceLocation: sourceLocation) { try SchemaDocument(parsing: text) }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
}
