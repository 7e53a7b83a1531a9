import Testing

/// The checks of the statements that the rules send.
@Suite struct StatementLogTests {
    private func log(_ statements: [(text: String, parameters: String)]) -> StatementLog {
        StatementLog(
            statements.map { "@1@LOG:  execute cabinet_1: \($0.text)\n@1@DETAIL:  parameters: \($0.parameters)\n" }
                .joined())
    }

    @Test("A transaction of one database is allowed")
    func allowed() {
        let log = log([
            ("BEGIN", ""), ("SELECT 1 FROM \"s\".cabinet_state WHERE database = $1", "$1 = '5'"),
            ("SELECT 1 FROM \"s\".\"Items\" WHERE \"___database\" = $1", "$1 = '5', $2 = 'x'"), ("COMMIT", ""),
            ("SELECT id FROM \"s\".cabinet_database WHERE name = $1", "$1 = 'public'"),
            ("SELECT name FROM \"s\".cabinet_state WHERE writes > 0", ""),
        ])
        #expect(log.transactionCount(in: "s") == 3)
        #expect(log.violations(in: ["s"]).isEmpty)
        #expect(log.transactionCount(in: "other") == 0)
    }

    @Test(
        "A statement that Citus refuses, or that would reach several workers, is found",
        arguments: [
            ("SELECT 1 FROM \"s\".\"Items\" WHERE \"name\" = $1", "$1 = 'x'"),
            ("SELECT 1 FROM \"s\".\"Items\" WHERE \"___database\" = $1", "$1 = '6'"),
            ("DELETE FROM \"s\".cabinet_upload WHERE database = $1 AND date < clock_timestamp()", "$1 = '5'"),
            ("UPDATE \"s\".cabinet_state SET writes = 1 WHERE database = $1 RETURNING pg_notify($2, $3)", "$1 = '5'"),
            (
                """
                SELECT 1 FROM \"s\".cabinet_schema WHERE EXISTS (SELECT 1 FROM \"s\".cabinet_state WHERE database = $1)
                """, "$1 = '5'"
            ),
        ])
    func refused(text: String, parameters: String) {
        let log = log([
            ("BEGIN", ""), ("SELECT 1 FROM \"s\".cabinet_state WHERE database = $1", "$1 = '5'"), (text, parameters),
            ("COMMIT", ""),
        ])
        #expect(log.violations(in: ["s"]).count == 1)
    }
}
