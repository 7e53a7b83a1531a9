import Cabinet
import Foundation
import SQLSupport

/// The assets of a database, in a transaction.
///
/// An asset's bytes are rows of `cabinet_asset_part`, under the name of the upload that stored them. Adding the asset stores
/// that name, and moves no bytes.
extension TransactionContext {
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        guard let databaseID else { return [] }
        let found = try await connection.answer(
            """
            SELECT checksum, size FROM \(name("cabinet_asset")) WHERE database = $1 AND checksum > $2 COLLATE "C" \
            ORDER BY checksum LIMIT $3
            """, [.integer(databaseID), .text(checksum?.description ?? ""), .integer(Int64(limit))])
        return try found.rows.map(Self.asset)
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        guard let databaseID, !checksums.isEmpty else { return checksums.map { _ in nil } }
        let found = try await connection.answer(
            "SELECT checksum, size FROM \(name("cabinet_asset")) WHERE database = $1 AND checksum = ANY($2)",
            [.integer(databaseID), .texts(checksums.map(\.description))])
        let assets = try found.rows.map(Self.asset)
        let byChecksum = Dictionary(assets.map { ($0.checksum, $0) }, uniquingKeysWith: { first, _ in first })
        return checksums.map { byChecksum[$0] }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        guard let databaseID, !checksums.isEmpty else { return [] }
        // `EXISTS` stops at the first record that uses an asset, however many records use it.
        let found = try await connection.answer(
            """
            SELECT v.checksum FROM unnest($2::text[]) AS v(checksum) WHERE EXISTS (\
            SELECT 1 FROM \(name("cabinet_asset_use")) AS u \
            WHERE u.database = $1 AND u.checksum = v.checksum COLLATE "C")
            """, [.integer(databaseID), .texts(checksums.map(\.description))])
        return Set(found.rows.compactMap { $0.text(0).flatMap { Asset.Checksum(hexadecimal: $0) } })
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        guard let databaseID else { return nil }
        // A missing asset has no bytes, so only an empty range needs a round trip that distinguishes it from an empty one.
        if range.isEmpty { return try await assets(for: [checksum])[0] == nil ? nil : Data() }
        let found = try await connection.answer(
            """
            SELECT p.start, substring(p.bytes FROM (greatest($3::bigint - p.start, 0) + 1)::integer \
            FOR (least($4::bigint - p.start, length(p.bytes)) - greatest($3::bigint - p.start, 0))::integer) \
            FROM \(name("cabinet_asset")) AS a JOIN \(name("cabinet_asset_part")) AS p \
            ON p.database = a.database AND p.content = a.content \
            WHERE a.database = $1 AND a.checksum = $2 AND p.start < $4::bigint \
            AND p.start > $3::bigint - \(PostgresUpload.partSize) AND p.start + length(p.bytes) > $3::bigint \
            ORDER BY p.start
            """,
            [
                .integer(databaseID), .text(checksum.description), .integer(range.lowerBound),
                .integer(range.upperBound),
            ])
        var bytes = Data()
        for row in found.rows {
            guard let start = row.integer(0), let part = row.data(1) else {
                throw PostgresFailure.damaged("cabinet_asset_part has a row without bytes")
            }
            // A missing part leaves a gap.
            guard max(start, range.lowerBound) == range.lowerBound + Int64(bytes.count) else { return nil }
            bytes.append(part)
        }
        return Int64(bytes.count) == range.upperBound - range.lowerBound ? bytes : nil
    }

    /// Adds an asset, whose size the server refuses to be null: ``PostgresFailure/isOfLostParts``.
    ///
    /// A standby may have been promoted during the upload, and lack parts that the primary has acknowledged. Parts never overlap,
    /// so their lengths add up to the size only if none is missing.
    func add(_ asset: StoredAsset, uploadedAs id: UUID) throws {
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_asset")) (database, checksum, size, content) \
            SELECT $1, $2, CASE WHEN coalesce(sum(length(bytes)), 0) = $3 THEN $3 END, $4 \
            FROM \(name("cabinet_asset_part")) WHERE database = $1 AND content = $4 \
            ON CONFLICT (database, checksum) DO NOTHING
            """,
            [
                .integer(try writableID()), .text(asset.checksum.description), .integer(asset.size),
                .text(PostgresUpload.name(id)),
            ])
    }

    func removeAssets(_ checksums: [Asset.Checksum]) throws {
        if checksums.isEmpty { return }
        try connection.enqueue(
            """
            WITH gone AS (DELETE FROM \(name("cabinet_asset")) WHERE database = $1 AND checksum = ANY($2) \
            RETURNING content) \
            DELETE FROM \(name("cabinet_asset_part")) AS p USING gone WHERE p.database = $1 AND p.content = gone.content
            """, [.integer(try writableID()), .texts(checksums.map(\.description))])
    }

    /// Records which records use which assets.
    func insertAssetUses(of records: [(record: StoredRecord, zone: Int64)], in table: Table) throws {
        if table.assetColumns.isEmpty { return }
        var zones: [Int64?] = []
        var sources: [String?] = []
        var checksums: [String?] = []
        for (record, zone) in records {
            var own: Set<Asset.Checksum> = []
            for field in table.assetColumns.map({ table.columns[$0].field }) {
                switch record.fields[field] {
                case .asset(let asset): if let checksum = asset.checksum { own.insert(checksum) }
                case .list(.asset(let assets)): own.formUnion(assets.compactMap(\.checksum))
                default: break
                }
            }
            for checksum in own {
                zones.append(zone)
                sources.append(StoredText.encoded(record.recordID.recordName))
                checksums.append(checksum.description)
            }
        }
        if zones.isEmpty { return }
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_asset_use")) (database, zone, source, checksum) \
            SELECT $1, v.zone, v.source, v.checksum FROM unnest($2::bigint[], $3::text[], $4::text[]) \
            AS v(zone, source, checksum)
            """,
            [.integer(try writableID()), .integers(zones), .texts(sources), .texts(checksums)])
    }

    private static func asset(_ row: QueryRow) throws -> StoredAsset {
        guard let checksum = row.text(0).flatMap({ Asset.Checksum(hexadecimal: $0) }), let size = row.integer(1),
            size >= 0
        else { throw PostgresFailure.damaged("cabinet_asset has a row without a checksum or a size") }
        return StoredAsset(checksum: checksum, size: size)
    }
}
