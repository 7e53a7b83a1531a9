import Cabinet
import Foundation

/// The uploads to a database that are under way.
extension TransactionContext {
    /// Records that an upload has begun, or has received bytes.
    func touchUpload(_ content: String) throws {
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_upload")) (database, content, date) \
            VALUES ($1, $2, extract(epoch FROM statement_timestamp())::double precision) \
            ON CONFLICT (database, content) DO UPDATE SET date = excluded.date
            """, [.integer(try writableID()), .text(content)])
    }

    /// Stores a part of an upload.
    func store(_ bytes: Data, of content: String, at start: Int64) throws {
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_asset_part")) (database, content, start, bytes) VALUES ($1, $2, $3, $4) \
            ON CONFLICT (database, content, start) DO NOTHING
            """, [.integer(try writableID()), .text(content), .integer(start), .bytes(bytes)])
    }

    /// Deletes uploads, and the bytes of those that did not become an asset.
    ///
    /// - Returns: The number of rows of bytes that were removed.
    func endUploads(_ contents: [String]) async throws -> Int {
        let parameters: [SQLValue] = [.integer(try writableID()), .texts(contents)]
        try connection.enqueue(
            "DELETE FROM \(name("cabinet_upload")) WHERE database = $1 AND content = ANY($2)", parameters)
        return try await connection.answer(
            """
            DELETE FROM \(name("cabinet_asset_part")) AS p WHERE p.database = $1 AND p.content = ANY($2) \
            AND NOT EXISTS (SELECT 1 FROM \(name("cabinet_asset")) AS a \
            WHERE a.database = $1 AND a.content = p.content)
            """, parameters
        ).affectedCount
    }

    /// Returns the uploads that have received no bytes for a time.
    func idleUploads(forSeconds seconds: Double) async throws -> [String] {
        try await ensureSnapshot()
        guard let databaseID else { return [] }
        return try await connection.answer(
            """
            SELECT content FROM \(name("cabinet_upload")) \
            WHERE database = $1 AND date < extract(epoch FROM statement_timestamp())::double precision - $2
            """, [.integer(databaseID), .double(seconds)]
        ).rows.compactMap { $0.text(0) }
    }
}
